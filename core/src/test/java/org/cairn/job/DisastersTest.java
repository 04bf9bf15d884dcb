// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.random.Thorough;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Tag("models")
@Thorough(times = 4)
class DisastersTest {
  private static final int SIDE_BY_SIDE = 2;
  private static final AtomicInteger RUNS = new AtomicInteger();

  @SeededTest(seeds = 25)
  @Timeout(600)
  void survives(Random random) throws Exception {
    RUNS.incrementAndGet();
    Disasters disasters = new Disasters(random);
    if (Boolean.getBoolean("cairn.trace")) {
      disasters.telling(System.out::println);
    }
    disasters.run();
  }

  @SeededTest(seeds = 10)
  @Timeout(600)
  void survivesWithCompressedSegments(Random random) throws Exception {
    Disasters.compressed(random).run();
  }

  /** Simulations know nothing of each other: as many can run at once as there are cores. */
  @Test
  @Timeout(600)
  void manySurviveSideBySide() throws Exception {
    Queue<Long> left = new ConcurrentLinkedQueue<>();
    Seeds.more("DisastersTest#manySurviveSideBySide", 12, 4).forEach(left::add);
    int count = left.size();
    long first = left.element();
    long start = System.nanoTime();
    Map<Long, Long> digests = sideBySide(left);
    System.out.printf(
        "disasters: %d on %d threads in %d s; the process has used %d s%n",
        count,
        SIDE_BY_SIDE,
        Duration.ofNanos(System.nanoTime() - start).toSeconds(),
        processTime().toSeconds());
    assertThat(digests).hasSize(count);
    assertThat(new Disasters(first).run().digest())
        .as("what happens with seed %d", first)
        .isEqualTo(digests.get(first));
  }

  private static Map<Long, Long> sideBySide(Queue<Long> seeds) throws Exception {
    Map<Long, Long> digests = new ConcurrentHashMap<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(SIDE_BY_SIDE)) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < SIDE_BY_SIDE; i++) {
        all.add(threads.submit(() -> runAll(seeds, digests)));
      }
      for (Future<?> one : all) {
        one.get();
      }
    }
    return new TreeMap<>(digests);
  }

  private static Void runAll(Queue<Long> seeds, Map<Long, Long> digests) {
    for (Long seed = seeds.poll(); seed != null; seed = seeds.poll()) {
      RUNS.incrementAndGet();
      try {
        digests.put(seed, new Disasters(seed).run().digest());
      } catch (Throwable e) {
        throw new AssertionError(
            "replay with -Dtest=DisastersTest#survives -D" + Seeds.SEED + "=" + seed, e);
      }
    }
    return null;
  }

  private static Duration processTime() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean process
        ? Duration.ofNanos(process.getProcessCpuTime())
        : Duration.ZERO;
  }

  @AfterAll
  static void nothingIsLeft() {
    assertThat(Disasters.REMAINS.count())
        .as("disasters that something keeps, of %d", Disasters.REMAINS.watched())
        .isZero();
  }

  /** A test of disasters that never happen would pass as well. */
  @AfterAll
  static void rareBranchesWereReached() {
    System.out.println("disasters: " + RUNS + " runs, " + Disasters.REACHED);
    if (RUNS.get() >= 80) {
      assertThat(Disasters.REACHED)
          .containsKeys(
              "agreed failure",
              "rebuilt from partner",
              "rebuilt from local",
              "damage found",
              "died before anything was restored",
              "killed without a word",
              "cut off",
              "a link that is cut for good",
              "a link that loses everything",
              "rebuilt from shared",
              "disks came back",
              "refused to come twice",
              "unavailable");
    }
  }
}
