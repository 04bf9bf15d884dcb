// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.Label;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.Part;
import org.cairn.RestartRequest;
import org.cairn.Tiers;
import org.cairn.comm.Ranks;
import org.cairn.store.Directories;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.ForwardingStore;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files of the old number of ranks go first, where there is no room for both and it is safe. */
@Timeout(60)
class MakeRoomTest {
  private static final int ELEMENTS = 120_000;
  private static final int LEFT = 400_000;
  private static final long SEED = 0x1234_5678_9abc_def0L;

  private final Disk disk = new Disk();
  private final MemoryStore shared = new MemoryStore();
  private Options options = SmallJob.OPTIONS.retain(2).tiers(Tiers.none().shared(shared, 1));

  /** Directories of one disk, which says how much is left, and may refuse new files. */
  private static final class Disk implements Directories {
    private final MemoryDirectories directories = new MemoryDirectories();
    private volatile long capacity = Long.MAX_VALUE;
    private volatile boolean refusing;
    private volatile boolean failing;

    @Override
    public Store create(String name) {
      return new Bounded(directories.create(name));
    }

    @Override
    public Store open(String name) throws IOException {
      return new Bounded(directories.open(name));
    }

    @Override
    public List<String> names() {
      return directories.names();
    }

    @Override
    public String location() {
      return directories.location();
    }

    private List<String> containers() throws IOException {
      List<String> files = new ArrayList<>();
      for (String directory : directories.names()) {
        for (String file : directories.open(directory).list()) {
          if (file.endsWith(".cairn")) {
            files.add(directory + "/" + file);
          }
        }
      }
      return files;
    }

    private long used() throws IOException {
      long used = 0;
      for (String path : containers()) {
        String[] names = path.split("/");
        try (StoreFile file = directories.open(names[0]).open(names[1], Store.Access.READ)) {
          used += file.size();
        }
      }
      return used;
    }

    /** What there is, and so much more. */
    private void leave(long bytes) throws IOException {
      capacity = used() + bytes;
    }

    private final class Bounded extends ForwardingStore {
      Bounded(Store store) {
        super(store);
      }

      @Override
      public long freeSpace() throws IOException {
        return Math.max(0, capacity - used());
      }

      @Override
      public StoreFile open(String name, Access access) throws IOException {
        if (refusing && access != Access.READ && !exists(name)) {
          throw new IOException("no new file");
        }
        return new Failing(super.open(name, access));
      }
    }

    /** Takes what makes a container, and no state. */
    private final class Failing extends ForwardingStore.ForwardingFile {
      Failing(StoreFile file) {
        super(file);
      }

      @Override
      public void write(long position, MemorySegment source) throws IOException {
        if (failing && source.byteSize() >= ELEMENTS) {
          throw new IOException("no block is written");
        }
        super.write(position, source);
      }
    }
  }

  private interface Work {
    void run(Checkpointer cairn, LongCell step, double[] u, long offset) throws IOException;
  }

  private static Part part(int rank, int ranks) {
    long from = (long) ELEMENTS * rank / ranks;
    long to = (long) ELEMENTS * (rank + 1) / ranks;
    return Part.of(new long[] {ELEMENTS}, new long[] {from}, new long[] {to - from});
  }

