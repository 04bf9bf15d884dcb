// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static org.assertj.core.api.Assertions.assertThat;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.cairn.Checkpointer;
import org.cairn.Checkpoints;
import org.cairn.Codec;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.Options;
import org.cairn.Strategy;
import org.cairn.record.Digest;
import org.cairn.store.DirectoryStore;
import org.cairn.testkit.random.Seeds;
import org.cairn.version.DatasetSpec;
import org.cairn.version.RootDigest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A digest that comes out wrong once is no damage. */
@Tag("vectors")
class SecondOpinionTest {
  private static final int BLOCK = 512;

  // ---------------------------------------------------------------- the twin

  @Test
  void theTwinGivesTheDigestsOfTheDefinition() {
    Random random = Seeds.content(11);
    IntStream lengths =
        IntStream.concat(
            IntStream.rangeClosed(0, 600),
            IntStream.of(1023, 1024, 1025, 1088, 1089, 2047, 2048, 2049, 5000, 100_003));
    lengths.forEach(
        length -> {
          byte[] bytes = new byte[length];
          random.nextBytes(bytes);
          for (Memory memory : new Memory[] {Memory.NATIVE, Memory.BYTES}) {
            long[] digest = new long[2];
            ReferenceXxh3.digest(memory.holding(bytes, 3), 3, length, digest);
            HashValue128 value = Hashing.xxh3_128().hashBytesTo128Bits(bytes);
            assertThat(digest)
                .as("%d bytes", length)
                .containsExactly(value.getLeastSignificantBits(), value.getMostSignificantBits());
          }
        });
  }

  // ---------------------------------------------------------------- what it is asked

  private static long[] digest(HashAlgorithm algorithm, MemorySegment bytes) {
    long[] digest = new long[2];
    int length = (int) bytes.byteSize();
    Hashers.of(algorithm).hash(bytes, 0, length, length, digest, 0);
    return digest;
  }

  private static boolean isIntact(
      HashAlgorithm algorithm, MemorySegment bytes, long[] found, long[] expected) {
    return SecondOpinion.isIntact(
        algorithm, bytes, 0, bytes.byteSize(), found[0], found[1], expected[0], expected[1]);
  }

  @Test
  void whatAgreesCounts() {
    MemorySegment bytes = Memory.BYTES.allocate(16);
    for (HashAlgorithm algorithm : WeakHash.withStrong()) {
      long[] right = digest(algorithm, bytes);
      long[] wrong = {right[0] ^ 1 << 7, right[1]};
      long[] other = {right[0], right[1] ^ 1};
      assertTold(1, () -> isIntact(algorithm, bytes, wrong, right), true);
      assertTold(0, () -> isIntact(algorithm, bytes, right, wrong), false);
      assertTold(1, () -> isIntact(algorithm, bytes, wrong, other), false);
    }
  }

