// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.cairn.mesh.live.CloverLeaf.Boundaries;
import org.cairn.mesh.live.Verification.Late;
import org.junit.jupiter.api.Test;

/**
 * How much of CloverLeaf must be saved at the place that OPS chose, counted in values. What the
 * numbers mean: all 22 fields that loops write count as written everywhere; a value is live if a
 * loop of the region reads it before one overwrites it; those that no loop of the region touches
 * (corners and outer rows of halos, mostly) are undecided, and are counted apart.
 */
final class CloverLeafTest {
  /** All fields as large as those on nodes: 96 cells, one more, and two of halo at both sides. */
  private static final Box NODES = Box.of(0, 101, 0, 101);

  private final CloverLeaf asInOps = new CloverLeaf(name -> NODES, Boundaries.UPDATE);
  private final CloverLeaf exact = new CloverLeaf(name -> NODES, Boundaries.READ_NEIGHBOUR);

  @Test
  void theWayOfOpsSavesFourFieldsAndEighteenShells() {
    CloverLeaf sized = new CloverLeaf(CloverLeafTest::ownShape, Boundaries.UPDATE);
    assertThat(savedByOps(sized).values()).hasSize(22);
    assertThat(whole(sized)).isEqualTo(4);
    assertThat(sum(savedByOps(sized))).isEqualTo(55_094);
    // The same with every field as large as those on nodes.
    assertThat(whole(asInOps)).isEqualTo(4);
    assertThat(sum(savedByOps(asInOps))).isEqualTo(56_964);
  }

  /** The size that a field has in CloverLeaf, with its halo. */
  private static Box ownShape(String field) {
    boolean cells = field.matches("(density|energy).|pressure|viscosity|soundspeed");
    return Box.of(
        0, cells || field.endsWith("_y") ? 100 : 101, 0, cells || field.endsWith("_x") ? 100 : 101);
  }

  /**
   * The first access decides. A field that is written first is saved outside the range, in slabs
   * across all of it (so that corners are counted twice); any other one is saved as a whole.
   */
  private static Map<Integer, Long> savedByOps(CloverLeaf program) {
    Map<Integer, Long> saved = new HashMap<>();
    for (List<FieldAccess> accesses : program.region) {
      for (FieldAccess access : accesses) {
        Box whole = program.fields.get(access.field()).whole();
        saved.putIfAbsent(
            access.field(),
            access.mode() == Mode.WRITE ? slabs(whole, access.range()) : whole.points());
      }
    }
    return saved;
  }

  private static long slabs(Box whole, Box range) {
    long columns = whole.i1() - (range.i1() - range.i0());
    long rows = whole.j1() - (range.j1() - range.j0());
    return Math.min(whole.points(), columns * whole.j1() + rows * whole.i1());
  }

  private static long whole(CloverLeaf program) {
    return savedByOps(program).entrySet().stream()
        .filter(entry -> entry.getValue() == program.fields.get(entry.getKey()).whole().points())
        .count();
  }

  private static long sum(Map<Integer, Long> saved) {
    return saved.values().stream().mapToLong(Long::longValue).sum();
  }

  @Test
  void pointByPointFewerValuesAreLive() {
    assertThat(live(asInOps)).isEqualTo(45_390);
    assertThat(undecided(asInOps)).isEqualTo(8_369);
  }

  @Test
  void boundariesThatSayThatTheyReadTheNeighbourMakeItFewerStill() {
    // 37,747 with the stencil of four loops as OPS names it, (0, -4), which lies outside of the
    // field at row 0 and must be (0, 4): by it 19 values more are live.
    assertThat(live(exact)).isEqualTo(37_766);
    assertThat(undecided(exact)).isEqualTo(8_369);
  }

  private static long live(CloverLeaf program) {
    return predicted(program).fields().stream().mapToLong(FieldPrediction::live).sum();
  }

  private static long undecided(CloverLeaf program) {
    return predicted(program).fields().stream().mapToLong(FieldPrediction::undecided).sum();
  }

  /** The region with the last loop before it: a place is between two loops. */
  private static Prediction predicted(CloverLeaf program) {
    int last = program.ring[program.ring.length - 1];
    int[] ring = IntStream.concat(IntStream.of(last), Arrays.stream(program.ring)).toArray();
    double[] dirty = new double[program.fields.size()];
    return new Liveness(program.fields, program.loops, ring, everything(program), dirty)
        .predicted(new LoopPlace(program.ring[0], last));
  }

  private static List<Boxes> everything(CloverLeaf program) {
    return program.fields.stream().map(field -> Boxes.of(field.whole())).toList();
  }

  @Test
  void withoutAPredictionTheSameIsSavedLate() {
    List<Boxes> nothing = exact.fields.stream().map(field -> Boxes.NONE).toList();
    Verification verification = new Verification(everything(exact), nothing);
    long late = 0;
    for (int loop : exact.ring) {
      late += points(verification.before(exact.loops.get(loop)));
    }
    assertThat(late).isEqualTo(37_766);
    assertThat(points(verification.rest())).isEqualTo(8_369);
  }

  private static long points(List<Late> late) {
    return late.stream().mapToLong(one -> one.points().points()).sum();
  }
}
