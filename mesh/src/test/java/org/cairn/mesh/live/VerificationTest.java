// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.cairn.mesh.live.RandomLoops.Size;
import org.cairn.mesh.live.Verification.Late;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

final class VerificationTest {
  // Against the plain model

  @SeededTest(seeds = 100)
  void lateIsWhatALoopNeedsOfWhatIsUndecidedAndNothingElse(Random random) {
    RandomLoops program = new RandomLoops(random, Size.LARGE);
    List<Boxes> written = program.anyPoints();
    List<Boxes> saved = program.anyPoints();
    Verification verification = new Verification(written, saved);
    List<BitSet> undecided = difference(program, written, saved);
    for (int loop : program.sequence) {
      List<BitSet> late = points(program, verification.before(program.loops.get(loop)));
      for (int field = 0; field < undecided.size(); field++) {
        BitSet needs = program.needs(loop, field);
        needs.and(undecided.get(field));
        assertThat(late.get(field)).isEqualTo(needs);
        undecided.get(field).andNot(needs);
        undecided.get(field).andNot(program.overwrites(loop, field));
      }
      assertThat(points(program, verification.rest())).isEqualTo(undecided);
      assertThat(verification.isDecided()).isEqualTo(undecided.stream().allMatch(BitSet::isEmpty));
    }
  }

  private static List<BitSet> difference(
      RandomLoops program, List<Boxes> written, List<Boxes> saved) {
    List<BitSet> difference = new ArrayList<>();
    for (int field = 0; field < written.size(); field++) {
      BitSet points = Points.of(program.whole(field), written.get(field)).bits;
      points.andNot(Points.of(program.whole(field), saved.get(field)).bits);
      difference.add(points);
    }
    return difference;
  }

  private static List<BitSet> points(RandomLoops program, List<Late> late) {
    List<BitSet> points = new ArrayList<>();
    program.fields.forEach(field -> points.add(new BitSet()));
    late.forEach(
        one -> points.set(one.field(), Points.of(program.whole(one.field()), one.points()).bits));
    return points;
  }

  // Values come back

  /** What is said at the place of what is to be saved. */
  private enum Predicted {
    FROM_THE_LOOPS_BEFORE,
    FROM_ALL_LOOPS,
    ANYTHING,
    NOTHING
  }

  @SeededTest(seeds = 80)
  void whateverWasPredictedTheLoopsAfterThePlaceReadWhatTheyWouldHaveRead(
      Predicted predicted, Random random) {
    checkpointAndRestart(new RandomLoops(random, Size.LARGE), predicted, random);
  }

  @SeededTest(seeds = 2)
  void soTheyDoWithMoreBoxesThanAreKept(Predicted predicted, Random random) {
    checkpointAndRestart(new RandomLoops(random, Size.TINY), predicted, random);
  }

  private static void checkpointAndRestart(
      RandomLoops program, Predicted predicted, Random random) {
    int place = random.nextInt(program.sequence.length);
    int commit = random.nextInt(place, program.sequence.length);
    long seedOfInitial = random.nextLong();
    SimulatedRun first = new SimulatedRun(program, new Random(seedOfInitial));
    for (int at = 0; at < place; at++) {
      first.run(at);
    }
    List<Boxes> written = program.writtenBefore(place);
    List<Boxes> saved = save(program, predicted, place, written);
    SimulatedRun second = restarted(program, written, seedOfInitial, random);
    for (int field = 0; field < saved.size(); field++) {
      second.take(field, saved.get(field), first);
    }
    Verification verification = new Verification(written, saved);
    long[] read = new long[program.sequence.length];
    for (int at = place; at < program.sequence.length; at++) {
      if (at <= commit) {
        takeAll(verification.before(program.loops.get(program.sequence[at])), second, first);
      }
      if (at == commit) {
        takeAll(verification.rest(), second, first);
      }
      read[at] = first.run(at);
    }
    for (int at = place; at < program.sequence.length; at++) {
      assertThat(second.run(at)).as("place %d, loop at %d", place, at).isEqualTo(read[at]);
    }
  }