  /** Asks, and looks how many digests were told to be wrong meanwhile. */
  private static void assertTold(int times, BooleanSupplier question, boolean answer) {
    long before = SecondOpinion.miscomputed();
    PrintStream console = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      assertThat(question.getAsBoolean()).isEqualTo(answer);
    } finally {
      System.setErr(console);
    }
    assertThat(SecondOpinion.miscomputed() - before).isEqualTo(times);
    if (times > 0 && before < 10) {
      assertThat(log.toString(StandardCharsets.UTF_8)).contains("MISCOMPUTES");
    }
  }

  @Test
  void aChecksumIsThatOfItsBytesAndOfNoOthers() {
    MemorySegment bytes = Memory.BYTES.allocate(16);
    assertThat(Digest.of(bytes).isOf(bytes)).isTrue();
    assertTold(0, () -> Digest.of(bytes).isOf(bytes.asSlice(1)), false);
  }

  @Test
  void aRootDigestThatComesOutWrongOnceHolds() {
    DatasetSpec spec = spec("velocity");
    RootDigest right = new RootDigest();
    putIn(right, spec);
    Digest told = new Digest(right.low(), right.high());
    AtomicInteger asked = new AtomicInteger();
    assertTold(
        1,
        () ->
            RootDigest.holds(
                digest -> putIn(digest, asked.getAndIncrement() == 0 ? spec("velocitx") : spec),
                told),
        true);
    assertThat(asked).hasValue(2);
    assertTold(0, () -> RootDigest.holds(digest -> putIn(digest, spec("velocitx")), told), false);
  }

  private static void putIn(RootDigest digest, DatasetSpec spec) {
    digest.add(spec);
    RootDigest.Key key = digest.key(spec);
    digest.add(key, 0, 5, 6);
    digest.addZeros(key, 1, 3);
  }

  private static DatasetSpec spec(String name) {
    return new DatasetSpec(
        name, ElementType.BYTE, List.of(512L), 512, 128, HashAlgorithm.XXH3_128, Codec.NONE);
  }

  // ---------------------------------------------------------------- a hasher that lies once

  /** Computes a wrong digest when it is first asked for one of certain bytes. */
  private static final class Liar implements BlockHasher {
    private final BlockHasher honest = Hashers.of(HashAlgorithm.XXH3_128);
    private final byte[] victim;
    private int lies;

    Liar(byte[] victim) {
      this.victim = victim;
    }

    @Override
    public HashAlgorithm algorithm() {
      return honest.algorithm();
    }

    @Override
    public synchronized void hash(
        MemorySegment data, long offset, long length, int blockSize, long[] digests, int at) {
      honest.hash(data, offset, length, blockSize, digests, at);
      for (int i = 0; (long) i * blockSize < length && lies == 0; i++) {
        long from = offset + (long) i * blockSize;
        long to = Math.min(from + blockSize, offset + length);
        MemorySegment block = MemorySegment.ofArray(victim);
        if (MemorySegment.mismatch(data, from, to, block, 0, victim.length) < 0) {
          digests[2 * (at + i) + 1] ^= 1L << 33;
          lies++;
        }
      }
    }
  }

  /** What a program does while one digest of it comes out wrong. */
  private enum Doing {
    RESTART {
      @Override
      void run(DirectoryStore store, Path dir, Options options, byte[] state) throws Exception {
        byte[] again = new byte[state.length];
        try (Checkpointer cairn = Checkpointer.open(store, options)) {
          cairn.protect("state", again);
          assertThat(cairn.restart().version()).isPresent();
        }
        assertThat(again).isEqualTo(state);
      }
    },
    READ {
      @Override
      void run(DirectoryStore store, Path dir, Options options, byte[] state) throws Exception {
        try (Checkpoints saved = Checkpoints.open(dir)) {
          assertThat(saved.newest().read("state").bytes()).isEqualTo(state);
        }
      }
    };

    abstract void run(DirectoryStore store, Path dir, Options options, byte[] state)
        throws Exception;
  }

  @ParameterizedTest
  @EnumSource
  void aBlockWhoseDigestComesOutWrongOnceIsIntact(Doing doing, @TempDir Path dir) throws Exception {
    byte[] state = new byte[20 * BLOCK];
    new Random(5).nextBytes(state);
    DirectoryStore store = DirectoryStore.open(dir, true);
    Options options = Options.defaults().blockSize(BLOCK).strategy(Strategy.DIFFERENTIAL);
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      cairn.protect("state", state);
      cairn.checkpoint();
    }
    byte[] victim = Arrays.copyOfRange(state, 7 * BLOCK, 8 * BLOCK);
    Liar liar = new Liar(victim);
    Hashers.HASHERS.put(HashAlgorithm.XXH3_128, liar);
    try {
      assertTold(
          1,
          () -> {
            try {
              doing.run(store, dir, options, state);
              return true;
            } catch (Exception e) {
              throw new AssertionError(e);
            }
          },
          true);
    } finally {
      Hashers.HASHERS.put(HashAlgorithm.XXH3_128, liar.honest);
    }
    assertThat(liar.lies).isEqualTo(1);
  }
}
