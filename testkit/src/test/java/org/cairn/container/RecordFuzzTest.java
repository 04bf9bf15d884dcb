// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.cairn.record.CorruptContainerException;
import org.cairn.record.Feature;
import org.cairn.record.Field;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.record.UnsupportedFormatException;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Timeout;

/**
 * The one target for random and mutated bytes: whatever the bytes, every reader of records answers
 * with what it read, or with one of two exceptions, and takes little memory. {@code
 * -Dcairn.iterations=x100} goes on for longer.
 */
@Timeout(300)
class RecordFuzzTest {
  private static final int MUTANTS = 60;
  private static final long MOST_BYTES = 24 << 20;

  /** Takes bytes apart. */
  private interface Parser {
    void parse(RecordReader in) throws IOException;
  }

  private record Target(byte[] valid, Parser parser) {}

  private static final Map<String, Parser> PARSERS =
      Map.of(
          "fields", in -> Fields.read(in).unknown(1, 3),
          "features", Feature::read,
          "version", VersionId::read,
          "lineage", Lineage::read,
          "ownership", Ownership::read,
          "root", Root::read,
          "catalog", Catalog::read,
          "map", in -> MapRecord.read(in, false, new BlockMap()),
          "head", in -> VersionHead.read(rest(in), "fuzz"),
          "image", in -> VersionImage.read(rest(in), "fuzz"));

  private static MemorySegment rest(RecordReader in) throws IOException {
    return MemorySegment.ofArray(in.getRest());
  }

  @SeededTest(seeds = 40)
  void anyBytesAreReadOrRefused(Random random) throws IOException {
    for (Map.Entry<String, Target> target : targets(random).entrySet()) {
      String what = target.getKey();
      Parser parser = target.getValue().parser;
      byte[] valid = target.getValue().valid;
      parser.parse(RecordReader.of(valid, "fuzz"));
      for (int i = 0; i < MUTANTS; i++) {
        attempt(what, parser, mutant(valid, random));
      }
      byte[] noise = new byte[random.nextInt(200)];
      random.nextBytes(noise);
      attempt(what, parser, noise);
    }
  }

  private static void attempt(String what, Parser parser, byte[] bytes) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    try {
      parser.parse(RecordReader.of(bytes, "fuzz"));
    } catch (CorruptContainerException | UnsupportedFormatException e) {
      assertThat(e.getMessage()).contains("fuzz");
    } catch (IOException | RuntimeException | Error e) {
      throw new AssertionError(what + " of " + Arrays.toString(bytes), e);
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before)
        .as("memory for %s of %d bytes", what, bytes.length)
        .isLessThan(MOST_BYTES);
  }

  /** Bits flipped, numbers replaced by extreme ones, pieces cut out, repeated or appended. */
  private static byte[] mutant(byte[] valid, Random random) {
    byte[] bytes = valid.clone();
    for (int i = random.nextInt(4); i >= 0 && bytes.length > 0; i--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(6)) {
        case 0 -> bytes = Arrays.copyOf(bytes, at);
        case 1 -> bytes = Arrays.copyOf(bytes, bytes.length + random.nextInt(20));
        case 2 -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 4), (byte) 0xFF);
        case 3 -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 8), (byte) 0x7F);
        case 4 -> bytes[at] = (byte) random.nextInt();
        default -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      }
    }
    return bytes;
  }

  private static Map<String, Target> targets(Random random) throws IOException {
    Map<String, byte[]> valid = new LinkedHashMap<>();
    Ownership owner = new Ownership(lineage(random), Ownership.COPY, 1, 3);
    valid.put("fields", write(out -> out.putLongField(1, 2).putIntField(3, 4)));
    valid.put(
        "features",
        write(out -> Feature.write(List.of(new Feature("a.b", 0), new Feature("c", 1)), out)));
    valid.put("version", write(TestRun.id(1, 2, 3)::write));
    valid.put("lineage", write(owner.lineage()::write));
    valid.put("ownership", write(owner::write));
    fromContainer(random, owner, valid);
    Map<String, Target> targets = new LinkedHashMap<>();
    valid.forEach(
        (name, bytes) ->
            targets.put(name, new Target(bytes, Objects.requireNonNull(PARSERS.get(name)))));
    assertThat(targets.keySet()).isEqualTo(PARSERS.keySet());
    return targets;
  }

  private static byte[] write(java.util.function.Consumer<RecordWriter> content) {
    RecordWriter out = RecordWriter.onHeap();
    content.accept(out);
    return out.toArray();
  }

  private static Lineage lineage(Random random) {
    Field later = new Field(99, new byte[random.nextInt(5)]);
    RunInfo first =
        RunInfo.of(
            new RunId(1), Instant.EPOCH, 3, Optional.empty(), false, List.of(), Optional.empty());
    RunInfo second =
        RunInfo.of(
            new RunId(random.nextLong()),
            Instant.ofEpochMilli(random.nextLong(1L << 42)),
            3,
            Optional.of(TestRun.id(1, 5, 3)),
            true,
            List.of(TestRun.id(1, 7, 3), TestRun.id(2, 3, 4)),
            Optional.of(new RunId(1)));
    return new Lineage(TestRun.lineage(3).job(), "plate-7", List.of(first, second), List.of(later));
  }

  /** The records of a container that has seen some changes. */
  private static void fromContainer(Random random, Ownership owner, Map<String, byte[]> valid)
      throws IOException {
    MemoryStore store = new MemoryStore();
    try (Container container =
        Container.open(store, "a.cairn", Retention.newest(3), owner, random::nextLong)) {
      SmallState state = new SmallState();
      for (int i = 1; i <= 5; i++) {
        state.change(random);
        state.commit(container, TestRun.id(1, i, 3));
      }
    }
    try (StoreFile file = store.open("a.cairn", Store.Access.READ);
        Arena arena = Arena.ofConfined()) {
      ContainerFile.Anchor anchor = new ContainerFile(file, "a.cairn").anchor();
      Root.Entry newest = anchor.root().versions().getLast();
      Pointer map = anchor.root().records().get(newest.lastRecord()).place();
      valid.put("root", bytes(file, anchor.superblock().root()));
      valid.put("catalog", bytes(file, newest.catalog()));
      valid.put("map", bytes(file, map));
      try (ContainerReader reader = ContainerReader.open(store, "a.cairn")) {
        VersionView view = reader.view(newest.info().id());
        valid.put("head", VersionHead.write(view, arena).toArray(ValueLayout.JAVA_BYTE));
        valid.put("image", VersionImage.of(view, arena).bytes().toArray(ValueLayout.JAVA_BYTE));
      }
    }
  }

  private static byte[] bytes(StoreFile file, Pointer place) throws IOException {
    byte[] bytes = new byte[Math.toIntExact(place.length())];
    file.read(place.offset(), MemorySegment.ofArray(bytes));
    return bytes;
  }
}
