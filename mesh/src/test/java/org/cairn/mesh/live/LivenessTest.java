// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.cairn.mesh.live.FieldPrediction.Reason;
import org.cairn.mesh.live.RandomLoops.Size;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

final class LivenessTest {
  // Against the plain model

  /** The plain model: each point is what the first loop that touches it makes of it. */
  private record Naive(BitSet live, BitSet dead) {
    static Naive at(RandomLoops program, int position, int field) {
      Naive naive = new Naive(new BitSet(), new BitSet());
      for (int at = position; at < program.sequence.length; at++) {
        BitSet needs = program.needs(program.sequence[at], field);
        needs.andNot(naive.dead);
        naive.live.or(needs);
        BitSet overwrites = program.overwrites(program.sequence[at], field);
        overwrites.andNot(naive.live);
        naive.dead.or(overwrites);
      }
      return naive;
    }
  }

  @SeededTest(seeds = 100)
  void everyPointIsWhatTheFirstLoopThatTouchesItMakesOfIt(Random random) {
    RandomLoops program = new RandomLoops(random, Size.LARGE);
    Liveness liveness = liveness(program, program.anyPoints());
    for (int position = 0; position < program.sequence.length; position++) {
      FieldState[] states = liveness.statesBefore(position);
      long bytes = 0;
      for (int field = 0; field < states.length; field++) {
        Naive naive = Naive.at(program, position, field);
        Boxes live = states[field].live();
        Boxes undecided = states[field].undecided();
        assertThat(points(program, field, live)).isEqualTo(naive.live);
        assertThat(points(program, field, live.plus(undecided)))
            .isEqualTo(inverse(program, field, naive.dead));
        assertThat(live.meets(undecided)).isFalse();
        bytes += states[field].save().points() * program.fields.get(field).elementBytes();
      }
      assertThat(liveness.bytesBefore(position)).isEqualTo(bytes);
    }
  }

  @SeededTest(seeds = 6)
  void tooManyBoxesBecomeLiveAndNeverDead(Random random) {
    RandomLoops program = new RandomLoops(random, Size.TINY);
    Liveness liveness = liveness(program, program.anyPoints());
    boolean collapsed = false;
    for (int position = 0; position < program.sequence.length; position += 13) {
      FieldState[] states = liveness.statesBefore(position);
      for (int field = 0; field < states.length; field++) {
        Boxes live = states[field].live();
        Boxes undecided = states[field].undecided();
        assertThat(live.size()).isLessThanOrEqualTo(Boxes.BOUND);
        assertThat(undecided.size()).isLessThanOrEqualTo(Boxes.BOUND);
        BitSet kept = points(program, field, live.plus(undecided));
        BitSet needed = inverse(program, field, Naive.at(program, position, field).dead);
        collapsed |= !kept.equals(needed);
        needed.andNot(kept);
        assertThat(needed.isEmpty()).isTrue();
      }
    }
    assertThat(collapsed).as("the rare branch was reached").isTrue();
  }

  @SeededTest(seeds = 80)
  void predictedIsWhatAnyCountedOccurrenceNeeds(Random random) {
    RandomLoops program = new RandomLoops(random, Size.LARGE);
    List<Boxes> written = program.anyPoints();
    Liveness liveness = liveness(program, written);
    for (Candidate candidate : liveness.candidates()) {
      List<Boxes> save = liveness.predicted(candidate.place()).save();
      int[] occurrences = occurrences(program.sequence, candidate.place());
      assertThat(candidate.occurrences()).isEqualTo(occurrences.length - 1);
      for (int field = 0; field < save.size(); field++) {
        BitSet expected = new BitSet();
        for (int n = 0; n < occurrences.length - 1; n++) {
          expected.or(inverse(program, field, Naive.at(program, occurrences[n], field).dead));
        }
        expected.and(points(program, field, written.get(field)));
        assertThat(points(program, field, save.get(field))).isEqualTo(expected);
      }
    }
  }

  private static int[] occurrences(int[] ring, LoopPlace place) {
    return IntStream.range(1, ring.length)
        .filter(at -> ring[at] == place.loop() && ring[at - 1] == place.before())
        .toArray();
  }

  private static Liveness liveness(RandomLoops program, List<Boxes> written) {
    return new Liveness(
        program.fields, program.loops, program.sequence, written, ones(program.fields.size()));
  }

  private static double[] ones(int length) {
    double[] ones = new double[length];
    Arrays.fill(ones, 1);
    return ones;
  }

  private static BitSet points(RandomLoops program, int field, Boxes boxes) {
    return Points.of(program.whole(field), boxes).bits;
  }

  private static BitSet inverse(RandomLoops program, int field, BitSet bits) {
    BitSet inverse = (BitSet) bits.clone();
    inverse.flip(0, (int) program.whole(field).points());
    return inverse;
  }

  // A program of four loops: heat on a plate, with the names of docs

