// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.cairn.plan.Checks;

/**
 * How fast hashes are, by the size of blocks, the kind of memory and the number of threads (figures
 * 7.5 to 7.9 of Ferreira 2011). Everything is measured in turn, round after round, so that noise of
 * the machine strikes all alike; the medians count.
 */
public final class HashRates {
  private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(2);

  /** Blocks that it is done with: the code for small and large ones is not the same. */
  private static final int[] WARM_UP_BLOCKS = {128, 16 << 10};

  /**
   * What is measured.
   *
   * @param place memory, and who hashes it
   * @param threads of the processor; 1 for a device
   */
  public record Setting(StudiedHash hash, Place place, int threads, int block) {}

  /** What came out. */
  public record Measured(Setting setting, Rate rate) {}

  private final List<Setting> settings;
  private final long warmUpBytes;
  private final int rounds;
  private final IntConsumer progress;
  private int passes;

  private HashRates(List<Setting> settings, long warmUpBytes, int rounds, IntConsumer progress) {
    this.settings = settings;
    this.warmUpBytes = warmUpBytes;
    this.rounds = rounds;
    this.progress = progress;
  }

  /** All combinations, leaving out what a place does not compute. */
  public static List<Setting> settings(
      List<StudiedHash> hashes, List<Place> places, List<Integer> threads, List<Integer> blocks) {
    BlockSizes.check(blocks);
    List<Setting> settings = new ArrayList<>();
    for (Place place : places) {
      for (int count : place.usesThreads() ? threads : List.of(1)) {
        for (StudiedHash hash : hashes) {
          for (int block : blocks) {
            if (place.computes(hash)) {
              settings.add(new Setting(hash, place, count, block));
            }
          }
        }
      }
    }
    return settings;
  }

  /**
   * Measures all settings.
   *
   * @param warmUpBytes how much is hashed before anything counts, of each hash and memory; XXH3 has
   *     another kernel after 256 MiB
   * @param progress is told how many of {@link #passes} are done
   */
  public static List<Measured> measure(
      List<Setting> settings, long warmUpBytes, int rounds, IntConsumer progress)
      throws InterruptedException {
    Checks.some(rounds, "the number of rounds");
    return new HashRates(settings, warmUpBytes, rounds, progress).measure();
  }

  /** How often memory is gone through, after the warm-up. */
  public static int passes(List<Setting> settings, int rounds) {
    return settings.size() * (rounds + 1);
  }

  private List<Measured> measure() throws InterruptedException {
    for (Setting setting : settings.stream().map(HashRates::alone).distinct().toList()) {
      warmUp(setting);
    }
    List<List<Rate>> rates = new ArrayList<>();
    settings.forEach(_ -> rates.add(new ArrayList<>()));
    // One round more: the first one shows compilers what is to come, and is forgotten.
    for (int round = -1; round < rounds; round++) {
      for (int i = 0; i < settings.size(); i++) {
        Rate rate = pass(settings.get(i));
        progress.accept(++passes);
        if (round >= 0) {
          rates.get(i).add(rate);
        }
      }
    }
    List<Measured> measured = new ArrayList<>();
    for (int i = 0; i < settings.size(); i++) {
      measured.add(new Measured(settings.get(i), Rate.median(rates.get(i))));
    }
    return measured;
  }

  private static Setting alone(Setting setting) {
    return new Setting(setting.hash, setting.place, 1, WARM_UP_BLOCKS[0]);
  }

  private void warmUp(Setting any) throws InterruptedException {
    for (int block : WARM_UP_BLOCKS) {
      Setting setting = new Setting(any.hash, any.place, 1, block);
      long begin = System.nanoTime();
      long done = 0;
      while (done < warmUpBytes / WARM_UP_BLOCKS.length
          && System.nanoTime() - begin < LONGEST_WARM_UP.toNanos()) {
        pass(setting);
        done += setting.place.bytes();
      }
    }
  }

  private static Rate pass(Setting setting) throws InterruptedException {
    Place place = setting.place;
    Rate rate =
        Rate.of(
            place.bytes(),
            setting.threads,
            (thread, threads) -> place.hash(setting.hash, setting.block, thread, threads));
    return place.usesThreads() ? rate : new Rate(rate.byClock(), Double.NaN);
  }
}
