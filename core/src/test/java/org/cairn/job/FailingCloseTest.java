// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.cairn.CheckpointFailedException;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.RestartRequest;
import org.cairn.TierKind;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.schedule.Simulation;
import org.cairn.testkit.store.ForwardingStore;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.tier.FileNames;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * While a run is entered, any file may fail to close on one rank. The others know nothing of it: so
 * all enter, or none does, and nobody waits for ever.
 */
@Timeout(120)
class FailingCloseTest {
  private static final int RANKS = 3;
  private static final int VICTIM = 1;
  private static final int DAMAGED_RANK = 2;

  /** How a run is entered. */
  enum Way {
    /** What the victim has is not gone on with when another rank turns out to be damaged. */
    DAMAGED {
      @Override
      void prepare(MemoryDirectories directories) throws IOException {
        damage(directories);
      }

      @Override
      void enter(Checkpointer cairn) {
        cairn.restart();
      }
    },
    /** The same with what was rebuilt for the victim. */
    REBUILT {
      @Override
      void prepare(MemoryDirectories directories) throws IOException {
        directories.open(FileNames.directory(VICTIM)).delete(FileNames.local(VICTIM));
        damage(directories);
      }

      @Override
      void enter(Checkpointer cairn) {
        cairn.restart();
      }
    },
    AGAIN {
      @Override
      void enter(Checkpointer cairn) {
        cairn.restart();
        cairn.restart();
      }
    },
    ANEW {
      @Override
      void enter(Checkpointer cairn) {
        cairn.restart();
        cairn.restart(RestartRequest.beginAnew());
      }
    };

    void prepare(MemoryDirectories directories) throws IOException {}

    abstract void enter(Checkpointer cairn);
  }

  /** Most of a container is blocks, and these are looked at late. */
  private static void damage(MemoryDirectories directories) throws IOException {
    Store store = directories.open(FileNames.directory(DAMAGED_RANK));
    try (StoreFile file = store.open(FileNames.local(DAMAGED_RANK), Store.Access.WRITE)) {
      file.write(file.size() / 2, MemorySegment.ofArray(new byte[] {1, 2, 3, 4}));
    }
  }

  /** Lets the n-th close fail, after the file is closed. */
  private static final class Closes {
    private final long at;
    private long count;
    private boolean armed;

    Closes(long at) {
      this.at = at;
    }

    void closed(String name) throws IOException {
      count += armed ? 1 : 0;
      if (armed && count == at) {
        throw new IOException("denied: close of " + name);
      }
    }
  }

  /** A directory whose files fail to close. */
  private static final class ClosingStore extends ForwardingStore {
    private final Closes closes;

    ClosingStore(Store store, Closes closes) {
      super(store);
      this.closes = closes;
    }

    @Override
    public StoreFile open(String name, Access access) throws IOException {
      return new ForwardingFile(super.open(name, access)) {
        @Override
        public void close() throws IOException {
          super.close();
          closes.closed(name);
        }
      };
    }
  }

  private record ClosingDirectories(Directories directories, Closes closes) implements Directories {
    @Override
    public Store create(String name) throws IOException {
      return new ClosingStore(directories.create(name), closes);
    }

    @Override
    public Store open(String name) throws IOException {
      return new ClosingStore(directories.open(name), closes);
    }

    @Override
    public List<String> names() throws IOException {
      return directories.names();
    }

    @Override
    public String location() {
      return directories.location();
    }
  }

  /** One rank. */
  private record Rank(int number, Checkpointer cairn, LongCell step) {}

  private static void run(
      Simulation simulation, MemoryDirectories directories, Closes closes, Consumer<Rank> work) {
    Random bits = simulation.random();
    Options options =
        SmallJob.OPTIONS
            .waitAtMost(Duration.ofSeconds(20))
            .clock(simulation.clock())
            .random(bits::nextLong);
    Ranks.run(
        RANKS,
        rank -> "node" + rank,
        comm -> {
          long[] u = LongStream.range(1, 4000).toArray();
          try (Checkpointer cairn =
              Checkpointer.open(of(comm, directories, closes), comm, options)) {
            cairn.protect("u", u);
            work.accept(new Rank(comm.rank(), cairn, cairn.protect("step", 0L)));
          }
        });
  }

  private static Directories of(Communicator comm, Directories directories, Closes closes) {
    return comm.rank() == VICTIM ? new ClosingDirectories(directories, closes) : directories;
  }

  private static void checkpoint(Rank rank, long step) {
    rank.step.set(step);
    rank.cairn.checkpoint().await(TierKind.PARTNER);
  }

  /** Enters a run while a close fails; whether each rank was told that it did not work. */
  private static boolean[] enter(
      Simulation simulation, MemoryDirectories directories, Closes closes, Way way) {
    boolean[] told = new boolean[RANKS];
    run(
        simulation,
        directories,
        closes,
        rank -> {
          closes.armed |= rank.number == VICTIM;
          try {
            way.enter(rank.cairn);
          } catch (CheckpointFailedException e) {
            assertThat(e).hasMessageContaining("denied: close");
            told[rank.number] = true;
            rank.cairn.restart();
          }
          closes.armed &= rank.number != VICTIM;
          checkpoint(rank, 7);
        });
    return told;
  }

  @ParameterizedTest
  @EnumSource
  void allEnterOrNone(Way way) throws Exception {
    MemoryDirectories saved = new MemoryDirectories();
    Simulation before = new Simulation(0);
    before.run(
        () ->
            run(
                before,
                saved,
                new Closes(0),
                rank -> {
                  checkpoint(rank, 1);
                  checkpoint(rank, 2);
                }));
    way.prepare(saved);
    long n = 0;
    boolean denied = true;
    while (denied) {
      n++;
      MemoryDirectories directories = saved.copy();
      Closes closes = new Closes(n);
      Simulation simulation = new Simulation(n);
      boolean[][] told = new boolean[1][];
      simulation.run(() -> told[0] = enter(simulation, directories, closes, way));
      assertThat(told[0]).as("close %d: %s", n, Arrays.toString(told[0])).containsOnly(told[0][0]);
      if (n % 4 == 0) {
        restoreLater(directories);
      }
      denied = closes.count >= n;
    }
    assertThat(n).as("closes that can fail").isGreaterThan(4);
  }

  private static void restoreLater(MemoryDirectories directories) throws Exception {
    Simulation simulation = new Simulation(0);
    simulation.run(
        () ->
            run(
                simulation,
                directories,
                new Closes(0),
                rank -> {
                  rank.cairn.restart();
                  assertThat(rank.step.get()).isEqualTo(7);
                }));
  }
}
