// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.fasterxml.jackson.annotation.JsonValue;
import java.io.PrintStream;
import org.cairn.pack.PackName;

/**
 * A line that {@code sha256sum -c} reads: bytes, for a name may be no text. If the name has to be
 * escaped there is a mark before the line.
 *
 * @param bytes a character for each byte
 */
record CheckLine(String bytes) {
  private static final int SHA256_DIGITS = 64;

  static CheckLine of(String sha, PackName name) {
    String escaped = name.bytes().replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
    return new CheckLine((escaped.equals(name.bytes()) ? "" : "\\") + sha + "  " + escaped);
  }

  /** For those who read JSON, which has the name beside it. */
  @JsonValue
  String sha256() {
    int start = bytes.startsWith("\\") ? 1 : 0;
    return bytes.substring(start, start + SHA256_DIGITS);
  }

  void print(PrintStream out) {
    out.writeBytes((bytes + "\n").getBytes(ISO_8859_1));
  }
}
