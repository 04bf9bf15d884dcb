// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.cairn.Codec;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.hash.Hashers;
import org.cairn.hash.WeakHash;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.version.Zeros;

/** Datasets in memory that are put into containers, and compared with what comes out again. */
final class SmallState {
  private static final List<HashAlgorithm> ALGORITHMS =
      List.of(HashAlgorithm.XXH3_128, WeakHash.CRC32, HashAlgorithm.SHA_256);

  final Map<String, Content> datasets = new LinkedHashMap<>();

  /** The bytes of a dataset, and how they are cut and hashed. */
  record Content(byte[] bytes, int blockSize, HashAlgorithm algorithm) {
    DatasetSpec spec(String name) {
      return new DatasetSpec(
          name,
          ElementType.BYTE,
          List.of((long) bytes.length),
          bytes.length,
          blockSize,
          algorithm,
          Codec.NONE);
    }

    Content withBytes(byte[] other) {
      return new Content(other, blockSize, algorithm);
    }
  }

  SmallState copy() {
    SmallState copy = new SmallState();
    copy.datasets.putAll(datasets);
    return copy;
  }

  /** The same in another order. */
  SmallState shuffled(Random random) {
    List<String> names = new ArrayList<>(datasets.keySet());
    Collections.shuffle(names, random);
    SmallState shuffled = new SmallState();
    names.forEach(name -> shuffled.datasets.put(name, datasets.get(name)));
    return shuffled;
  }

  /** Grows, shrinks, renames, removes, adds or replaces something. */
  void change(Random random) {
    if (datasets.size() < 2 || random.nextInt(5) == 0) {
      datasets.put("d" + random.nextInt(8), content(random));
      return;
    }
    List<String> names = List.copyOf(datasets.keySet());
    String name = names.get(random.nextInt(names.size()));
    Content content = Objects.requireNonNull(datasets.remove(name));
    byte[] bytes = content.bytes;
    switch (random.nextInt(7)) {
      case 0 -> datasets.put(name, content.withBytes(resized(bytes, random)));
      case 1 -> datasets.put("d" + random.nextInt(8), content);
      case 2 -> datasets.put(name, new Content(bytes, blockSize(random), content.algorithm));
      case 3 -> datasets.put(name, new Content(bytes, content.blockSize, algorithm(random)));
      case 4 -> {}
      default -> datasets.put(name, content.withBytes(touched(bytes, random)));
    }
  }

  private static Content content(Random random) {
    byte[] bytes = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(4000)];
    Content fresh = new Content(bytes, blockSize(random), algorithm(random));
    return fresh.withBytes(touched(bytes, random));
  }

  private static int blockSize(Random random) {
    return 128 << random.nextInt(3);
  }

  private static HashAlgorithm algorithm(Random random) {
    return ALGORITHMS.get(random.nextInt(ALGORITHMS.size()));
  }

  private static byte[] resized(byte[] bytes, Random random) {
    return Arrays.copyOf(bytes, random.nextInt(2 * bytes.length + 200));
  }

  private static byte[] touched(byte[] bytes, Random random) {
    byte[] next = bytes.clone();
    for (int i = random.nextInt(8); i >= 0 && next.length > 0; i--) {
      int from = random.nextInt(next.length);
      int to = Math.min(next.length, from + random.nextInt(600));
      Arrays.fill(next, from, to, (byte) (random.nextBoolean() ? 0 : random.nextInt()));
    }
    return next;
  }

  // ---------------------------------------------------------------- in and out of containers

  VersionInfo commit(Container container, VersionId id) throws IOException {
    return begin(container, id).publish();
  }

  /** All of it is stored, nothing published. */
  Commit begin(Container container, VersionId id) throws IOException {
    Commit commit = container.begin(id, Instant.EPOCH);
    try (Arena arena = Arena.ofConfined()) {
      StagedBlocks staged = new StagedBlocks(arena.allocate(4 << 20, 64));
      for (Map.Entry<String, Content> dataset : datasets.entrySet()) {
        Content content = dataset.getValue();
        stage(commit.plan(content.spec(dataset.getKey())), content, staged);
      }
      commit.store(staged, 0);
    }
    return commit;
  }

  private static void stage(DatasetPlan plan, Content content, StagedBlocks staged) {
    long[] digest = new long[2];
    for (int block = 0; block < plan.entry().blocks(); block++) {
      int length = plan.entry().blockLength(block);
      MemorySegment bytes =
          MemorySegment.ofArray(content.bytes).asSlice((long) block * content.blockSize, length);
      Hashers.of(content.algorithm).hash(bytes, 0, length, length, digest, 0);
      boolean clean = plan.isComparable(block) && plan.isClean(block, digest[0], digest[1]);
      if (!clean) {
        plan.changed(block);
      } else if (!plan.takeToMove(block)) {
        continue;
      }
      int slot = plan.entry().slotOf(block);
      if (Zeros.isZero(bytes, 0, length)) {
        staged.addZero(slot, length);
      } else {
        MemorySegment.copy(bytes, 0, staged.memory(), staged.used(), length);
        staged.addRaw(slot, length, digest[0], digest[1]);
      }
    }
  }

  /** What a version holds. */
  static SmallState read(VersionView view) throws IOException {
    SmallState state = new SmallState();
    try (BlockReader reader = new BlockReader(view)) {
      for (DatasetEntry dataset : view.datasets()) {
        DatasetSpec spec = dataset.spec();
        byte[] bytes = new byte[Math.toIntExact(spec.byteLength())];
        for (int block = 0; block < dataset.blocks(); block++) {
          if (!view.isZero(dataset, block)) {
            MemorySegment.copy(
                reader.readStored(dataset, block).bytes(),
                0,
                MemorySegment.ofArray(bytes),
                (long) block * spec.blockSize(),
                dataset.blockLength(block));
          }
        }
        state.datasets.put(spec.name(), new Content(bytes, spec.blockSize(), spec.algorithm()));
      }
    }
    return state;
  }

  /** By content, whatever the order. */
  @Override
  public boolean equals(Object other) {
    return other instanceof SmallState that && describe().equals(that.describe());
  }

  @Override
  public int hashCode() {
    return describe().hashCode();
  }

  private Map<String, String> describe() {
    Map<String, String> all = new java.util.TreeMap<>();
    datasets.forEach(
        (name, content) ->
            all.put(
                name,
                "%d bytes, %d, in blocks of %d, %s"
                    .formatted(
                        content.bytes.length,
                        Arrays.hashCode(content.bytes),
                        content.blockSize,
                        content.algorithm)));
    return all;
  }

  @Override
  public String toString() {
    return describe().toString();
  }
}
