// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;

/**
 * Where two results begin to differ.
 *
 * @param file the result, as the user calls it
 * @param offset the first byte that differs
 * @param what what is there, in words
 */
record Difference(String file, long offset, String what) {
  private static final Pattern NPY =
      Pattern.compile(
          ".*'descr': *'([<>|=])([fiub])(\\d+)'.*'shape': *\\(([^)]*)\\).*", Pattern.DOTALL);

  private static final int LONGEST_LINE = 60;
  private static final int LOOKED_AT = 1 << 13;

  /** Compares the results of two runs; the first difference of the first file that has one. */
  static Optional<Difference> first(List<Path> results, Path expected, Path found)
      throws IOException {
    for (Path result : results) {
      Optional<Difference> difference =
          of(result.toString(), expected.resolve(result), found.resolve(result));
      if (difference.isPresent()) {
        return difference;
      }
    }
    return Optional.empty();
  }

  static Optional<Difference> of(String name, Path expected, Path found) throws IOException {
    if (!Files.isRegularFile(found)) {
      return Optional.of(new Difference(name, 0, "it was not written"));
    }
    long offset = Files.mismatch(expected, found);
    return offset < 0
        ? Optional.empty()
        : Optional.of(new Difference(name, offset, describe(expected, found, offset)));
  }

  private static String describe(Path expected, Path found, long offset) throws IOException {
    long size = Files.size(found);
    if (offset >= Math.min(Files.size(expected), size)) {
      return "it ends after %s bytes, the undisturbed one after %s"
          .formatted(Quantities.count(size), Quantities.count(Files.size(expected)));
    }
    Optional<String> element = inArray(expected, found, offset);
    if (element.isPresent()) {
      return element.get();
    }
    return isText(expected) && isText(found)
        ? inText(expected, found, offset)
        : "byte 0x%02x, undisturbed 0x%02x"
            .formatted(byteAt(found, offset), byteAt(expected, offset));
  }

  /** For people. */
  String inWords() {
    return "%s differs from byte %s on: %s".formatted(file, Quantities.count(offset), what);
  }

  // ---------------------------------------------------------------- text

  private static boolean isText(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      for (byte one : in.readNBytes(LOOKED_AT)) {
        if (one >= 0 && one < ' ' && one != '\n' && one != '\r' && one != '\t') {
          return false;
        }
      }
      return true;
    }
  }

  private static String inText(Path expected, Path found, long offset) throws IOException {
    long line = 1;
    long lineStart = 0;
    try (InputStream in = Files.newInputStream(expected)) {
      byte[] buffer = new byte[1 << 16];
      long position = 0;
      for (int n = in.read(buffer); n > 0 && position < offset; n = in.read(buffer)) {
        for (int i = 0; i < n && position + i < offset; i++) {
          if (buffer[i] == '\n') {
            line++;
            lineStart = position + i + 1;
          }
        }
        position += n;
      }
    }
    return "line %s is \"%s\", undisturbed \"%s\""
        .formatted(Quantities.count(line), lineAt(found, lineStart), lineAt(expected, lineStart));
  }

  private static String lineAt(Path file, long start) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      in.skipNBytes(start);
      String text = new String(in.readNBytes(LOOKED_AT), UTF_8);
      String line = text.lines().findFirst().orElse("");
      return Printable.oneLine(
          line.length() > LONGEST_LINE ? line.substring(0, LONGEST_LINE) + "…" : line);
    }
  }

  // ---------------------------------------------------------------- NumPy

  private static Optional<String> inArray(Path expected, Path found, long offset)
      throws IOException {
    byte[] head = head(expected);
    if (head.length < 10 || head[0] != (byte) 0x93 || head[1] != 'N') {
      return Optional.empty();
    }
    ByteBuffer bytes = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN);
    int begin = head[6] == 1 ? 10 + (bytes.getShort(8) & 0xFFFF) : 12 + bytes.getInt(8);
    Matcher said = NPY.matcher(new String(head, 0, Math.min(head.length, begin), ISO_8859_1));
    if (offset < begin || !said.matches()) {
      return Optional.empty();
    }
    int width = Integer.parseInt(said.group(3));
    long element = (offset - begin) / width;
    ByteOrder order = said.group(1).equals(">") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    String type = said.group(2) + width;
    long at = begin + element * width;
    return Optional.of(
        "element %s is %s, undisturbed %s"
            .formatted(
                index(element, said.group(4), said.group().contains("'fortran_order': True")),
                value(found, at, width, type, order),
                value(expected, at, width, type, order)));
  }

  private static byte[] head(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(1 << 16);
    }
  }

  /** The last axis changes fastest, or in Fortran's order the first. */
  private static String index(long element, String shape, boolean fortran) {
    List<Long> extents = new ArrayList<>();
    for (String extent : shape.split(",", -1)) {
      if (!extent.isBlank()) {
        extents.add(Long.parseLong(extent.strip()));
      }
    }
    List<String> index = new ArrayList<>();
    long rest = element;
    for (long extent : fortran ? extents : extents.reversed()) {
      index.add("[" + rest % Math.max(1, extent) + "]");
      rest /= Math.max(1, extent);
    }
    return String.join("", fortran ? index : index.reversed());
  }

  private static String value(Path file, long at, int width, String type, ByteOrder order)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(bytesAt(file, at, width)).order(order);
    if (bytes.remaining() < width) {
      return "cut off";
    }
    return switch (type) {
      case "f8" -> Double.toString(bytes.getDouble());
      case "f4" -> Float.toString(bytes.getFloat());
      case "i8" -> Long.toString(bytes.getLong());
      case "i4" -> Integer.toString(bytes.getInt());
      case "i2" -> Short.toString(bytes.getShort());
      default -> "0x%02x…".formatted(bytes.get());
    };
  }

  private static byte[] bytesAt(Path file, long at, int count) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      in.skipNBytes(at);
      return in.readNBytes(count);
    }
  }

  private static int byteAt(Path file, long at) throws IOException {
    return bytesAt(file, at, 1)[0] & 0xFF;
  }
}
