// SPDX-License-Identifier: Apache-2.0
package org.cairn.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.cairn.Checkpoint;
import org.cairn.CheckpointFailedException;
import org.cairn.CheckpointStats;
import org.cairn.Checkpointer;
import org.cairn.Codec;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.Options;
import org.cairn.RestartRequest;
import org.cairn.Strategy;
import org.cairn.hash.WeakHash;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Memory of a device: what is hashed, gathered, copied, and what becomes of all that goes wrong.
 */
class DeviceDatasetTest {
  private static final int BLOCK = 1024;
  private static final int BYTES = 300 * BLOCK + 24;
  private static final Options OPTIONS =
      Options.defaults().blockSize(BLOCK).threads(2).strategy(Strategy.DIFFERENTIAL);

  private final HostDevice device = HostDevice.ONLY;
  private MemoryStore store = new MemoryStore();

  @AfterEach
  void nothingIsLeft() {
    assertThat(device.registered()).as("memory that is still registered").isZero();
    device.reset();
  }

  private long allocate(byte[] content) {
    long pointer = device.allocate(content.length).pointer();
    write(pointer, 0, content);
    return pointer;
  }

  private void write(long pointer, int at, byte[] content) {
    MemorySegment.copy(
        MemorySegment.ofArray(content),
        0,
        device.at(pointer + at, content.length),
        0,
        content.length);
  }

  private byte[] read(long pointer, int bytes) {
    return device.at(pointer, bytes).toArray(ValueLayout.JAVA_BYTE);
  }

  private static byte[] noise(Random random) {
    byte[] content = new byte[BYTES];
    random.nextBytes(content);
    return content;
  }

  private Checkpointer open(Options options) {
    return Checkpointer.open(store, options);
  }

  /** What a restart brings to memory of a device. */
  private byte[] restored(Options options) {
    long pointer = allocate(new byte[BYTES]);
    try (Checkpointer cairn = open(options)) {
      cairn.protectDevice("field", pointer, BYTES, ElementType.DOUBLE);
      assertThat(cairn.restart().restored()).containsExactly("field");
    }
    byte[] found = read(pointer, BYTES);
    device.free(pointer);
    return found;
  }

  @Test
  void onlyChangedBlocksAreCopied() {
    byte[] content = noise(Seeds.content(1));
    long pointer = allocate(content);
    try (Checkpointer cairn = open(OPTIONS)) {
      cairn.protectDevice("field", pointer, BYTES, ElementType.DOUBLE);
      CheckpointStats first = cairn.checkpoint().stats().orElseThrow();
      assertThat(first.dirtyBlocks()).isEqualTo(301);
      content[5 * BLOCK]++;
      content[BYTES - 1]++;
      write(pointer, 0, content);
      long before = device.copiedOut();
      CheckpointStats second = cairn.checkpoint().stats().orElseThrow();
      assertThat(second.dirtyBlocks()).isEqualTo(2);
      assertThat(device.copiedOut() - before).isLessThanOrEqualTo(2 * BLOCK);
    }
    assertThat(device.taken()).as("buffers of the device are given back").isEqualTo(BYTES);
    assertThat(restored(OPTIONS)).isEqualTo(content);
  }

  @Test
  void theFirstCheckpointAfterARestartIsDifferential() {
    byte[] content = noise(Seeds.content(2));
    save(content, OPTIONS);
    long pointer = allocate(new byte[BYTES]);
    try (Checkpointer cairn = open(OPTIONS)) {
      cairn.protectDevice("field", pointer, BYTES, ElementType.DOUBLE, 17);
      cairn.restart();
      assertThat(cairn.checkpoint().stats().orElseThrow().dirtyBlocks()).isZero();
    }
  }

  private void save(byte[] content, Options options) {
    long pointer = allocate(content);
    try (Checkpointer cairn = open(options)) {
      cairn.protectDevice("field", pointer, BYTES, ElementType.DOUBLE);
      cairn.checkpoint();
    }
    device.free(pointer);
  }

