// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.cairn.Codec;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.comm.Communicator;
import org.cairn.comm.ForwardingCommunicator;
import org.cairn.comm.Ranks;
import org.cairn.comm.Request;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.DatasetPlan;
import org.cairn.container.StagedBlocks;
import org.cairn.hash.Hashers;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.store.ForwardingStore;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.Deltas;
import org.cairn.version.DatasetSpec;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Test;

/**
 * A rank that sends and receives with one thread reads what it sends, and writes what it got, while
 * it does so.
 */
class OverlapTest {
  private static final int BLOCK = 64 << 10;
  private static final int BLOCKS = 100;
  private static final VersionId VERSION = TestRun.id(1, 1, 2);

  /** Only for a failure: whoever is on time does not wait. */
  private static final long PATIENCE_SECONDS = 60;

  private final CountDownLatch written = new CountDownLatch(1);

  private interface Event {
    void happens() throws IOException;
  }

  /** Tells when a whole block or more is read or written. */
  private static final class Watched extends ForwardingStore {
    private final Event read;
    private final Event write;

    Watched(Store store, Event read, Event write) {
      super(store);
      this.read = read;
      this.write = write;
    }

    @Override
    public StoreFile open(String name, Access access) throws IOException {
      return new ForwardingFile(super.open(name, access)) {
        @Override
        public long read(long position, MemorySegment target) throws IOException {
          if (target.byteSize() >= BLOCK) {
            read.happens();
          }
          return super.read(position, target);
        }

        @Override
        public void write(long position, MemorySegment source) throws IOException {
          super.write(position, source);
          if (source.byteSize() >= BLOCK) {
            write.happens();
          }
        }
      };
    }
  }

  /** The first rank reads no block before it has written one: or never. */
  private void awaitWritten() throws IOException {
    try {
      if (!written.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("nothing was written while a block was read");
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  // ---------------------------------------------------------------- writing

  private final CountDownLatch receivedMore = new CountDownLatch(1);

  /** Tells when a second message of many blocks is received. */
  private final class Receiving extends ForwardingCommunicator {
    private int large;

    Receiving(Communicator inner) {
      super(inner);
    }

    @Override
    public Request startReceive(MemorySegment target, int from, int tag) {
      if (target.byteSize() > 10 * BLOCK && ++large == 2) {
        receivedMore.countDown();
      }
      return inner().startReceive(target, from, tag);
    }

    @Override
    public Communicator duplicate() {
      return new Receiving(inner().duplicate());
    }

    @Override
    public Communicator split(int color, int key) {
      return new Receiving(inner().split(color, key));
    }
  }

  /** A block is not written before another message has come: or never. */
  private void awaitReceivedMore() throws IOException {
    try {
      if (!receivedMore.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException("nothing was received while a block was written");
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void writingDoesNotHoldUpReceiving() {
    Ranks.run(
        2,
        comm -> {
          if (comm.rank() == 0) {
            send(comm);
          } else {
            receive(new Receiving(comm));
          }
        });
    assertThat(receivedMore.getCount()).isZero();
  }

  private static void send(Communicator comm) throws IOException {
    MemoryStore own = new MemoryStore();
    save(own, 0);
    try (VersionSender sender =
        new VersionSender(
            comm, 1, () -> ContainerReader.open(own, "own.cairn"), VERSION, Deltas.UNKNOWN)) {
      Transfer.runAll(List.of(sender));
    }
  }

  private void receive(Communicator comm) throws IOException {
    MemoryStore copies = new MemoryStore();
    Store slow = new Watched(copies, () -> {}, this::awaitReceivedMore);
    try (Container copy = TestRun.open(slow, "copy.cairn", 2);
        VersionReceiver receiver = new VersionReceiver(comm, 0, () -> copy, () -> false)) {
      Transfer.runAll(List.of(receiver));
      assertThat(copy.versions()).hasSize(1);
    }
  }

  /** A disk that is full in the middle: the sender ends as if nothing were, and nothing is kept. */
  @Test
  void aFailureOfWhoWritesIsToldByWhoTalks() {
    Ranks.run(
        2,
        comm -> {
          if (comm.rank() == 0) {
            send(comm);
            return;
          }
          Store full =
              new Watched(
                  new MemoryStore(),
                  () -> {},
                  () -> {
                    throw new IOException("the disk is full");
                  });
          try (Container copy = TestRun.open(full, "copy.cairn", 2);
              VersionReceiver receiver = new VersionReceiver(comm, 0, () -> copy, () -> false)) {
            assertThatThrownBy(() -> Transfer.runAll(List.of(receiver)))
                .isInstanceOf(IOException.class)
                .hasMessage("the disk is full");
            assertThat(receiver.wasToldOfFailure()).isFalse();
            assertThat(copy.versions()).isEmpty();
          }
        });
  }

  // ---------------------------------------------------------------- reading

  @Test
  void readingDoesNotHoldUpWriting() {
    Ranks.run(2, this::exchange);
    assertThat(written.getCount()).isZero();
  }

  private void exchange(Communicator comm) throws IOException {
    boolean waits = comm.rank() == 0;
    MemoryStore own = new MemoryStore();
    VersionInfo saved = save(own, comm.rank());
    Store slow = new Watched(own, waits ? this::awaitWritten : () -> {}, () -> {});
    Store copies = new Watched(new MemoryStore(), () -> {}, waits ? written::countDown : () -> {});
    int other = 1 - comm.rank();
    try (Container copy = TestRun.open(copies, "copy.cairn", 2);
        VersionSender sender =
            new VersionSender(
                comm,
                other,
                () -> ContainerReader.open(slow, "own.cairn"),
                VERSION,
                Deltas.UNKNOWN);
        VersionReceiver receiver = new VersionReceiver(comm, other, () -> copy, () -> false)) {
      Transfer.runAll(List.of(sender, receiver));
      assertThat(sender.bytesSent()).isGreaterThan((long) BLOCK * BLOCKS);
      assertThat(copy.versions()).hasSize(1);
      assertThat(copy.versions().getFirst().id()).isEqualTo(saved.id());
    }
  }

  private static VersionInfo save(Store store, int rank) throws IOException {
    try (Container container = TestRun.open(store, "own.cairn", 2);
        Arena arena = Arena.ofConfined()) {
      Commit commit = container.begin(VERSION, Instant.EPOCH);
      long bytes = (long) BLOCK * BLOCKS;
      DatasetPlan plan =
          commit.plan(
              new DatasetSpec(
                  "field",
                  ElementType.BYTE,
                  List.of(bytes),
                  bytes,
                  BLOCK,
                  HashAlgorithm.XXH3_128,
                  Codec.NONE));
      StagedBlocks staged = new StagedBlocks(arena.allocate(bytes, 64));
      Random random = Seeds.content(rank);
      byte[] block = new byte[BLOCK];
      long[] digest = new long[2];
      for (int i = 0; i < BLOCKS; i++) {
        random.nextBytes(block);
        MemorySegment source = MemorySegment.ofArray(block);
        Hashers.of(HashAlgorithm.XXH3_128).hash(source, 0, BLOCK, BLOCK, digest, 0);
        MemorySegment.copy(source, 0, staged.memory(), staged.used(), BLOCK);
        staged.addRaw(plan.entry().slotOf(i), BLOCK, digest[0], digest[1]);
      }
      commit.store(staged, 0);
      return commit.publish();
    }
  }
}
