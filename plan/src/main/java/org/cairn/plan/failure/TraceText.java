// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/**
 * The text of a file that somebody hands over as a trace. Whatever is wrong with the file as such
 * is found here, so that what reads the text can speak of columns and lines only.
 */
final class TraceText {
  private TraceText() {}

  /** The text in UTF-8, unpacked if it is gzipped, without a byte order mark. */
  static String of(Path file) {
    byte[] bytes = bytes(file);
    if (bytes.length == 0) {
      throw new IllegalArgumentException(file + " is empty; a trace begins with a line of columns");
    }
    String text = decode(file, bytes);
    return text.startsWith("\uFEFF") ? text.substring(1) : text;
  }

  private static byte[] bytes(Path file) {
    if (Files.isDirectory(file)) {
      throw new IllegalArgumentException(file + " is a directory; give the file of the trace");
    }
    if (!Files.exists(file)) {
      throw new IllegalArgumentException("there is no file " + file);
    }
    try {
      byte[] bytes = Files.readAllBytes(file);
      return isGzip(bytes) ? unpack(file, bytes) : bytes;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  private static boolean isGzip(byte[] bytes) {
    return bytes.length > 2 && (bytes[0] & 0xff) == 0x1f && (bytes[1] & 0xff) == 0x8b;
  }

  private static byte[] unpack(Path file, byte[] bytes) {
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          file + " begins as gzip does, but cannot be unpacked: " + e.getMessage(), e);
    }
  }

  /** Strict: a wrong byte replaced in silence could be part of a number. */
  private static String decode(Path file, byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    CoderResult result = StandardCharsets.UTF_8.newDecoder().decode(in, out, true);
    String text = out.flip().toString();
    int zero = text.indexOf('\0');
    if (zero >= 0) {
      throw notText(file, lineAt(text, zero), "a zero byte");
    }
    if (result.isError()) {
      String found = "byte 0x%02x, which is not UTF-8".formatted(bytes[in.position()] & 0xff);
      throw notText(file, lineAt(text, text.length()), found);
    }
    return text;
  }

  private static IllegalArgumentException notText(Path file, int line, String found) {
    return new IllegalArgumentException(
        file + ", line " + line + ": " + found + "; a trace is CSV, a text in UTF-8");
  }

  private static int lineAt(String text, int end) {
    return 1 + (int) text.chars().limit(end).filter(c -> c == '\n').count();
  }
}
