// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.cairn.CorruptContainerException;
import org.cairn.ElementType;
import org.cairn.container.ForgedContainer.Claim;
import org.cairn.container.ForgedContainer.Run;
import org.cairn.hash.Hashers;
import org.cairn.hash.Xxh3;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.store.DirectoryStore;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.Catalog;
import org.cairn.version.DatasetSpec;
import org.cairn.version.RootDigest;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The root digest as a container keeps it, as a reader computes it, and as the page defines it. */
@Timeout(600)
class RootDigestTest {
  private final MemoryStore store = new MemoryStore();

  @SeededTest(seeds = 40)
  void stepByStepAndFromScratchAgreeWithTheDefinition(Random random) throws IOException {
    SmallState state = new SmallState();
    Container container = TestRun.open(store, "a.cairn", 4);
    for (int i = 1; i <= 40; i++) {
      for (int changes = random.nextInt(4); changes >= 0; changes--) {
        state.change(random);
      }
      if (random.nextInt(8) == 0 && !container.versions().isEmpty()) {
        List<VersionInfo> versions = container.versions();
        VersionInfo older = versions.get(random.nextInt(versions.size()));
        container.continueFrom(older);
        state = SmallState.read(container.view(older));
      }
      VersionInfo made = state.commit(container, TestRun.id(1, i, 1));
      BigInteger defined = defined(state);
      assertThat(number(made.digestLow(), made.digestHigh())).isEqualTo(defined);
      try (ContainerReader reader = ContainerReader.open(store, "a.cairn")) {
        // The reader has computed it from scratch, or would have refused.
        RootDigest scratch = RootDigest.of(reader.view(made.id()));
        assertThat(number(scratch.low(), scratch.high())).isEqualTo(defined);
      }
      if (random.nextInt(8) == 0) {
        container.close();
        container = TestRun.open(store, "a.cairn", 4);
        assertThat(container.problems()).isEmpty();
      }
    }
    container.close();
  }

  @SeededTest(seeds = 20)
  void slotsAndTheOrderOfDatasetsDoNotMatter(Random random) throws IOException {
    SmallState state = new SmallState();
    VersionInfo aged;
    try (Container container = TestRun.open(store, "aged.cairn", 2)) {
      for (int i = 1; i <= 15; i++) {
        state.change(random);
        state.commit(container, TestRun.id(1, i, 1));
      }
      aged = container.versions().getFirst();
    }
    try (Container container = TestRun.open(store, "fresh.cairn", 2)) {
      VersionInfo fresh = state.shuffled(random).commit(container, TestRun.id(1, 1, 1));
      assertThat(fresh.digestLow()).isEqualTo(aged.digestLow());
      assertThat(fresh.digestHigh()).isEqualTo(aged.digestHigh());
    }
  }

  @Test
  void everythingThatIsPartOfTheStateCounts() throws IOException {
    List<String> digests =
        List.of(
            digest("a", 1, List.of(300L), 128, 1),
            digest("b", 1, List.of(300L), 128, 1),
            digest("a", 9, List.of(300L), 128, 1),
            digest("a", 1, List.of(30L, 10L), 128, 1),
            digest("a", 1, List.of(300L), 256, 1),
            digest("a", 1, List.of(300L), 128, 3),
            digest("a", 1, List.of(301L), 128, 1),
            digest("a", 1, List.of(0L), 128, 1),
            digest("b", 1, List.of(0L), 128, 1),
            new RootDigest().toString());
    assertThat(digests).doesNotHaveDuplicates();
  }

  /** Of zeros. */
  private static String digest(
      String name, int type, List<Long> shape, int blockSize, int algorithm) throws IOException {
    DatasetSpec spec =
        new DatasetSpec(
            name,
            ElementType.of(type),
            shape,
            DatasetSpec.elements(shape),
            blockSize,
            Hashers.algorithm(algorithm),
            org.cairn.Codec.NONE);
    RootDigest digest = new RootDigest();
    digest.add(spec);
    digest.addZeros(RootDigest.Key.of(spec), 0, (int) spec.blocks());
    return digest.toString();
  }

  @SeededTest(seeds = 20)
  void aRunOfZerosIsTheSumOfItsBlocks(Random random) throws IOException {
    SmallState.Content content =
        new SmallState.Content(new byte[0], 128, org.cairn.HashAlgorithm.XXH3_128);
    RootDigest.Key key = RootDigest.Key.of(content.spec("n" + random.nextInt()));
    int first = random.nextInt(Integer.MAX_VALUE - 1000);
    int count = 1 + random.nextInt(999);
    RootDigest run = new RootDigest();
    run.addZeros(key, first, count);
    RootDigest single = new RootDigest();
    for (int i = count - 1; i >= 0; i--) {
      single.addZeros(key, first + i, 1);
    }
    assertThat(run).hasToString(single.toString());
    run.removeZeros(key, first, count);
    assertThat(run).hasToString(new RootDigest().toString());
  }