  private static List<Boxes> save(
      RandomLoops program, Predicted predicted, int place, List<Boxes> written) {
    return switch (predicted) {
      case NOTHING -> written.stream().map(boxes -> Boxes.NONE).toList();
      case ANYTHING -> program.anyPoints();
      case FROM_THE_LOOPS_BEFORE ->
          predict(program, written, Arrays.copyOf(program.sequence, place), place);
      case FROM_ALL_LOOPS -> predict(program, written, program.sequence, place);
    };
  }

  private static List<Boxes> predict(
      RandomLoops program, List<Boxes> written, int[] ring, int place) {
    double[] dirty = new double[program.fields.size()];
    Liveness liveness = new Liveness(program.fields, program.loops, ring, written, dirty);
    int before = place == 0 ? -1 : program.sequence[place - 1];
    return liveness.predicted(new LoopPlace(program.sequence[place], before)).save();
  }

  /** A process that has run its initial phase again; what was written since holds nothing. */
  private static SimulatedRun restarted(
      RandomLoops program, List<Boxes> written, long seedOfInitial, Random random) {
    SimulatedRun restarted = new SimulatedRun(program, new Random(seedOfInitial));
    SimulatedRun garbage = new SimulatedRun(program, random);
    for (int field = 0; field < written.size(); field++) {
      restarted.take(field, written.get(field), garbage);
    }
    return restarted;
  }

  private static void takeAll(List<Late> late, SimulatedRun to, SimulatedRun from) {
    late.forEach(one -> to.take(one.field(), one.points(), from));
  }

  // One by one

  private static final List<FieldShape> FIELDS =
      List.of(new FieldShape("u", Box.of(0, 1000), 8), new FieldShape("v", Box.of(0, 10), 8));

  private static LoopAccess loop(FieldAccess... accesses) {
    return LoopAccess.of("loop", List.of(accesses), FIELDS);
  }

  private static Verification nothingSaved() {
    return new Verification(
        List.of(Boxes.of(Box.of(0, 1000)), Boxes.NONE), List.of(Boxes.NONE, Boxes.NONE));
  }

  @Test
  void pointsThatAreWrittenInPartOrAddedToAreSavedBeforeTheyChange() {
    for (Mode mode : List.of(Mode.READ, Mode.UPDATE, Mode.WRITE_SOME, Mode.INCREMENT)) {
      Verification verification = nothingSaved();
      assertThat(verification.before(loop(new FieldAccess(0, mode, Box.of(3, 7)))))
          .containsExactly(new Late(0, Boxes.of(Box.of(3, 7))));
      assertThat(verification.before(loop(new FieldAccess(0, mode, Box.of(3, 7))))).isEmpty();
    }
  }

  @Test
  void whatWasNotWrittenBeforeThePlaceIsNotAskedFor() {
    Verification verification = nothingSaved();
    verification.before(loop(new FieldAccess(0, Mode.WRITE, Box.of(0, 1000))));
    assertThat(verification.isDecided()).isTrue();
    assertThat(verification.before(loop(new FieldAccess(1, Mode.READ, Box.of(0, 10))))).isEmpty();
    assertThat(verification.rest()).isEmpty();
  }

  @Test
  void aFieldThatWasMadeAfterThePlaceIsNotAskedFor() {
    Verification verification =
        new Verification(List.of(Boxes.of(Box.of(0, 1000))), List.of(Boxes.NONE));
    assertThat(verification.before(loop(new FieldAccess(1, Mode.READ, Box.of(0, 10))))).isEmpty();
  }

  @Test
  void beforeUndecidedPointsNeedTooManyBoxesTheyAreSaved() {
    Verification verification = nothingSaved();
    for (int n = 1; n < Boxes.BOUND; n++) {
      LoopAccess cut = loop(new FieldAccess(0, Mode.WRITE, Box.of(10 * n, 10 * n + 1)));
      assertThat(verification.before(cut)).isEmpty();
    }
    Boxes undecided = verification.rest().getFirst().points();
    assertThat(undecided.size()).isEqualTo(Boxes.BOUND);
    assertThat(verification.before(loop(new FieldAccess(0, Mode.WRITE, Box.of(5, 6)))))
        .containsExactly(new Late(0, undecided));
    assertThat(verification.isDecided()).isTrue();
  }

  @Test
  void listsOfDifferentLengthAreRefused() {
    assertThatThrownBy(() -> new Verification(List.of(Boxes.NONE), List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("written are 1 fields, saved are 0");
  }
}