  @Test
  void containersDoNotTellWhereADatasetWas() {
    byte[] content = noise(Seeds.content(3));
    save(content, OPTIONS);
    double[] array = new double[BYTES / 8];
    try (Checkpointer cairn = open(OPTIONS)) {
      cairn.protect("field", array);
      cairn.restart();
      assertThat(cairn.checkpoint().stats().orElseThrow().dirtyBlocks()).isZero();
      array[7] = 1;
      cairn.checkpoint();
    }
    byte[] expected = new byte[BYTES];
    MemorySegment.copy(MemorySegment.ofArray(array), 0, MemorySegment.ofArray(expected), 0, BYTES);
    assertThat(restored(OPTIONS)).isEqualTo(expected);
  }

  /** The program goes on to compute as soon as the call returns; nothing of that is saved. */
  @SeededTest(seeds = 3)
  void anAsynchronousCheckpointHasWhatWasThereWhenItBegan(Random random) {
    Options small = OPTIONS.asynchronous(true).staging(2 << 20).buffer(2 << 20);
    byte[] content = noise(random);
    long pointer = allocate(content);
    try (Checkpointer cairn = open(small)) {
      cairn.protectDevice("field", pointer, BYTES, ElementType.DOUBLE);
      byte[] before = content;
      for (int i = 0; i < 4; i++) {
        before = content.clone();
        Checkpoint checkpoint = cairn.checkpointAsync();
        for (int j = 0; j < 20; j++) {
          content[random.nextInt(BYTES)]++;
        }
        write(pointer, 0, content);
        checkpoint.await();
      }
      content = before;
    }
    assertThat(device.taken()).isEqualTo(BYTES);
    assertThat(restored(small)).isEqualTo(content);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void blocksAreGatheredInPiecesWhereTheDeviceHasLittleRoom(boolean asynchronous) {
    int bytes = 5 << 20;
    byte[] content = new byte[bytes];
    Seeds.content(4).nextBytes(content);
    long pointer = allocate(content);
    device.limit(bytes + (1 << 20) + 17);
    try (Checkpointer cairn = open(OPTIONS.asynchronous(asynchronous))) {
      cairn.protectDevice("field", pointer, bytes, ElementType.BYTE);
      cairn.checkpoint().await();
      assertThat(device.gathers()).isGreaterThanOrEqualTo(5);
    }
    byte[] array = new byte[bytes];
    try (Checkpointer cairn = open(OPTIONS)) {
      cairn.protect("field", array);
      cairn.restart();
    }
    assertThat(array).isEqualTo(content);
  }

  @Test
  void withoutAnyRoomACheckpointFailsAndSaysWhatHelps() {
    long pointer = allocate(noise(Seeds.content(5)));
    try (Checkpointer cairn = open(OPTIONS)) {
      cairn.protectDevice("field", pointer, BYTES, ElementType.DOUBLE);
      device.limit(BYTES + BLOCK);
      assertThatThrownBy(cairn::checkpoint)
          .isInstanceOf(CheckpointFailedException.class)
          .hasMessageContaining("dataset \"field\"")
          .hasMessageContaining("CUDA_ERROR_OUT_OF_MEMORY; free some memory");
      device.limit(1 << 30);
      assertThat(cairn.checkpoint().stats().orElseThrow().dirtyBlocks()).isEqualTo(301);
    }
  }

  @Test
  void aDeviceThatComputesWrongDigestsIsNotBelieved() {
    byte[] content = noise(Seeds.content(6));
    long pointer = allocate(content);
    device.lieFrom(0);
    try (Checkpointer cairn = open(OPTIONS)) {
      cairn.protectDevice("field", pointer, BYTES, ElementType.DOUBLE);
      cairn.checkpoint();
      content[9 * BLOCK]++;
      write(pointer, 0, content);
      CheckpointStats second = cairn.checkpoint().stats().orElseThrow();
      assertThat(second.dirtyBlocks()).as("hashed by the processor").isEqualTo(1);
    }
    device.lieFrom(Long.MAX_VALUE);
    assertThat(restored(OPTIONS)).isEqualTo(content);
  }

  /** Digests that became wrong after they were compared are found by who writes. */
  @Test
  void noWrongDigestIsStored() {
    byte[] content = noise(Seeds.content(7));
    long pointer = allocate(content);
    try (Checkpointer cairn = open(OPTIONS)) {
      cairn.protectDevice("field", pointer, BYTES, ElementType.DOUBLE);
      cairn.checkpoint();
      device.lieFrom(0);
      assertThatThrownBy(cairn::checkpoint)
          .isInstanceOf(CheckpointFailedException.class)
          .hasMessageContaining("of dataset \"field\" changed while it was saved");
    }
    device.lieFrom(Long.MAX_VALUE);
    assertThat(restored(OPTIONS)).isEqualTo(content);
  }

  @Test
  void memoryThatTheProgramFreedFailsTheCheckpointAndTheLastGoodOneStays() {
    byte[] content = noise(Seeds.content(8));
    long pointer = allocate(content);
    try (Checkpointer cairn = open(OPTIONS)) {
      cairn.protectDevice("field", pointer, BYTES, ElementType.DOUBLE);
      cairn.checkpoint();
      device.free(pointer);
      assertThatThrownBy(cairn::checkpoint)
          .isInstanceOf(CheckpointFailedException.class)
          .hasMessageContaining("dataset \"field\"")
          .hasMessageContaining("unprotect it before it is freed");
    }
    assertThat(restored(OPTIONS)).isEqualTo(content);
  }

  /** The n-th call of the device fails, for every n, once or for good. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void whateverCallFailsTheLastGoodVersionStays(int kind) {
    Options options = OPTIONS.asynchronous((kind & 1) == 1);
    boolean andBeLost = (kind & 2) == 2;
    for (int call = 0; ; call++) {
      MemoryStore fresh = new MemoryStore();
      byte[] good = noise(Seeds.content(call));
      byte[] next = good.clone();
      Arrays.fill(next, 3 * BLOCK, 9 * BLOCK, (byte) call);
      long pointer = allocate(good);
      boolean failed;
      boolean durable = true;
      try (Checkpointer cairn = Checkpointer.open(fresh, options)) {
        cairn.protectDevice("field", pointer, BYTES, ElementType.DOUBLE);
        cairn.checkpoint().await();
        write(pointer, 0, next);
        device.failAt(call, andBeLost);
        try {
          cairn.checkpoint().await();
        } catch (CheckpointFailedException e) {
          assertThat(e).hasMessageContaining("dataset \"field\"");
          durable = false;
        }
        failed = device.hasFailed();
        device.failAt(-1, false);
      }
      assertThat(device.taken()).as("call %d, memory of the device", call).isEqualTo(BYTES);
      byte[] array = new byte[BYTES];
      try (Checkpointer cairn = Checkpointer.open(fresh, options)) {
        cairn.protect("field", MemorySegment.ofArray(array), ElementType.DOUBLE);
        cairn.restart();
      }
      assertThat(array).as("call %d", call).isEqualTo(durable ? next : good);
      device.free(pointer);
      if (!failed) {
        assertThat(call).as("calls of a checkpoint").isGreaterThan(5);
        return;
      }
    }
  }

  /** A restart that fails is told; the next one finds everything as it was. */
  @Test
  void whateverCallFailsInARestartTheNextOneSucceeds() {
    byte[] content = noise(Seeds.content(9));
    save(content, OPTIONS);
    for (int call = 0; ; call++) {
      long pointer = allocate(new byte[BYTES]);
      boolean failed;
      try (Checkpointer cairn = open(OPTIONS)) {
        cairn.protectDevice("field", pointer, BYTES, ElementType.DOUBLE);
        device.failAt(call, false);
        try {
          cairn.restart();
        } catch (RuntimeException e) {
          assertThat(e).hasMessageContaining("dataset \"field\"");
          device.failAt(-1, false);
          cairn.restart();
        }
        failed = device.hasFailed();
        device.failAt(-1, false);
      }
      assertThat(read(pointer, BYTES)).as("call %d", call).isEqualTo(content);
      device.free(pointer);
      if (!failed && call > 3) {
        return;
      }
    }
  }

  @Test
  void blocksOfZerosTakeNoRoomAndComeBack() {
    byte[] content = noise(Seeds.content(10));
    Arrays.fill(content, 10 * BLOCK, 200 * BLOCK, (byte) 0);
    save(content, OPTIONS);
    assertThat(restored(OPTIONS)).isEqualTo(content);
    Arrays.fill(content, 0, BYTES, (byte) 0);
    store = new MemoryStore();
    save(content, OPTIONS);
    assertThat(restored(OPTIONS)).isEqualTo(content);
  }

  @Test
  void everyCodecAndAlgorithmIsPossible() {
    for (Codec codec : new Codec[] {Codec.NONE, Codec.DEFLATE, Codec.ZSTD}) {
      for (HashAlgorithm algorithm :
          List.of(
              HashAlgorithm.XXH3_128,
              HashAlgorithm.MD5,
              HashAlgorithm.SPOOKY_128,
              WeakHash.CRC32C)) {
        store = new MemoryStore();
        byte[] content = noise(Seeds.content(11));
        Arrays.fill(content, BLOCK, 50 * BLOCK, (byte) 7);
        Arrays.fill(content, 50 * BLOCK, 60 * BLOCK, (byte) 0);
        long pointer = allocate(content);
        try (Checkpointer cairn = open(OPTIONS)) {
          cairn
              .protectDevice("field", pointer, BYTES, ElementType.DOUBLE)
              .codec(codec)
              .hash(algorithm);
          cairn.checkpoint();
          content[3]++;
          write(pointer, 0, content);
          CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
          assertThat(stats.dirtyBlocks()).as("%s %s", codec, algorithm).isEqualTo(1);
        }
        device.free(pointer);
        assertThat(restored(OPTIONS)).as("%s %s", codec, algorithm).isEqualTo(content);
      }
    }
  }

  @Test
  void fullCheckpointsAndSmallDatasetsAndNoneAtAll() {
    byte[] one = noise(Seeds.content(12));
    long pointer = allocate(one);
    try (Checkpointer cairn = open(OPTIONS.strategy(Strategy.FULL))) {
      cairn.protectDevice("field", pointer, BYTES, ElementType.DOUBLE);
      for (int i = 0; i < 20; i++) {
        cairn.protectDevice("part" + i, pointer + 8L * i, 8 * (i + 1), ElementType.LONG);
      }
      cairn.protectDevice("nothing", 0, 0, ElementType.DOUBLE);
      cairn.checkpoint();
      cairn.checkpoint();
    }
    long[] fifth = new long[6];
    try (Checkpointer cairn = open(OPTIONS)) {
      cairn.protect("part5", fifth);
      cairn.restart(RestartRequest.newest().only("part5"));
    }
    long[] expected = new long[6];
    MemorySegment.copy(
        device.at(pointer + 40, 48), ValueLayout.JAVA_LONG_UNALIGNED, 0, expected, 0, 6);
    assertThat(fifth).isEqualTo(expected);
  }

  @Test
  void elementsAreConvertedOnTheHost() {
    float[] saved = {1, 2.5f, -3};
    try (Checkpointer cairn = open(OPTIONS)) {
      cairn.protect("field", saved);
      cairn.checkpoint();
    }
    long pointer = allocate(new byte[24]);
    try (Checkpointer cairn = open(OPTIONS)) {
      cairn.protectDevice("field", pointer, 24, ElementType.DOUBLE);
      cairn.restart(RestartRequest.newest().converting("field"));
    }
    assertThat(device.at(pointer, 24).toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED))
        .containsExactly(1, 2.5, -3);
  }

