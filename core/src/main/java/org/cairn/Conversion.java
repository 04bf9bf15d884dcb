// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.cairn.comm.Communicator;
import org.cairn.comm.RankFailedException;
import org.cairn.comm.Ranks;
import org.cairn.division.Division;
import org.cairn.store.DirectoryStore;
import org.cairn.store.FileDirectories;
import org.cairn.supply.Mutex;
import org.cairn.supply.ProcessLimits;
import org.cairn.version.DatasetSpec;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * A version of one number of ranks as a new job of another, without the program:
 *
 * <pre>{@code
 * try (Checkpoints saved = Checkpoints.open(Path.of("job"))) {
 *   Conversion.of(saved.newest(), 3).writeTo(Path.of("job3"), done -> {});
 * }
 * }</pre>
 *
 * <p>Arrays that ranks have in parts are cut anew, one brick for each rank; items of bags are dealt
 * out in equal shares, in their order; what is the same everywhere stays so. What each rank has
 * alone is refused unless it is dropped. On as many ranks as before all have what they had.
 *
 * <p>Every block that is read is verified. One dataset of one rank is in memory at a time, or in a
 * file if it is large; the new ranks are threads, which write as those of a program do.
 */
public final class Conversion {
  /**
   * What a rank has open at most, and what is open beside; counted with 200 ranks, and rounded up.
   */
  private static final int FILES = 5;

  private static final int FILES_BESIDE = 200;

  private static final String OR_FEWER =
      "convert to fewer ranks: the program may restart that on any number";

  private final SavedVersion version;
  private final int ranks;
  private final ChosenGrids grids;
  private final Set<String> dropped;

  private Conversion(SavedVersion version, int ranks, ChosenGrids grids, Set<String> dropped) {
    if (ranks < 1) {
      throw new IllegalArgumentException("a job has at least one rank, not " + ranks);
    }
    this.version = version;
    this.ranks = ranks;
    this.grids = grids;
    this.dropped = dropped;
  }

  /** A version for so many ranks; nothing of it is read yet. */
  public static Conversion of(SavedVersion version, int ranks) {
    return new Conversion(version, ranks, ChosenGrids.NONE, Set.of());
  }

  /**
   * Chooses how an array is cut, rather than as it was before: into so many bricks along each axis.
   *
   * @param array its name
   */
  public Conversion grid(String array, int... cuts) {
    return new Conversion(version, ranks, grids.of(array, cuts), dropped);
  }

  /** The same for all arrays that have so many axes as numbers are given. */
  public Conversion grid(int... cuts) {
    return new Conversion(version, ranks, grids.of(cuts), dropped);
  }

  /** Leaves out datasets, or arrays. */
  public Conversion dropping(Collection<String> names) {
    Set<String> more = new HashSet<>(dropped);
    more.addAll(names);
    return new Conversion(version, ranks, grids, more);
  }

  /**
   * What becomes of a dataset.
   *
   * @param dataset its name
   * @param how in which way it is dealt out: {@code grid 2x3}, for example
   * @param bytes how many all ranks will have, ghosts included
   */
  public record Planned(String dataset, ElementType type, String how, long bytes) {}

  /**
   * What becomes of everything, without reading it.
   *
   * @throws IllegalArgumentException naming what cannot be divided, and what to do
   * @throws CheckpointUnavailableException if the state of a rank is not here
   */
  public List<Planned> plan() {
    Map<String, Planned> planned = new LinkedHashMap<>();
    for (Shares shares : shares()) {
      DatasetSpec spec = shares.of(0);
      Planned one = new Planned(spec.name(), spec.type(), shares.how(), bytes(shares));
      planned.merge(
          one.dataset,
          one,
          (before, more) ->
              new Planned(before.dataset, before.type, before.how, before.bytes + more.bytes));
    }
    return List.copyOf(planned.values());
  }

  private List<Shares> shares() {
    return Dealing.of(version, ranks, grids, dropped);
  }

  private long bytes(Shares shares) {
    long sum = 0;
    for (int rank = 0; rank < ranks; rank++) {
      sum += shares.isFor(rank) ? shares.of(rank).byteLength() : 0;
    }
    return sum;
  }

  /** The most that a rank has under one name. */
  private long largest(List<Shares> all) {
    long most = 0;
    for (Shares shares : all) {
      for (int rank = 0; rank < ranks; rank++) {
        most = Math.max(most, shares.of(rank).byteLength());
      }
    }
    return most;
  }

  // ---------------------------------------------------------------- writing

  /**
   * Writes it as the first version of a new job, under the name and the label that it has. If that
   * fails, what is in the directory is of no use.
   *
   * @param directory of the new job; does not exist, or is empty
   * @param progress told how many bytes were read and are on their way, now and then
   * @return what the version is called there
   * @throws IllegalArgumentException naming what cannot be divided, and what to do
   * @throws CheckpointUnavailableException if a block is damaged
   * @throws CheckpointDirectoryException if something is in the directory
   * @throws IOException if the directory cannot be written, or has not room enough, or the system
   *     does not let a process have so many threads or open files
   */
  public VersionId writeTo(Path directory, LongConsumer progress) throws IOException {
    List<Shares> all = shares();
    DirectoryStore place = DirectoryStore.open(directory, true);
    requireEmpty(place, new FileDirectories(directory).names());
    requireFiles();
    requireRoom(place, all);
    try (Scratch scratch = Scratch.of(directory, largest(all))) {
      return new Writing(all, directory, scratch, progress).run();
    }
  }