  private static final Box PLATE = Box.of(-1, 101, -1, 101);
  private static final Box INNER = Box.of(0, 100, 0, 100);
  private static final List<Offset> STAR =
      List.of(new Offset(-1, 0, 0), new Offset(1, 0, 0), new Offset(0, -1, 0), new Offset(0, 1, 0));
  private static final int U = 0;
  private static final int V = 1;
  private static final int SOURCE = 2;
  private static final int LOG = 3;
  private static final int START = 0;
  private static final int RELAX = 1;
  private static final int CHANGE = 2;
  private static final int COPY = 3;

  private static final List<FieldShape> FIELDS =
      List.of(
          new FieldShape("u", PLATE, 8),
          new FieldShape("v", PLATE, 8),
          new FieldShape("source", PLATE, 8),
          new FieldShape("log", Box.of(0, 10), 4));

  private static final List<LoopAccess> LOOPS =
      List.of(
          loop(
              "start",
              new FieldAccess(U, Mode.WRITE, PLATE),
              new FieldAccess(LOG, Mode.WRITE, Box.of(0, 10))),
          loop(
              "relax",
              new FieldAccess(U, Mode.READ, INNER, STAR),
              new FieldAccess(SOURCE, Mode.READ, INNER),
              new FieldAccess(V, Mode.WRITE, INNER)),
          loop(
              "change", new FieldAccess(U, Mode.READ, INNER), new FieldAccess(V, Mode.READ, INNER)),
          loop(
              "copy", new FieldAccess(V, Mode.READ, INNER), new FieldAccess(U, Mode.WRITE, INNER)));

  private static final int[] RING = {
    START, RELAX, CHANGE, COPY, RELAX, CHANGE, COPY, RELAX, CHANGE, COPY, RELAX
  };

  private static LoopAccess loop(String name, FieldAccess... accesses) {
    return LoopAccess.of(name, List.of(accesses), FIELDS);
  }

  private static Liveness plate(int... ring) {
    Written written = new Written();
    for (int loop : RING) {
      written.note(loop, LOOPS.get(loop));
    }
    return new Liveness(FIELDS, LOOPS, ring, written.ofFields(FIELDS.size()), ones(FIELDS.size()));
  }

  @Test
  void thePlaceWithTheLeastToSaveIsChosen() {
    Choice choice = plate(RING).choose(3).orElseThrow();
    // Before copy, u is dead but for its edge; before relax, v is dead and u is live with its edge.
    // Edges are saved at both: they were written once, and cost the same.
    assertThat(choice.oftenEnough()).isTrue();
    assertThat(choice.best().place()).isEqualTo(new LoopPlace(RELAX, COPY));
    assertThat(choice.best().bytes()).isEqualTo(8 * PLATE.points() + 40);
    assertThat(choice.best().mostLoopsBetween()).isEqualTo(3);
    assertThat(choice.runnersUp())
        .extracting(Candidate::place)
        .containsExactly(new LoopPlace(COPY, CHANGE), new LoopPlace(CHANGE, RELAX));
    assertThat(choice.runnersUp().getLast().bytes())
        .isEqualTo(8 * (PLATE.points() + INNER.points()) + 40);
  }

  @Test
  void aFieldThatHardlyDiffersCostsLess() {
    Written written = new Written();
    for (int loop : RING) {
      written.note(loop, LOOPS.get(loop));
    }
    double[] dirty = {1, 0.25, 1, 1};
    Liveness liveness = new Liveness(FIELDS, LOOPS, RING, written.ofFields(FIELDS.size()), dirty);
    Candidate best = liveness.choose(3).orElseThrow().best();
    assertThat(best.place()).isEqualTo(new LoopPlace(COPY, CHANGE));
    assertThat(best.cost()).isLessThan(best.bytes() / 3);
  }

  @Test
  void pointsThatNoLoopChangesHardlyCount() {
    int[] withoutStart = Arrays.copyOfRange(RING, 1, RING.length);
    Candidate best = plate(withoutStart).choose(3).orElseThrow().best();
    long moving = 8 * INNER.points();
    long still = 8 * (PLATE.points() - INNER.points()) + 40;
    assertThat(best.bytes()).isEqualTo(moving + still);
    assertThat(best.cost()).isBetween(moving + still / 64, moving + still / 64 + FIELDS.size());
  }

  @Test
  void whatRecursTooSeldomIsTakenOnlyIfNothingElseDoes() {
    int[] seldom = {COPY, RELAX, CHANGE, CHANGE, CHANGE, CHANGE, COPY, RELAX, CHANGE, CHANGE};
    Liveness liveness = plate(seldom);
    assertThat(liveness.choose(6).orElseThrow().best().place())
        .isEqualTo(new LoopPlace(RELAX, COPY));
    assertThat(liveness.choose(5).orElseThrow().best().place())
        .isEqualTo(new LoopPlace(CHANGE, CHANGE));
    Choice none = liveness.choose(1).orElseThrow();
    assertThat(none.oftenEnough()).isFalse();
    assertThat(none.best().place()).isEqualTo(new LoopPlace(CHANGE, CHANGE));
    assertThat(plate(START, RELAX, CHANGE, COPY, RELAX).choose(99)).isEmpty();
    assertThat(plate().choose(99)).isEmpty();
  }

