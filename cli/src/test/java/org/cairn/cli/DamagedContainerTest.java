// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.cairn.Checkpointer;
import org.cairn.Codec;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever happens to a file: every command ends with a clear line, and no wrong data comes out.
 */
@Tag("slow")
class DamagedContainerTest {
  /** A prime, so that the places that are hit differ from structure to structure. */
  private static final int STRIDE = 211;

  @TempDir Path temp;
  private Path file;
  private byte[] whole;
  private final List<byte[]> states = new ArrayList<>();

  @BeforeEach
  void writeContainer() throws IOException {
    int[] counts = new int[300];
    byte[] noise = new byte[2500];
    new Random(4).nextBytes(noise);
    try (Checkpointer cairn = Checkpointer.open(temp)) {
      cairn.protect("counts", counts).blockSize(256).codec(Codec.DEFLATE);
      cairn.protect("noise", noise).blockSize(512);
      for (int version = 1; version <= 3; version++) {
        counts[version * 50] = version;
        noise[version * 600]++;
        cairn.checkpoint();
        states.add(noise.clone());
      }
    }
    file = temp.resolve("rank0.cairn");
    whole = Files.readAllBytes(file);
  }

  @Test
  void flippedBytes() throws IOException {
    int found = 0;
    for (int offset = 0; offset < whole.length; offset += STRIDE) {
      Files.write(file, whole);
      Damage.flip(file, offset);
      found += look("byte " + offset + " flipped") ? 1 : 0;
    }
    assertThat(found).as("damage that verify has found").isPositive();
  }

  @Test
  void truncatedFiles() throws IOException {
    for (int size = 0; size < whole.length; size += 5 * STRIDE) {
      Files.write(file, whole);
      Damage.truncate(file, size);
      look("cut to " + size);
    }
  }

  @SeededTest(seeds = 1)
  void overwrittenFiles(long seed) throws IOException {
    Random random = new Random(seed);
    for (int i = 0; i < 40; i++) {
      byte[] spoiled = whole.clone();
      byte[] noise = new byte[random.nextInt(1, 2000)];
      random.nextBytes(noise);
      int at = random.nextInt(whole.length - noise.length);
      System.arraycopy(noise, 0, spoiled, at, noise.length);
      Files.write(file, spoiled);
      look("seed " + seed + ", turn " + i);
    }
  }

  /** Whether verify finds damage. */
  private boolean look(String what) throws IOException {
    Cli.Result verify = run(what, "verify", temp);
    run(what, "ls", temp);
    run(what, "show", temp);
    run(what, "diff", temp, "1.2", "1.3");
    Path out = temp.resolve("noise.raw");
    Files.deleteIfExists(out);
    if (run(what, "export", temp, "--format", "raw", "--dataset", "noise", "--file", out).exitCode()
        == 0) {
      byte[] exported = Files.readAllBytes(out);
      assertThat(states).as(what).anyMatch(state -> Arrays.equals(state, exported));
    }
    return verify.exitCode() == 1;
  }

  private static Cli.Result run(String what, Object... arguments) {
    Cli.Result result = Cli.run(arguments);
    String context = what + ": " + List.of(arguments) + "\n" + result.out() + result.err();
    assertThat(result.exitCode()).as(context).isIn(0, 1);
    if (result.exitCode() == 1) {
      assertThat(result.err()).as(context).isNotBlank();
    }
    assertThat(result.err())
        .as(context)
        .doesNotContain(
            "NullPointer", "IndexOutOf", "Arithmetic", "Cast", "OutOfMemory", "--debug");
    return result;
  }
}