  /** A job that is there already would be taken for this one's past. */
  private static void requireEmpty(DirectoryStore place, List<String> found) {
    if (!found.isEmpty()) {
      throw new CheckpointDirectoryException(
          place.location() + " is not empty, and a job begins there; name another directory",
          new DirectoryNotEmptyException(place.location()));
    }
  }

  /** Before anything is written; blocks of zeros, and what is compressed, will need less. */
  private void requireRoom(DirectoryStore place, List<Shares> all) throws IOException {
    long needed = all.stream().mapToLong(this::bytes).sum() + Scratch.diskBytes(largest(all));
    long free = place.freeSpace();
    if (free < needed) {
      throw new IOException(
          "%s has %,d bytes left, and a version of %d ranks needs %,d: %,d are missing"
              .formatted(place.location(), free, ranks, needed, needed - free));
    }
  }

  /** Ranks are threads of this process, each with files of its own. */
  private void requireFiles() throws IOException {
    long needed = FILES_BESIDE + (long) FILES * ranks;
    OptionalLong most = ProcessLimits.openFiles();
    if (most.isPresent() && most.getAsLong() < needed) {
      throw new IOException(
          "%,d ranks are as many threads of this process, with files of their own; that takes %,d open files, and it may have %,d. Raise that (ulimit -n %d), or %s"
              .formatted(ranks, needed, most.getAsLong(), needed, OR_FEWER));
    }
  }

  /** One version in the making, by as many threads as it will have ranks. */
  private final class Writing {
    private final List<Shares> all;
    private final Path directory;
    private final Scratch scratch;
    private final LongConsumer progress;
    private final Options options;

    /** There is one room for a dataset; who reads has it. */
    private final Mutex turn = new Mutex();

    private final AtomicReference<@Nullable VersionId> written = new AtomicReference<>();
    private long done;

    /** Why a rank could not read what it is to have; the others need not try. */
    private @Nullable Throwable failure;

    Writing(List<Shares> all, Path directory, Scratch scratch, LongConsumer progress) {
      this.all = all;
      this.directory = directory;
      this.scratch = scratch;
      this.progress = progress;
      // Ranks wait for all others to read what they get, which may take any time.
      this.options =
          Options.defaults()
              .waitAtMost(Duration.ZERO)
              .scrub(Scrubbing.OFF)
              .job(version.rank(0).job());
    }

    VersionId run() throws IOException {
      try {
        Ranks.run(ranks, this::write);
      } catch (RankFailedException e) {
        throw reason(e);
      }
      return Objects.requireNonNull(written.get());
    }

    /** What a rank could not read is what happened; that others failed then says less. */
    private IOException reason(RankFailedException e) {
      Throwable cause = failure == null ? e.getCause() : failure;
      if (isWantOfThreadsOrFiles(cause)) {
        return new IOException(
            "%,d ranks are as many threads of this process, with files of their own, and the system did not let it have so many (%s). Raise its limits (ulimit -u, ulimit -n), or %s"
                .formatted(ranks, cause, OR_FEWER),
            cause);
      }
      return switch (cause) {
        case RuntimeException known -> throw known;
        case Error grave -> throw grave;
        case null, default -> new IOException(e.getMessage(), e);
      };
    }

    /** The JDK tells it by words. */
    private static boolean isWantOfThreadsOrFiles(@Nullable Throwable failure) {
      for (Throwable one = failure; one != null; one = one.getCause()) {
        String text = String.valueOf(one.getMessage());
        if (text.contains("Too many open files")
            || (one instanceof OutOfMemoryError && text.contains("native thread"))) {
          return true;
        }
      }
      return false;
    }

    private void write(Communicator comm) {
      try (Checkpointer cairn = Checkpointer.open(directory, comm, options)) {
        Map<Dataset, Shares> mine = new LinkedHashMap<>();
        for (Shares shares : all) {
          if (shares.isFor(comm.rank())) {
            mine.put(protect(cairn, shares.of(comm.rank())), shares);
          }
        }
        try (CheckpointBuilder builder = cairn.begin(version.label())) {
          readInTurn(comm.rank(), mine, builder);
          written.set(builder.commit().version());
        }
      }
    }

    private Dataset protect(Checkpointer cairn, DatasetSpec spec) {
      Dataset dataset =
          cairn
              .protect(spec.name(), scratch.of(spec.byteLength()), spec.type())
              .shape(spec.shape().stream().mapToLong(Long::longValue).toArray())
              .blockSize(spec.blockSize())
              .hash(spec.algorithm())
              .codec(spec.codec());
      return switch (spec.division()) {
        case Division.Alone _ -> dataset;
        case Division.Everywhere _ -> dataset.everywhere();
        case Division.Bag bag -> dataset.bag(bag.bag(), bag.width());
        case Division.Parts parts ->
            dataset.partOf(parts.array(), parts.parts().toArray(Part[]::new));
      };
    }

    /** What has been added to a checkpoint may change at once: so one room does for all. */
    private void readInTurn(int rank, Map<Dataset, Shares> mine, CheckpointBuilder builder) {
      try (Mutex.Held _ = turn.hold()) {
        if (failure != null) {
          throw new IllegalStateException("another rank could not read what it is to have");
        }
        try {
          mine.forEach((dataset, shares) -> read(rank, dataset, shares, builder));
        } catch (RuntimeException | Error e) {
          failure = e;
          throw e;
        }
      }
    }

    private void read(int rank, Dataset dataset, Shares shares, CheckpointBuilder builder) {
      MemorySegment room = scratch.of(dataset.byteSize());
      shares.read(rank, room, this::advance);
      builder.add(dataset);
    }

    private void advance(long bytes) {
      done += bytes;
      progress.accept(done);
    }
  }
}
