// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The name of a file in a pack: bytes, as systems have them, in whatever encoding; parts are
 * separated by {@code /}.
 *
 * @param bytes a character for each byte
 */
public record PackName(String bytes) implements Comparable<PackName> {
  private static final int MOST = 4096;

  /**
   * Refuses a name that leads out of the folder it is unpacked to, or nowhere.
   *
   * @throws IllegalArgumentException which says why
   */
  public PackName {
    if (bytes.isEmpty() || bytes.length() > MOST || bytes.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "a name of %d bytes, or with a zero byte".formatted(bytes.length()));
    }
    for (String part : bytes.split("/", -1)) {
      if (part.isEmpty() || part.equals(".") || part.equals("..")) {
        throw new IllegalArgumentException(
            "\"%s\" is no name within a folder".formatted(display(bytes)));
      }
    }
  }

  /** The name that was read from a file. */
  static PackName of(byte[] raw) {
    return new PackName(new String(raw, ISO_8859_1));
  }

  /**
   * The name of a file below a folder.
   *
   * @throws IllegalArgumentException if it is not below it
   */
  public static PackName of(Path folder, Path file) {
    byte[] whole = raw(file);
    byte[] above = raw(folder);
    int skip = above.length > 0 && above[above.length - 1] == '/' ? above.length : above.length + 1;
    if (whole.length <= skip
        || !Arrays.equals(above, 0, above.length, whole, 0, above.length)
        || whole[skip - 1] != '/') {
      throw new IllegalArgumentException(file + " is not below " + folder);
    }
    return of(Arrays.copyOfRange(whole, skip, whole.length));
  }

  /** The bytes of a path as the system's own functions want them. */
  static byte[] zeroEnded(Path path) {
    byte[] raw = raw(path);
    return Arrays.copyOf(raw, raw.length + 1);
  }

  /** The bytes of a path: only its URI has those that are no text. */
  private static byte[] raw(Path path) {
    String escaped = path.toAbsolutePath().normalize().toUri().getRawPath();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < escaped.length(); i++) {
      char c = escaped.charAt(i);
      if (c == '%') {
        bytes.write(Integer.parseInt(escaped, i + 1, i + 3, 16));
        i += 2;
      } else {
        bytes.write(c);
      }
    }
    byte[] raw = bytes.toByteArray();
    boolean slash = raw.length > 1 && raw[raw.length - 1] == '/';
    return slash ? Arrays.copyOf(raw, raw.length - 1) : raw;
  }

  /**
   * Where the file belongs below a folder.
   *
   * @throws IOException if the folder's system has no such name
   */
  public Path below(Path folder) throws IOException {
    StringBuilder escaped = new StringBuilder();
    String above = folder.toAbsolutePath().normalize().toUri().getRawPath();
    escaped.append(above).append(above.endsWith("/") ? "" : "/");
    escaped.append(escaped());
    try {
      return Path.of(URI.create("file://" + escaped));
    } catch (IllegalArgumentException e) {
      throw new IOException("no file can be called \"%s\" here".formatted(this), e);
    }
  }

  /** The folders that it is in, the innermost first; none if it has one part only. */
  List<PackName> folders() {
    List<PackName> folders = new ArrayList<>();
    for (int end = bytes.lastIndexOf('/'); end > 0; end = bytes.lastIndexOf('/', end - 1)) {
      folders.add(new PackName(bytes.substring(0, end)));
    }
    return folders;
  }

  byte[] raw() {
    return bytes.getBytes(ISO_8859_1);
  }

  @Override
  public int compareTo(PackName other) {
    return bytes.compareTo(other.bytes);
  }

  /** Whether its bytes are text: UTF-8. */
  public boolean isText() {
    return Arrays.equals(text().getBytes(UTF_8), raw());
  }

  /**
   * As text that is no other file's: what is no UTF-8 is written with {@code %} and two hexadecimal
   * digits for each byte that is no letter, digit, or one of {@code /._-}.
   */
  public String readable() {
    return isText() ? text() : escaped();
  }

  private String escaped() {
    StringBuilder escaped = new StringBuilder();
    for (byte b : raw()) {
      boolean plain = b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9';
      if (plain || b == '/' || b == '.' || b == '-' || b == '_') {
        escaped.append((char) b);
      } else {
        escaped.append("%%%02X".formatted(b & 0xFF));
      }
    }
    return escaped.toString();
  }

  /** As text, whatever is in it; what is no UTF-8 becomes a question mark. */
  public String text() {
    return new String(raw(), UTF_8);
  }

  /** For people, on one line: what cannot be seen becomes a question mark. */
  @Override
  public String toString() {
    return display(bytes);
  }

  private static String display(String bytes) {
    String text = new String(bytes.getBytes(ISO_8859_1), UTF_8);
    return text.codePoints()
        .collect(
            StringBuilder::new,
            (out, c) -> out.appendCodePoint(Character.isISOControl(c) ? '?' : c),
            StringBuilder::append)
        .toString();
  }
}