  @Test
  @Timeout(20)
  void claimedZerosCostNoTime(@TempDir Path directory) throws IOException {
    long bytes = (long) Integer.MAX_VALUE << 20;
    try (ForgedContainer file = new ForgedContainer(directory.resolve("a.cairn"))) {
      Pointer catalog =
          file.catalog(
              new Claim("a", 1, 1, 0, List.of(bytes), 1 << 20, bytes, 0, Integer.MAX_VALUE));
      Run zeros = Run.zeros(0, Integer.MAX_VALUE, 1 << 20);
      file.map(true, zeros);
      file.apply(true, zeros);
      file.version(1, 1, catalog);
      file.finish();
    }
    try (ContainerReader reader =
        ContainerReader.open(DirectoryStore.open(directory, false), "a.cairn")) {
      VersionView view = reader.view(TestRun.id(1, 1, 1));
      assertThat(view.datasets().iterator().next().spec().byteLength()).isEqualTo(bytes);
    }
  }

  @Test
  void aNameTwiceIsDamage() throws IOException {
    try (RecordWriter out = new RecordWriter()) {
      ForgedContainer.catalogHeader(out, 2);
      Claim.honest("a", 0, 0).write(out);
      Claim.honest("a", 0, 0).write(out);
      RecordReader in = new RecordReader(out.bytes(), "a.cairn", 0);
      assertThatThrownBy(() -> Catalog.read(in))
          .isInstanceOf(CorruptContainerException.class)
          .hasMessageContaining("two datasets are called \"a\"");
    }
  }

  // ---------------------------------------------------------------- the definition, word by word

  private static final BigInteger TWO_128 = BigInteger.ONE.shiftLeft(128);

  private static BigInteger defined(SmallState state) {
    BigInteger sum = BigInteger.ZERO;
    for (Map.Entry<String, SmallState.Content> dataset : state.datasets.entrySet()) {
      sum = sum.add(defined(dataset.getKey(), dataset.getValue()));
    }
    return sum.mod(TWO_128);
  }

  private static BigInteger defined(String name, SmallState.Content content) {
    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
    int size = content.blockSize();
    int length = content.bytes().length;
    RecordWriter what = RecordWriter.onHeap();
    what.putInt(1).putInt(content.algorithm().id()).putInt(size).putInt(1);
    what.putLong(length).putLong(length).putCounted(utf8);
    long[] term = xxh3(what.toArray());
    BigInteger sum = number(term[0], term[1]);
    RecordWriter keyed = RecordWriter.onHeap();
    long[] key = xxh3(keyed.putInt(size).putInt(content.algorithm().id()).putBytes(utf8).toArray());
    BigInteger zero = number(mix(key[0]) | 1, mix(key[1]));
    for (int block = 0; block * size < length; block++) {
      int end = Math.min(length, (block + 1) * size);
      byte[] bytes = java.util.Arrays.copyOfRange(content.bytes(), block * size, end);
      sum =
          sum.add(
              isZero(bytes)
                  ? zero.multiply(BigInteger.valueOf(block + 1))
                  : block(key, block, hash(content, bytes)));
    }
    return sum;
  }

  private static BigInteger block(long[] key, long block, long[] digest) {
    long p = (block + 1) * 0x9E3779B97F4A7C15L;
    long a = mix(digest[0] ^ mix(key[0] + p));
    long high = mix((digest[1] ^ mix(key[1] + p)) + a);
    return number(a + mix(high), high);
  }

  private static boolean isZero(byte[] bytes) {
    for (byte one : bytes) {
      if (one != 0) {
        return false;
      }
    }
    return true;
  }

  private static long[] hash(SmallState.Content content, byte[] bytes) {
    long[] digest = new long[2];
    Hashers.of(content.algorithm())
        .hash(MemorySegment.ofArray(bytes), 0, bytes.length, bytes.length, digest, 0);
    return digest;
  }

  private static long[] xxh3(byte[] bytes) {
    long[] digest = new long[2];
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
      Xxh3.digest(copy, 0, bytes.length, digest, 0);
    }
    return digest;
  }

  private static long mix(long value) {
    long x = value;
    x = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
    x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
    return x ^ (x >>> 31);
  }

  private static BigInteger number(long low, long high) {
    return new BigInteger(Long.toUnsignedString(high))
        .shiftLeft(64)
        .add(new BigInteger(Long.toUnsignedString(low)));
  }
}
