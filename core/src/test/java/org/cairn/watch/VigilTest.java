// SPDX-License-Identifier: Apache-2.0
package org.cairn.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks that only exist as vigils; time passes in beats. */
class VigilTest {
  private static final Duration LIMIT = Duration.ofSeconds(100);

  /** A job whose ranks wait, unless told. */
  private static final class Job {
    final List<Vigil> vigils = new ArrayList<>();
    final Set<Integer> gone = new HashSet<>();
    final Set<Integer> computing = new HashSet<>();
    final Map<Integer, List<byte[]>> messages = new HashMap<>();
    final Map<Integer, List<Integer>> senders = new HashMap<>();
    final Duration period;
    final Random random;
    Consumer<Runnable> delay = Runnable::run;
    boolean alwaysLate;
    int sent;

    Job(int ranks, long seed) {
      period = Vigil.period(ranks, LIMIT);
      random = new Random(seed);
      for (int rank = 0; rank < ranks; rank++) {
        vigils.add(new Vigil(rank, ranks, period));
      }
    }

    /** Every rank beats once, in an order of its own; at times what it says is a beat late. */
    void beat() throws IOException {
      List<Runnable> late = new ArrayList<>();
      boolean delayed = random.nextBoolean() || alwaysLate;
      delay = delayed ? late::add : Runnable::run;
      List<Integer> order = new ArrayList<>();
      for (int rank = 0; rank < vigils.size(); rank++) {
        order.add(rank);
      }
      Collections.shuffle(order, random);
      for (int rank : order) {
        if (!gone.contains(rank)) {
          beat(rank);
        }
      }
      late.forEach(Runnable::run);
    }

    private void beat(int rank) throws IOException {
      Vigil vigil = vigils.get(rank);
      vigil.pass(period.toNanos(), computing.contains(rank));
      List<byte[]> arrived = messages.getOrDefault(rank, List.of());
      for (int i = 0; i < arrived.size(); i++) {
        int from = Objects.requireNonNull(senders.get(rank)).get(i);
        vigil.hear(from, Beat.of(arrived.get(i), from));
      }
      messages.remove(rank);
      senders.remove(rank);
      OptionalInt to = vigil.next();
      if (to.isPresent()) {
        send(rank, to.getAsInt(), vigil.beat(false));
      }
    }

    void send(int from, int to, Beat beat) {
      sent++;
      byte[] bytes = beat.toBytes();
      delay.accept(
          () -> {
            messages.computeIfAbsent(to, _ -> new ArrayList<>()).add(bytes);
            senders.computeIfAbsent(to, _ -> new ArrayList<>()).add(from);
          });
    }

    void leave(int rank) {
      delay = Runnable::run;
      Vigil vigil = vigils.get(rank);
      vigil.successors().forEach(to -> send(rank, to, vigil.beat(true)));
      gone.add(rank);
    }

    int beatsIn(Duration time) {
      return (int) time.dividedBy(period);
    }

    Duration longestQuiet() {
      return IntStream.range(0, vigils.size())
          .filter(rank -> !gone.contains(rank))
          .mapToObj(rank -> vigils.get(rank).quiet())
          .max(Duration::compareTo)
          .orElseThrow();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 7, 16, 33, 64})
  void aRankThatComputesIsSeenByAllForEver(int ranks) throws IOException {
    Job job = new Job(ranks, ranks);
    job.computing.add(ranks / 2);
    for (int i = 0; i < 5 * job.beatsIn(LIMIT); i++) {
      job.beat();
      assertThat(job.longestQuiet()).isLessThan(LIMIT.dividedBy(2));
    }
    assertThat(job.vigils).extracting(Vigil::absent).containsOnly(Optional.empty());
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 16, 64})
  void whereAllWaitAllKnowIt(int ranks) throws IOException {
    Job job = new Job(ranks, ranks);
    job.computing.add(0);
    for (int i = 0; i < job.beatsIn(LIMIT); i++) {
      job.beat();
    }
    job.computing.clear();
    job.alwaysLate = true;
    int beats = job.beatsIn(LIMIT.multipliedBy(3).dividedBy(2));
    for (int i = 0; i < beats; i++) {
      job.beat();
    }
    assertThat(job.vigils).allMatch(vigil -> vigil.quiet().compareTo(LIMIT) > 0);
    assertThat(job.sent).as("a message a beat").isEqualTo(ranks * (beats + job.beatsIn(LIMIT)));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 7, 16, 33, 64})
  void theGoneAreNamedByAllAndNobodyElseIs(int ranks) throws IOException {
    for (int seed = 0; seed < 10; seed++) {
      Job job = new Job(ranks, seed);
      for (int i = 0; i < 10; i++) {
        job.beat();
      }
      int silent = job.random.nextInt(ranks);
      job.gone.add(silent);
      int left = ranks > 2 ? (silent + 1 + job.random.nextInt(ranks - 1)) % ranks : silent;
      if (left != silent) {
        job.leave(left);
      }
      for (int i = 0; i < job.beatsIn(LIMIT); i++) {
        job.beat();
      }
      for (int rank = 0; rank < ranks; rank++) {
        if (!job.gone.contains(rank)) {
          String words = job.vigils.get(rank).absent().orElse("");
          assertThat(words.split(", ")).as("seed %d: %s", seed, words).hasSize(job.gone.size());
          assertThat(words).contains("rank " + silent + " is silent");
          assertThat(left == silent || words.contains("rank " + left + " has closed")).isTrue();
        }
      }
    }
  }

  /** Half of the ranks have closed; one that still computes must be seen by all the others. */
  @ParameterizedTest
  @ValueSource(ints = {4, 7, 16, 64})
  void whoLeavesDoesNotCutOffOthers(int ranks) throws IOException {
    for (int seed = 0; seed < 10; seed++) {
      Job job = new Job(ranks, seed);
      int worker = job.random.nextInt(ranks);
      job.computing.add(worker);
      for (int i = 0; i < ranks / 2; i++) {
        int leaver = job.random.nextInt(ranks);
        if (leaver != worker && !job.gone.contains(leaver)) {
          job.leave(leaver);
        }
        job.beat();
      }
      for (int i = 0; i < 3 * job.beatsIn(LIMIT); i++) {
        job.beat();
        assertThat(job.longestQuiet()).as("seed " + seed).isLessThan(LIMIT);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 16})
  void whoIsHeardAgainIsNotSilentAnyMore(int ranks) throws IOException {
    Job job = new Job(ranks, ranks);
    job.gone.add(1);
    for (int i = 0; i < job.beatsIn(LIMIT); i++) {
      job.beat();
    }
    assertThat(job.vigils.getFirst().absent()).isPresent();
    job.gone.clear();
    job.alwaysLate = true;
    for (int i = 0; i < job.beatsIn(LIMIT); i++) {
      job.beat();
    }
    assertThat(job.vigils).extracting(Vigil::absent).containsOnly(Optional.empty());
  }
}