  @Test
  void whatIsNoMemoryOfADeviceIsRefused() {
    long pointer = allocate(new byte[64]);
    try (Checkpointer cairn = open(OPTIONS)) {
      assertThatThrownBy(() -> cairn.protectDevice("field", 4711, 8, ElementType.DOUBLE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("\"field\": 0x1267 is no memory of a device");
      assertThatThrownBy(() -> cairn.protectDevice("field", pointer, 128, ElementType.DOUBLE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("\"field\"");
      assertThatThrownBy(() -> cairn.protectDevice("field", pointer, 12, ElementType.DOUBLE))
          .hasMessageContaining("12 bytes are no whole number of double elements");
    }
  }

  // ---------------------------------------------------------------- memory of the host

  /** The crew is measured first, then the device; a device that lies or fails is left out. */
  @ParameterizedTest
  @ValueSource(strings = {"right", "wrong", "lost"})
  void registeredMemoryIsHashedByTheDeviceIfItCan(String how) {
    int bytes = 5 << 20;
    device.lieFrom(how.equals("wrong") ? 0 : Long.MAX_VALUE);
    byte[] content = new byte[bytes];
    Seeds.content(13).nextBytes(content);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment host = arena.allocate(bytes, 64);
      try (Device.Registration _ = device.register(host);
          Checkpointer cairn = open(OPTIONS.offload(true))) {
        cairn.protect("field", host);
        for (int i = 0; i < 4; i++) {
          content[i * BLOCK]++;
          MemorySegment.copy(MemorySegment.ofArray(content), 0, host, 0, bytes);
          if (how.equals("lost")) {
            device.failAt(0, true);
          }
          CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
          assertThat(stats.dirtyBlocks()).isEqualTo(i == 0 ? bytes / BLOCK : 1);
        }
        long expected = how.equals("right") ? 1 : how.equals("wrong") ? 1 : 0;
        assertThat(device.hostHashes()).isGreaterThanOrEqualTo(expected);
        device.failAt(-1, false);
      }
    }
    byte[] array = new byte[bytes];
    try (Checkpointer cairn = open(OPTIONS)) {
      cairn.protect("field", array);
      cairn.restart();
    }
    assertThat(array).isEqualTo(content);
  }

  @Test
  void memoryThatIsNotRegisteredIsHashedByTheProcessor() {
    try (Arena arena = Arena.ofShared();
        Checkpointer cairn = open(OPTIONS.offload(true))) {
      cairn.protect("field", arena.allocate(5 << 20));
      cairn.checkpoint();
      cairn.checkpoint();
    }
    assertThat(device.hostHashes()).isZero();
  }

  /** A program on the device and the same program on the host have the same versions. */
  @SeededTest(seeds = 5)
  void randomProgramsSaveWhatTheyWouldSaveFromTheHost(Random random) {
    MemoryStore other = new MemoryStore();
    byte[] host = noise(random);
    long pointer = allocate(host);
    Options options = OPTIONS.asynchronous(random.nextBoolean());
    Strategy[] strategies = {Strategy.AUTO, Strategy.DIFFERENTIAL, Strategy.FULL};
    options = options.strategy(strategies[random.nextInt(3)]);
    try (Checkpointer here = Checkpointer.open(other, options);
        Checkpointer there = open(options)) {
      here.protect("field", MemorySegment.ofArray(host), ElementType.DOUBLE);
      there.protectDevice("field", pointer, BYTES, ElementType.DOUBLE);
      for (int i = 0; i < 6; i++) {
        CheckpointStats one = here.checkpoint().await().stats().orElseThrow();
        CheckpointStats two = there.checkpoint().await().stats().orElseThrow();
        assertThat(two.blocks()).isEqualTo(one.blocks());
        int from = random.nextInt(BYTES);
        byte value = (byte) random.nextInt(2);
        Arrays.fill(host, from, Math.min(BYTES, from + random.nextInt(20 * BLOCK)), value);
        write(pointer, 0, host);
      }
      here.checkpoint().await();
      there.checkpoint().await();
      VersionInfo one = here.versions().getFirst();
      VersionInfo two = there.versions().getFirst();
      assertThat(two.digestLow()).isEqualTo(one.digestLow());
      assertThat(two.digestHigh()).isEqualTo(one.digestHigh());
    }
    assertThat(restored(OPTIONS)).isEqualTo(host);
  }
}
