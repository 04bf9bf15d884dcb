// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code .npy} files, strictly, with code that shares nothing with the writer. */
record Npy(String type, String shape, ByteBuffer elements) {
  private static final Pattern DICTIONARY =
      Pattern.compile(
          "\\{'descr': '([<|][a-z][0-9])', 'fortran_order': False, "
              + "'shape': (\\([0-9, ]*\\)), } *\n");

  static Npy read(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    byte[] magic = new byte[6];
    bytes.get(magic);
    require(new String(magic, 1, 5, US_ASCII).equals("NUMPY") && magic[0] == (byte) 0x93, "magic");
    byte major = bytes.get();
    require(bytes.get() == 0 && (major == 1 || major == 2), "version");
    byte[] dictionary = new byte[major == 1 ? bytes.getShort() & 0xFFFF : bytes.getInt()];
    bytes.get(dictionary);
    require(bytes.position() % 64 == 0, "alignment");
    Matcher matcher = DICTIONARY.matcher(new String(dictionary, US_ASCII));
    require(matcher.matches(), "dictionary " + new String(dictionary, US_ASCII));
    return new Npy(
        matcher.group(1), matcher.group(2), bytes.slice().order(ByteOrder.LITTLE_ENDIAN));
  }

  private static void require(boolean holds, String what) throws IOException {
    if (!holds) {
      throw new IOException("no .npy file: " + what);
    }
  }
}