  private void run(int ranks, RestartRequest request, Work work) {
    Ranks.run(
        ranks,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(disk, comm, options)) {
            Part part = part(comm.rank(), ranks);
            double[] u = new double[(int) part.elements()];
            cairn.protect("u", u).part(part);
            LongCell step = cairn.protectEverywhere("step", 0L);
            cairn.restart(request);
            for (int i = 0; i < u.length && step.get() > 0; i++) {
              assertThat(u[i]).isEqualTo(part.offset().getFirst() + i + step.get() * 0.5);
            }
            work.run(cairn, step, u, part.offset().getFirst());
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private void save(int ranks, int steps, Label label) {
    run(
        ranks,
        RestartRequest.newest(),
        (cairn, step, u, offset) -> {
          for (int i = 0; i < steps; i++) {
            step.increment();
            boolean first = step.get() == 1;
            Arrays.setAll(u, k -> first ? offset + k + 0.5 : u[k] + 0.5);
            Checkpoint taken = cairn.checkpoint(label);
            taken.tiers().forEach(taken::await);
          }
        });
  }

  private static Work isAt(long expected) {
    return (_, step, _, _) -> assertThat(step.get()).isEqualTo(expected);
  }

  @Test
  void filesOfTheOldNumberGoFirstIfTheProgramSaysSo() throws IOException {
    save(3, 1, Label.none());
    disk.leave(ELEMENTS * 2L); // a quarter of the state
    List<String> before = disk.containers();
    assertThatThrownBy(() -> run(2, RestartRequest.newest(), isAt(1)))
        .hasStackTraceContaining("are missing")
        .hasStackTraceContaining("RestartRequest.makeRoom()");
    assertThat(disk.containers()).isEqualTo(before);
    run(
        2,
        RestartRequest.newest().makeRoom(),
        (_, step, _, _) -> {
          assertThat(step.get()).isEqualTo(1);
          assertThat(disk.used()).isLessThanOrEqualTo(disk.capacity);
        });
    assertThat(disk.containers()).containsExactly("rank0/rank0.cairn", "rank1/rank1.cairn");
    run(5, RestartRequest.newest().makeRoom(), isAt(1));
  }

  @Test
  void theyStayIfTheSharedTierDoesNotHaveTheVersion() throws IOException {
    save(3, 1, Label.none());
    options = options.tiers(Tiers.none().shared(shared, 10)).flushOnClose(Duration.ZERO);
    run(
        3,
        RestartRequest.newest(),
        (cairn, step, u, _) -> {
          for (int i = 0; i < 2; i++) {
            step.increment();
            Arrays.setAll(u, k -> u[k] + 0.5);
            cairn.checkpoint();
          }
        });
    disk.leave(ELEMENTS * 2L);
    List<String> before = disk.containers();
    assertThatThrownBy(() -> run(2, RestartRequest.newest().makeRoom(), isAt(3)))
        .hasStackTraceContaining("are missing")
        .hasStackTraceContaining("is not complete at the shared tier");
    assertThat(disk.containers()).isEqualTo(before);
  }

  @Test
  void keptVersionsStay() throws IOException {
    save(3, 1, Label.of("first").keep());
    disk.leave(ELEMENTS * 2L);
    List<String> before = disk.containers();
    assertThatThrownBy(() -> run(2, RestartRequest.newest().makeRoom(), isAt(1)))
        .hasStackTraceContaining("are missing");
    assertThat(disk.containers()).isEqualTo(before);
  }

  @Test
  void whoIsKilledBeforeTheFirstVersionHasLostNothing() throws IOException {
    save(3, 1, Label.none());
    disk.leave(0);
    disk.refusing = true;
    assertThatThrownBy(() -> run(2, RestartRequest.newest().makeRoom(), isAt(1)))
        .hasStackTraceContaining("no new file");
    disk.refusing = false;
    run(4, RestartRequest.newest().makeRoom(), isAt(1));
    run(4, RestartRequest.newest(), isAt(1));
  }

  /** What it wrote of that version nobody can read, and it must not take the room of another. */
  @Test
  void whatSomebodyLeftWhoWasKilledInTheFirstVersionGoes() throws IOException {
    save(3, 1, Label.none());
    killInFirstVersion(RestartRequest.newest());
    disk.leave(ELEMENTS * Long.BYTES * 5L / 4 - LEFT);
    run(4, RestartRequest.newest(), isAt(1));
    assertThat(disk.containers()).hasSize(3 + 4);
  }

  /** Of the two ranks that never had a version, with the bytes that a kill leaves behind. */
  private void killInFirstVersion(RestartRequest request) throws IOException {
    List<String> before = disk.containers();
    disk.failing = true;
    assertThatThrownBy(() -> run(2, request, isAt(1)))
        .hasStackTraceContaining("no block is written");
    disk.failing = false;
    List<String> left = disk.containers();
    left.removeAll(before);
    assertThat(left).hasSize(2);
    for (String path : left) {
      String[] names = path.split("/");
      try (StoreFile file = disk.directories.open(names[0]).open(names[1], Store.Access.WRITE)) {
        file.write(file.size(), MemorySegment.ofArray(new byte[LEFT]));
      }
    }
  }

  @Test
  void itGoesWhereThereIsRoomTooAsSoonAsSomethingCameOfAnotherStart() throws IOException {
    save(3, 1, Label.none());
    killInFirstVersion(RestartRequest.newest());
    run(4, RestartRequest.newest(), isAt(1));
    assertThat(disk.containers()).hasSize(3 + 4);
  }

  /** A person's choice holds until something has come of it, or of another one. */
  @Test
  void aChoiceStays() throws IOException {
    save(3, 2, Label.none());
    killInFirstVersion(RestartRequest.newest().version("1.1"));
    disk.leave(0);
    assertThatThrownBy(() -> run(4, RestartRequest.newest(), isAt(1)))
        .hasStackTraceContaining("are missing");
    disk.leave(ELEMENTS * 100L);
    run(4, RestartRequest.newest(), isAt(1));
  }

  @Test
  void whereThereIsRoomItMeansNothing() throws IOException {
    save(3, 2, Label.none());
    List<String> before = disk.containers();
    run(2, RestartRequest.newest().makeRoom(), isAt(2));
    assertThat(disk.containers()).containsAll(before);
  }

  /** What is given up now may be all that a later restart on the old number has. */
  @Test
  void filesStayIfTheSharedTierIsDamagedWhereNobodyReads() throws IOException {
    saveWithSeeds();
    disk.leave(0);
    List<String> before = disk.containers();
    damageOneSeed();
    RestartRequest request = RestartRequest.newest().makeRoom().dropping("seed");
    assertThatThrownBy(() -> run(2, request, isAt(1)))
        .hasStackTraceContaining("is not complete at the shared tier");
    assertThat(disk.containers()).isEqualTo(before);
  }

  private void saveWithSeeds() {
    Ranks.run(
        3,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(disk, comm, options)) {
            Part part = part(comm.rank(), 3);
            double[] u = new double[(int) part.elements()];
            Arrays.setAll(u, i -> part.offset().getFirst() + i + 0.5);
            cairn.protect("u", u).part(part);
            cairn.protectEverywhere("step", 1L);
            cairn.protect("seed", new long[] {SEED + comm.rank()});
            Checkpoint taken = cairn.checkpoint();
            taken.tiers().forEach(taken::await);
          }
        });
  }

  /** Flips a bit of the seed of rank 1, wherever the shared directory has it. */
  private void damageOneSeed() throws IOException {
    byte[] wanted = new byte[Long.BYTES];
    MemorySegment.ofArray(wanted)
        .set(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), 0, SEED + 1);
    int damaged = 0;
    for (String name : shared.list()) {
      try (StoreFile file = shared.open(name, Store.Access.WRITE)) {
        byte[] bytes = new byte[(int) file.size()];
        file.read(0, MemorySegment.ofArray(bytes));
        for (int at = 0; at + Long.BYTES <= bytes.length; at++) {
          if (Arrays.equals(bytes, at, at + Long.BYTES, wanted, 0, Long.BYTES)) {
            file.write(at, MemorySegment.ofArray(new byte[] {(byte) (bytes[at] ^ 1)}));
            damaged++;
          }
        }
      }
    }
    assertThat(damaged).isPositive();
  }
}
