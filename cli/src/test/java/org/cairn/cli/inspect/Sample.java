// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;

/**
 * Checkpoints to look at: {@code u}, 64 KiB of random doubles in four blocks, and {@code step}.
 * Each version but the first changes one block of {@code u}: 1.2 changes block 1, 1.3 block 2 and
 * so on.
 */
final class Sample {
  static final int DOUBLES = 8192;
  static final int PER_BLOCK = 2048;

  private Sample() {}

  /** One version with so many small blocks of which each is damaged. */
  static void writeRuined(Path directory, int blocks) throws IOException {
    byte[] u = new byte[128 * blocks];
    new Random(2).nextBytes(u);
    // With one thread, blocks lie in the file in their order.
    try (Checkpointer cairn = Checkpointer.open(directory, Options.defaults().threads(1))) {
      cairn.protect("u", u).blockSize(128);
      cairn.checkpoint();
    }
    Path file = directory.resolve("rank0.cairn");
    byte[] bytes = Files.readAllBytes(file);
    int at = 0;
    while (bytes[at] != u[0] || !Arrays.equals(bytes, at, at + 128, u, 0, 128)) {
      at++;
    }
    Arrays.fill(bytes, at, at + u.length, (byte) 1);
    Files.write(file, bytes);
  }

  static void write(Path directory, int versions) {
    write(directory, versions, Options.defaults().retain(10));
  }

  static void write(Path directory, int versions, Options options) {
    double[] u = new Random(1).doubles(DOUBLES).toArray();
    try (Checkpointer cairn = Checkpointer.open(directory, options)) {
      LongCell step = cairn.protect("step", 0L);
      cairn.protect("u", u);
      for (int i = 0; i < versions; i++) {
        u[i % 4 * PER_BLOCK + 5] += i;
        step.increment();
        cairn.checkpoint();
      }
    }
  }
}