  @Test
  void aPlaceThatHasNotBeenSeenForLongIsFar() {
    int[] left = {RELAX, COPY, RELAX, COPY, RELAX, CHANGE, CHANGE, CHANGE, CHANGE, CHANGE};
    assertThat(plate(left).candidates())
        .filteredOn(one -> one.place().equals(new LoopPlace(COPY, RELAX)))
        .extracting(Candidate::mostLoopsBetween)
        .containsExactly(7);
  }

  @Test
  void aPlaceThatDoesNotComeAnyMoreIsNotChosen() {
    int[] left = {RELAX, COPY, RELAX, COPY, RELAX, CHANGE, CHANGE, CHANGE, CHANGE, CHANGE};
    assertThat(plate(left).coming())
        .extracting(Candidate::place)
        .containsExactly(new LoopPlace(CHANGE, CHANGE));
    assertThat(plate(left).choose(100).orElseThrow().best().place())
        .isEqualTo(new LoopPlace(CHANGE, CHANGE));
  }

  @Test
  void reasonsNameTheLoopThatDecides() {
    Prediction relax = plate(RING).predicted(new LoopPlace(RELAX, COPY));
    assertThat(relax.fields())
        .extracting(FieldPrediction::reason)
        .containsExactly(Reason.LIVE, Reason.DEAD, Reason.NEVER_WRITTEN, Reason.UNDECIDED);
    assertThat(relax.fields())
        .extracting(field -> field.words(LOOPS))
        .containsExactly(
            "live: read first by relax; 4 points not touched",
            "dead: overwritten first by relax",
            "never written",
            "undecided: not touched by any loop seen");
    FieldPrediction copy = plate(RING).predicted(new LoopPlace(COPY, CHANGE)).fields().get(U);
    assertThat(copy.reason()).isEqualTo(Reason.PARTLY);
    assertThat(copy.words(LOOPS))
        .isEqualTo(
            "partly: 400 points live (read first by relax), 4 not touched,"
                + " 10000 dead (overwritten first by copy)");
    assertThat(copy.save()).isEqualTo(Boxes.of(PLATE).minus(INNER));
  }

  @Test
  void aPlaceThatNobodyHasSeenSavesAllThatWasWritten() {
    Prediction prediction = plate(RING).predicted(new LoopPlace(COPY, COPY));
    assertThat(prediction.save())
        .containsExactly(Boxes.of(PLATE), Boxes.of(INNER), Boxes.NONE, Boxes.of(Box.of(0, 10)));
  }

  @Test
  void aFieldThatIsReadAndWrittenInOneLoopIsReadFirst() {
    LoopAccess writesThenReads =
        loop(
            "shift",
            new FieldAccess(U, Mode.WRITE, INNER),
            new FieldAccess(U, Mode.READ, INNER, List.of(new Offset(1, 0, 0))));
    FieldState after = new FieldStates(FIELDS.get(U), Boxes.of(PLATE), Boxes.NONE, 1).untouched();
    FieldState before = after.before(writesThenReads.effects().getFirst());
    assertThat(before.live()).isEqualTo(Boxes.of(Box.of(1, 101, 0, 100)));
    assertThat(before.dead()).isEqualTo(Boxes.of(Box.of(0, 1, 0, 100)));
  }

  @Test
  void aLoopOfTooManyRangesNeedsMoreThanItSaysAndOverwritesLess() {
    List<FieldAccess> many = new ArrayList<>();
    for (int n = 0; n <= Boxes.BOUND; n++) {
      Box range = Box.of(n, n + 1, n, n + 1);
      many.add(new FieldAccess(U, Mode.WRITE, range));
      many.add(new FieldAccess(V, Mode.READ, range));
    }
    List<Effect> effects = LoopAccess.of("diagonal", many, FIELDS).effects();
    assertThat(effects.get(U).overwrites().points()).isEqualTo(Boxes.BOUND);
    assertThat(effects.get(U).changes().list()).containsExactly(Box.of(0, 65, 0, 65));
    assertThat(effects.get(V).needs().list()).containsExactly(Box.of(0, 65, 0, 65));
  }

  @Test
  void tablesThatDoNotMatchAreRefused() {
    assertThatThrownBy(
            () -> new Liveness(FIELDS, LOOPS, RING, List.of(Boxes.NONE), ones(FIELDS.size())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "there are 4 fields, but what was written is known of 1, and what differs of 4");
  }
}
