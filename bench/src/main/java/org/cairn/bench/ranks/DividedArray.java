// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.ranks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.Part;
import org.cairn.RestartReport;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Communicators;
import org.cairn.comm.Reduction;
import org.cairn.store.DirectoryStore;

/**
 * An array that ranks have together: one number of them saves it, another restores it.
 *
 * @param job where
 * @param mib its size, of all ranks together
 * @param shared whether it goes to a shared directory, too
 */
public record DividedArray(Path job, int mib, boolean shared) {
  private static final int COLUMNS = 1024;
  private static final int CALL = 8 << 20;

  /**
   * How long a restart took, of the rank that took longest.
   *
   * @param restored seconds until the elements were there
   * @param returned seconds until the program could go on
   * @param read bytes that a process read meanwhile, by those that its ranks needed; of the process
   *     that read most; not a number where the system does not tell
   */
  public record Times(double restored, double returned, double read) {}

  /** Runs as a rank of an MPI: {@code save|restore JOB MIB SHARED}. */
  public static void main(String[] arguments) throws IOException {
    DividedArray array =
        new DividedArray(
            Path.of(arguments[1]),
            Integer.parseInt(arguments[2]),
            Boolean.parseBoolean(arguments[3]));
    try (Communicator ranks = Communicators.world()) {
      if (arguments[0].equals("save")) {
        array.save(ranks);
        return;
      }
      long before = bytesRead();
      Times mine = array.restore(ranks);
      double needed = array.part(ranks).elements() * (double) Double.BYTES;
      double read = before < 0 ? Double.NaN : (bytesRead() - before) / needed;
      Times slowest =
          new Times(
              ranks.allReduce(mine.restored, Reduction.MAX),
              ranks.allReduce(mine.returned, Reduction.MAX),
              ranks.allReduce(read, Reduction.MAX));
      if (ranks.rank() == 0) {
        System.out.println("%s %s %s".formatted(slowest.restored, slowest.returned, slowest.read));
      }
    }
  }

  /** What {@link #main} prints of a restart. */
  public static Times parse(String line) {
    String[] words = line.strip().split(" ", -1);
    return new Times(
        Double.parseDouble(words[0]), Double.parseDouble(words[1]), Double.parseDouble(words[2]));
  }

  /** Bytes that this process has read so far; negative where the system does not tell. */
  public static long bytesRead() {
    Path told = Path.of("/proc/self/io");
    try {
      for (String line : Files.readAllLines(told)) {
        if (line.startsWith("rchar:")) {
          return Long.parseLong(line.substring("rchar:".length()).strip());
        }
      }
    } catch (IOException e) {
      return -1;
    }
    return -1;
  }

  private Options options() throws IOException {
    Options plain = Options.defaults().flushOnClose(Duration.ZERO);
    return shared
        ? plain.tiers(Tiers.none().shared(DirectoryStore.shared(job.resolve("shared")), 1))
        : plain;
  }

  /** The bytes of all of it. */
  public long bytes() {
    return (long) mib << 20;
  }

  private Part part(Communicator ranks) {
    long rows = bytes() / Double.BYTES / COLUMNS;
    long from = rows * ranks.rank() / ranks.size();
    long to = rows * (ranks.rank() + 1) / ranks.size();
    return Part.of(
        new long[] {rows, COLUMNS}, new long[] {from, 0}, new long[] {to - from, COLUMNS});
  }

  private double[] memory(Communicator ranks) {
    return new double[Math.toIntExact(part(ranks).elements())];
  }

  private double[] content(Communicator ranks) {
    double[] u = memory(ranks);
    long first = part(ranks).offset().getFirst() * COLUMNS;
    Arrays.setAll(u, i -> Math.sin(first + i));
    return u;
  }

  /** Saves it; collective. */
  public void save(Communicator ranks) {
    try (Checkpointer cairn = Checkpointer.open(job, ranks, options())) {
      cairn.protectEverywhere("step", 1L);
      cairn.protect("u", content(ranks)).part(part(ranks));
      Checkpoint taken = cairn.checkpoint();
      taken.tiers().forEach(taken::await);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Restores it; collective. What was read is not known here. */
  public Times restore(Communicator ranks) {
    try (Checkpointer cairn = Checkpointer.open(job, ranks, options())) {
      double[] u = memory(ranks);
      LongCell step = cairn.protectEverywhere("step", 0L);
      cairn.protect("u", u).part(part(ranks));
      ranks.barrier();
      long start = System.nanoTime();
      RestartReport report = cairn.restart();
      double returned = (System.nanoTime() - start) * 1e-9;
      check(u, part(ranks), step.get());
      return new Times(report.duration().toNanos() * 1e-9, returned, Double.NaN);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void check(double[] u, Part part, long step) {
    long first = part.offset().getFirst() * COLUMNS;
    for (int i = 0; i < u.length; i += 997) {
      if (u[i] != Math.sin(first + i) || step != 1) {
        throw new IllegalStateException("element %d of %s is wrong".formatted(i, part));
      }
    }
  }

  /** What the disk can do: each rank writes as many bytes to a new file, and forces. */
  public double writeRaw(Communicator ranks) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(CALL);
    Path file = job.resolve("raw" + ranks.rank());
    long left = part(ranks).elements() * Double.BYTES;
    ranks.barrier();
    long start = System.nanoTime();
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      while (left > 0) {
        bytes.clear().limit((int) Math.min(CALL, left));
        left -= channel.write(bytes);
      }
      channel.force(false);
      return (System.nanoTime() - start) * 1e-9;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * What it costs to say how arrays are divided: seconds that checkpoints take in which one number
   * of a block changes in 32, with parts and without, in turn; collective.
   */
  public List<double[]> describe(Communicator ranks, int rounds) {
    double[][] seconds = new double[2][rounds];
    try (Checkpointer with = Checkpointer.open(job.resolve("with"), ranks, options());
        Checkpointer without = Checkpointer.open(job.resolve("without"), ranks, options())) {
      double[] u = content(ranks);
      with.protect("u", u).part(part(ranks));
      without.protect("u", u);
      for (int round = -3; round < rounds; round++) {
        for (int i = 0; i < u.length; i += 1 << 16) {
          u[i]++;
        }
        for (int k = 0; k < 2; k++) {
          int which = (k + round & 1) == 0 ? 0 : 1;
          ranks.barrier();
          long start = System.nanoTime();
          (which == 0 ? with : without).checkpoint();
          ranks.barrier();
          if (round >= 0) {
            seconds[which][round] = (System.nanoTime() - start) * 1e-9;
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return List.of(seconds);
  }
}
