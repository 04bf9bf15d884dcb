// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.heat2d;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.cairn.Compression;
import org.cairn.Options;
import org.cairn.RestartRequest;
import org.cairn.Tiers;
import org.cairn.apps.Words;
import org.cairn.store.DirectoryStore;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Heat2DProgram} is told on its command line.
 *
 * @param size columns of the plate; it has three rows more
 * @param iterations where to stop, unless the plate has come to rest before
 * @param checkpoints directory of the checkpoints
 * @param every iterations from checkpoint to checkpoint; 0 to go by {@code interval}
 * @param interval time from checkpoint to checkpoint
 * @param asynchronous whether checkpoints become durable in the background
 * @param tiers where checkpoints go beside the container of each rank
 * @param inMemory whether containers are kept in memory, with copies at partners
 * @param job what the job is called; empty to go by its surroundings
 * @param restart which state to go on with
 * @param result file for the plate as it is in the end, or null
 * @param progress whether to say on standard output how far the program is
 */
public record Heat2DOptions(
    int size,
    long iterations,
    Path checkpoints,
    long every,
    Duration interval,
    boolean asynchronous,
    Tiers tiers,
    boolean inMemory,
    String job,
    RestartRequest restart,
    @Nullable Path result,
    boolean progress) {

  static final String USAGE =
      """
      Usage: heat2d [OPTION]...
      Spreads heat over a plate; when killed, start it again and it goes on where it was.

        --size M             columns of the plate (1024)
        --iterations N       stop after N iterations (5000), or when the plate is at rest
        --checkpoints DIR    where to keep checkpoints (checkpoints)
        --every K            checkpoint after every K iterations
        --interval SECONDS   checkpoint after every SECONDS seconds (10), unless --every is given
        --async              go on computing while a checkpoint is being written
        --partner K          give every Kth checkpoint to a partner rank too
        --erasure K          protect every Kth checkpoint by parity over a group of ranks
        --group G,M          groups of G ranks bear the loss of any M (8,2; fewer in small jobs)
        --shared DIR,K       flush every Kth checkpoint to DIR, which all ranks see
        --compression HOW    of what is flushed: none, fast, small or auto (none)
        --in-memory          keep checkpoints in memory, to be written when the program is told to
                             end; with --partner
        --name NAME          what the job is called: it goes on only with checkpoints of that name
        --job ID             go on with this one of several jobs or lives, as cairn ls lists them
        --restart-version V  go on with this version, such as 1.3 or 1.3@5f0c91aa
        --begin-anew         go on with nothing: leave behind what was saved
        --result FILE        write the plate to FILE, as little-endian doubles row by row, and
                             a summary to FILE.txt
        --progress           print the iteration from time to time
      """;

  /** Refuses what makes no sense. */
  public Heat2DOptions {
    require(size >= 1, "--size", size);
    require(iterations >= 0, "--iterations", iterations);
    require(every >= 0, "--every", every);
    require(interval.isPositive(), "--interval", interval.toMillis() / 1e3);
  }

  private static void require(boolean sound, String option, Number value) {
    if (!sound) {
      throw new IllegalArgumentException(option + " cannot be " + value);
    }
  }

  /**
   * Reads a command line.
   *
   * @throws IllegalArgumentException if it cannot be understood
   */
  public static Heat2DOptions parse(String... arguments) {
    int size = 1024;
    long iterations = 5000;
    Path checkpoints = Path.of("checkpoints");
    long every = 0;
    Duration interval = Duration.ofSeconds(10);
    boolean asynchronous = false;
    Tiers tiers = Tiers.none();
    boolean inMemory = false;
    String job = "";
    RestartRequest restart = RestartRequest.newest();
    boolean anew = false;
    Path result = null;
    boolean progress = false;
    Words words = new Words(arguments);
    while (words.hasMore()) {
      String option = words.option();
      switch (option) {
        case "--size" -> size = (int) words.number(Integer.MAX_VALUE);
        case "--iterations" -> iterations = words.number(Long.MAX_VALUE);
        case "--checkpoints" -> checkpoints = Path.of(words.value());
        case "--every" -> every = words.number(Long.MAX_VALUE);
        case "--interval" -> interval = words.seconds();
        case "--async" -> asynchronous = true;
        case "--partner" -> tiers = tiers.partner((int) words.number(1_000_000));
        case "--erasure" -> tiers = tiers.erasure((int) words.number(1_000_000));
        case "--group" -> tiers = group(tiers, words.value());
        case "--shared" -> tiers = shared(tiers, words.value());
        case "--compression" -> tiers = compression(tiers, words.value());
        case "--in-memory" -> inMemory = true;
        case "--name" -> job = name(option, words);
        case "--job" -> restart = restart.job(words.value());
        case "--restart-version" -> restart = restart.version(words.value());
        case "--begin-anew" -> anew = true;
        case "--result" -> result = Path.of(words.value());
        case "--progress" -> progress = true;
        default -> throw words.unknown();
      }
    }
    if (anew && restart.isChoice()) {
      throw new IllegalArgumentException("--begin-anew goes on with nothing; leave out the choice");
    }
    return new Heat2DOptions(
        size,
        iterations,
        checkpoints,
        every,
        interval,
        asynchronous,
        tiers,
        inMemory,
        job,
        anew ? RestartRequest.beginAnew() : restart,
        result,
        progress);
  }

  private static Tiers group(Tiers tiers, String value) {
    String[] parts = value.split(",", -1);
    try {
      return tiers.group(Integer.parseInt(parts[0]), Integer.parseInt(parts[parts.length - 1]));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("--group needs two numbers, such as 8,2: " + value, e);
    }
  }

  private static Tiers shared(Tiers tiers, String value) {
    int comma = value.lastIndexOf(',');
    String directory = comma < 0 ? value : value.substring(0, comma);
    try {
      int every = comma < 0 ? 1 : Integer.parseInt(value.substring(comma + 1));
      return tiers.shared(DirectoryStore.shared(Path.of(directory)), every);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("--shared needs DIR,K, not " + value, e);
    } catch (IOException e) {
      throw new IllegalArgumentException("--shared: " + e.getMessage(), e);
    }
  }

  private static Tiers compression(Tiers tiers, String value) {
    try {
      return tiers.compression(Compression.parse(value));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--compression: " + e.getMessage(), e);
    }
  }

  private static String name(String option, Words words) {
    String name = words.value();
    try {
      return Options.defaults().job(name).job();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(option + ": " + e.getMessage(), e);
    }
  }
}
