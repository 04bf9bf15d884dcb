// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.cairn.Codec;
import org.cairn.Compression;
import org.cairn.record.Digest;
import org.cairn.testkit.random.Seeds;
import org.cairn.transform.Elements;
import org.cairn.transform.Transform;
import org.junit.jupiter.api.Test;

/** What is chosen is what the data want, and what the store is worth. */
class ChooserTest {
  private static final Elements DOUBLES = Elements.floats(8, ByteOrder.LITTLE_ENDIAN);

  /** Grows by so much with each look: every trial takes the same time. */
  private long tick = 1000;

  private long now;
  private int looks;

  private long nanos() {
    looks++;
    now += tick;
    return now;
  }

  private Chooser chooser(Compression compression) {
    return new Chooser(compression, this::nanos);
  }

  private static MemorySegment doubles(int count, IntToDoubleFunction value) {
    MemorySegment bytes = Arena.ofAuto().allocate(8L * count);
    for (int i = 0; i < count; i++) {
      bytes.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8L * i, value.applyAsDouble(i));
    }
    return bytes;
  }

  /** A field whose rows differ by a slope each, but for the last bits: no row repeats another. */
  private static TypedBytes field(String key) {
    int row = 500;
    Random random = Seeds.content(11);
    int[] first = random.ints(row, 0, 100_000).toArray();
    return new TypedBytes(
        key,
        DOUBLES,
        List.of(100L, (long) row),
        doubles(
            100 * row,
            i -> 1e6 + first[i % row] + (777 + 13 * (i % row)) * (i / row) + random.nextInt(4)));
  }

  private static TypedBytes noise(String key) {
    byte[] bytes = new byte[300_000];
    new Random(7).nextBytes(bytes);
    return new TypedBytes(key, Elements.BYTES, List.of(), MemorySegment.ofArray(bytes));
  }

  /** Few values that repeat in whole: a shuffle would hide it. */
  private static TypedBytes repeats(String key) {
    Random random = Seeds.content(3);
    double[] values = random.doubles(200).toArray();
    int[] runs = random.ints(40_000, 0, 150).toArray();
    return new TypedBytes(
        key,
        DOUBLES,
        List.of(40_000L),
        doubles(40_000, i -> values[runs[i / 8 * 8 % 4000] + i % 8]));
  }

  private static Transform transform(FramePlan plan) {
    return plan.pieces().getFirst().transform();
  }

  @Test
  void fieldsArePredictedAndRepeatsAreNotShuffled() {
    try (Chooser chooser = chooser(Compression.small())) {
      FramePlan field = chooser.plan(List.of(field("f")));
      assertThat(transform(field).prediction()).isEqualTo(Transform.Prediction.DIFFERENCE);
      assertThat(transform(field).strides()).isEqualTo(List.of(1, 500));
      assertThat(field.level()).isEqualTo(6);
      assertThat(transform(chooser.plan(List.of(repeats("r")))).shuffled()).isFalse();
      assertThat(chooser.choices()).extracting(Choice::key).containsExactlyInAnyOrder("f", "r");
    }
  }

  /** As the first ranks may have of a field in which nothing happens yet where they are. */
  @Test
  void piecesOfOneValueAreNotTransformedAndSayNothingOfTheRest() {
    TypedBytes still = new TypedBytes("f", DOUBLES, List.of(500L), doubles(50_000, _ -> 1.25));
    TypedBytes almost =
        new TypedBytes("f", DOUBLES, List.of(500L), doubles(50_000, i -> i == 49_999 ? 2 : 1.25));
    for (Compression compression : List.of(Compression.fast(), Compression.auto())) {
      try (Chooser chooser = chooser(compression)) {
        for (int set = 0; set < 3; set++) {
          FramePlan plan = chooser.plan(List.of(still, still));
          assertThat(plan.level()).isPositive();
          assertThat(plan.pieces()).extracting(Piece::transform).containsOnly(Transform.NONE);
          chooser.beginSet();
        }
        assertThat(looks).as("nothing is tried").isZero();
        FramePlan both = chooser.plan(List.of(still, field("f")));
        assertThat(both.pieces().getFirst().transform()).isEqualTo(Transform.NONE);
        assertThat(both.pieces().getLast().transform().prediction())
            .isEqualTo(Transform.Prediction.DIFFERENCE);
        assertThat(both.classes()).containsOnlyKeys("f", "f" + Chooser.ONE_VALUE);
        assertThat(chooser.plan(List.of(almost)).classes()).containsOnlyKeys("f");
      }
      looks = 0;
    }
  }

  /** What is expected is what comes out, and what is chosen is the best of what could be. */
  @Test
  void nothingThatWasNotChosenIsSmaller() {
    for (Compression compression : List.of(Compression.fast(), Compression.small())) {
      for (TypedBytes bytes : List.of(field("f"), repeats("r"), noise("n"))) {
        try (Chooser chooser = chooser(compression);
            FrameEncoder encoder = new FrameEncoder()) {
          FramePlan plan = chooser.plan(List.of(bytes));
          MemorySegment target = Arena.ofAuto().allocate(FrameEncoder.mostStored(plan.pieces()));
          long chosen = encoder.encode(plan.pieces(), plan.level(), target).storedLength();
          for (Recipe recipe : Recipe.first(bytes.elements(), 2)) {
            Piece other = new Piece(bytes.bytes(), recipe.on(bytes.elements(), bytes.shape()));
            assertThat(chosen)
                .as("%s of %s, not %s", transform(plan), bytes.key(), recipe)
                .isLessThanOrEqualTo(
                    (long)
                        (1.02
                            * encoder.encode(List.of(other), plan.level(), target).storedLength()));
          }
        }
      }
    }
  }

  @Test
  void bytesOfNoKnownTypeAreTriedAsNumbers() {
    TypedBytes known = field("f");
    TypedBytes unknown = new TypedBytes("u", Elements.BYTES, List.of(), known.bytes());
    try (Chooser chooser = chooser(Compression.fast())) {
      assertThat(transform(chooser.plan(List.of(unknown))).elements().width()).isEqualTo(8);
    }
  }

  @Test
  void whatIsSimpleIsTakenWhereNothingIsGained() {
    try (Chooser chooser = chooser(Compression.small())) {
      assertThat(transform(chooser.plan(List.of(noise("n"))))).isEqualTo(Transform.NONE);
    }
  }

  @Test
  void aSlowStoreGetsSmallDataAndAFastOneGetsThemAsTheyAre() {
    try (Chooser chooser = chooser(Compression.auto())) {
      chooser.store(1e6, 1);
      assertThat(chooser.plan(List.of(repeats("r"))).level()).isEqualTo(6);
      chooser.store(1e15, 1);
      FramePlan plan = chooser.plan(List.of(repeats("r")));
      assertThat(plan.level()).isZero();
      assertThat(plan.toString()).contains("auto").contains("MB/s");
    }
  }

  /** At a bandwidth at which a level is worth its time with four threads, but not with one. */
  @Test
  void whatWouldSaveLittleTimeIsStoredAsItIs() {
    List<Choice.Estimate> tried;
    try (Chooser chooser = chooser(Compression.auto())) {
      chooser.store(1e6, 1);
      chooser.plan(List.of(field("f")));
      tried = chooser.choices().getFirst().tried();
    }
    assertThat(levelAt(bandwidthThatSaves(0.03, tried))).isZero();
    assertThat(levelAt(bandwidthThatSaves(0.10, tried))).isPositive();
  }

  private int levelAt(double bytesPerSecond) {
    try (Chooser chooser = chooser(Compression.auto())) {
      chooser.store(bytesPerSecond, 1);
      return chooser.plan(List.of(field("f"))).level();
    }
  }

  /** With which compressing takes such a share less than storing data as they are. */
  private static double bandwidthThatSaves(double share, List<Choice.Estimate> tried) {
    return tried.stream()
        .filter(estimate -> estimate.level() > 0)
        .mapToDouble(estimate -> (1 - share - estimate.stored()) / estimate.nanosPerByte() * 1e9)
        .max()
        .orElseThrow();
  }

  @Test
  void moreThreadsMakeCompressionWorthIt() {
    tick = 100_000;
    try (Chooser chooser = chooser(Compression.auto())) {
      double even = 0;
      for (double bandwidth = 1e6; bandwidth < 1e13; bandwidth *= 1.1) {
        chooser.store(bandwidth, 1);
        if (chooser.plan(List.of(field("f"))).level() == 0) {
          even = bandwidth;
          break;
        }
      }
      chooser.store(even, 4);
      assertThat(chooser.plan(List.of(field("f"))).level()).isPositive();
      chooser.store(8 * even, 4);
      assertThat(chooser.plan(List.of(field("f"))).level()).isZero();
    }
  }

  /** A store so fast that no compressor keeps up: nobody looks twice. */
  @Test
  void whereNothingIsWorthItNothingIsTried() {
    try (Chooser chooser = chooser(Compression.auto())) {
      chooser.store(1e15, 1);
      assertThat(chooser.plan(List.of(field("f"))).level()).isZero();
      int first = looks;
      assertThat(first).as("one trial").isLessThanOrEqualTo(3);
      assertThat(chooser.plan(List.of(field("g"), field("f"))).level()).isZero();
      assertThat(looks).isEqualTo(first);
      chooser.store(1e6, 1);
      assertThat(chooser.plan(List.of(field("g"))).level()).isPositive();
      assertThat(looks).isGreaterThan(first);
    }
  }

  @Test
  void levelsAreThoseOfMostOfTheFrame() {
    try (Chooser chooser = chooser(Compression.auto())) {
      chooser.store(50e6, 1);
      List<TypedBytes> pieces = new ArrayList<>(List.of(field("f"), noise("n")));
      assertThat(chooser.plan(pieces).pieces()).hasSize(2);
      assertThat(chooser.plan(pieces).classes()).containsOnlyKeys("f", "n");
    }
  }

  private static FrameInfo stored(FramePlan plan, double timesExpected) {
    long expected =
        (long) plan.classes().values().stream().mapToDouble(FramePlan.Expected::storedBytes).sum();
    return new FrameInfo((long) (expected * timesExpected), 400_000, Codec.ZSTD, Digest.NONE);
  }

  /** Whether the chooser looked at the clock, that is, tried something. */
  private boolean tries(Chooser chooser, double timesExpected) {
    int before = looks;
    FramePlan plan = chooser.plan(List.of(field("f")));
    chooser.stored(plan, stored(plan, timesExpected));
    chooser.beginSet();
    return looks > before;
  }

  @Test
  void aChoiceHoldsForSixteenSets() {
    try (Chooser chooser = chooser(Compression.small())) {
      for (int set = 0; set < 40; set++) {
        assertThat(tries(chooser, 1.3 + set % 2 * 0.05)).as("set %d", set).isEqualTo(set % 16 == 0);
      }
    }
  }

  /** Names may have numbers that grow for ever. */
  @Test
  void classesThatDoNotComeAgainAreForgotten() {
    try (Chooser chooser = chooser(Compression.small())) {
      for (int set = 0; set < 100; set++) {
        chooser.beginSet();
        chooser.plan(List.of(tiny("it=" + set), field("f")));
      }
      assertThat(chooser.choices()).hasSizeBetween(2, Chooser.SETS + 2);
    }
  }

  @Test
  void aChoiceIsMadeAnewWhenTheRatioMoves() {
    try (Chooser chooser = chooser(Compression.small())) {
      assertThat(tries(chooser, 1)).isTrue();
      assertThat(tries(chooser, 1.08)).isFalse();
      assertThat(tries(chooser, 1.12)).isFalse();
      assertThat(tries(chooser, 1.12)).isTrue();
      assertThat(tries(chooser, 1.12)).isFalse();
      assertThat(tries(chooser, 0.95)).isFalse();
      assertThat(tries(chooser, 0.95)).isTrue();
    }
  }

  @Test
  void aChoiceOfTooLittleIsMadeAnewWhenThereIsMore() {
    TypedBytes all = field("f");
    TypedBytes little = new TypedBytes("f", DOUBLES, all.shape(), all.bytes().asSlice(0, 40_000));
    TypedBytes tiny = new TypedBytes("f", DOUBLES, all.shape(), all.bytes().asSlice(0, 800));
    try (Chooser chooser = chooser(Compression.fast())) {
      chooser.plan(List.of(tiny));
      assertThat(looks).as("not worth trying").isZero();
      chooser.plan(List.of(little));
      int first = looks;
      assertThat(first).isPositive();
      chooser.plan(List.of(little));
      assertThat(looks).isEqualTo(first);
      chooser.plan(List.of(all));
      assertThat(looks).isGreaterThan(first);
      int second = looks;
      chooser.plan(List.of(little));
      chooser.plan(List.of(all, all, all));
      assertThat(looks).isEqualTo(second);
    }
  }

  /** With hundreds of small classes, trials of each would take longer than the work. */
  @Test
  void whereSpeedCountsTrialsHaveBounds() {
    try (Chooser chooser = chooser(Compression.fast())) {
      int[] tried = new int[2];
      for (int half = 0; half < 2; half++) {
        for (int i = 0; i < 100; i++) {
          int before = looks;
          FramePlan plan = chooser.plan(List.of(field("f" + 100 * half + i)));
          assertThat(transform(plan).strides()).isEqualTo(List.of(1, 500));
          tried[half] += looks > before ? 1 : 0;
        }
      }
      assertThat(tried[0]).isBetween(2, 20);
      assertThat(tried[1]).as("those that wait have their turn").isBetween(5, 20);
    }
  }

  /** The first rank's part of a field may be nothing but zeros. */
  @Test
  void aChoiceIsMadeAnewWhenTheSampleWasUnlikeTheRest() {
    TypedBytes field = field("f");
    TypedBytes zeros = new TypedBytes("f", DOUBLES, field.shape(), doubles(50_000, _ -> 0.0));
    try (Chooser chooser = chooser(Compression.small());
        FrameEncoder encoder = new FrameEncoder()) {
      MemorySegment target = Arena.ofAuto().allocate(500_000);
      List<Transform> chosen = new ArrayList<>();
      for (int frame = 0; frame < 8; frame++) {
        FramePlan plan = chooser.plan(List.of(frame == 0 ? zeros : field));
        chooser.stored(plan, encoder.encode(plan.pieces(), plan.level(), target));
        chosen.add(transform(plan));
      }
      assertThat(chosen.getFirst()).isEqualTo(Transform.NONE);
      assertThat(chosen.getLast().strides()).isEqualTo(List.of(1, 500));
    }
  }

  /** How many of a hundred classes are tried. */
  private int triedOfHundred(double bandwidth) {
    int tried = 0;
    try (Chooser chooser = chooser(Compression.auto())) {
      chooser.store(bandwidth, 1);
      for (int i = 0; i < 100; i++) {
        int before = looks;
        chooser.plan(List.of(field("f" + i)));
        tried += looks > before ? 1 : 0;
      }
    }
    return tried;
  }

  /** A trial costs its time, and what it saves is worth as much as the store takes for it. */
  @Test
  void aSlowStoreLeavesTimeForTrials() {
    tick = 1_000_000;
    assertThat(triedOfHundred(1e6)).isEqualTo(100);
    assertThat(triedOfHundred(20e6)).isBetween(5, 40);
  }

  /** Two values in a row come again, but far away: the lowest level has forgotten them by then. */
  @Test
  void repeatsThatOnlyHigherLevelsFindAreNotHidden() {
    Random random = Seeds.content(5);
    int half = 30_000;
    double[] values =
        random
            .longs(half, 0, 1L << 48)
            .mapToDouble(bits -> Double.longBitsToDouble(0x3FF0L << 48 | bits))
            .toArray();
    int[] pairs = random.ints(half, 0, half / 2).toArray();
    TypedBytes all =
        new TypedBytes(
            "f",
            DOUBLES,
            List.of(2L * half),
            doubles(2 * half, i -> values[i < half ? i : 2 * pairs[i / 2 - half / 2] + i % 2]));
    try (Chooser low = chooser(Compression.small(1));
        Chooser high = chooser(Compression.small(6))) {
      assertThat(transform(low.plan(List.of(all))).shuffled()).isTrue();
      assertThat(transform(high.plan(List.of(all)))).isEqualTo(Transform.NONE);
    }
  }

  @Test
  void dataThatWereCompressedBeforeAreNotTried() {
    TypedBytes coded = new TypedBytes("c", DOUBLES, List.of(), noise("c").bytes(), true);
    try (Chooser chooser = chooser(Compression.small())) {
      assertThat(transform(chooser.plan(List.of(coded)))).isEqualTo(Transform.NONE);
      assertThat(looks).isZero();
    }
  }

  @Test
  void noneTriesNothing() {
    try (Chooser chooser = chooser(Compression.none())) {
      FramePlan plan = chooser.plan(List.of(field("f")));
      assertThat(plan.level()).isZero();
      assertThat(looks).isZero();
      assertThat(plan).hasToString("not compressed (as asked for)");
    }
  }

  @Test
  void samplesAreRunsOfSeveralPiecesAndEnough() {
    List<TypedBytes> pieces = List.of(field("f"), field("f"), field("f"));
    assertThat(Samples.of(pieces, Trials.SAMPLE)).hasSize(2);
    assertThat(sampled(pieces)).isEqualTo(Trials.SAMPLE);
    assertThat(sampled(List.of(field("f"), tiny("f")))).isEqualTo(Trials.SAMPLE);
    assertThat(sampled(List.of(tiny("f"), tiny("f"), tiny("f")))).isEqualTo(3 * 800);
    assertThat(sampled(List.of())).isZero();
  }

  private static TypedBytes tiny(String key) {
    return new TypedBytes(key, DOUBLES, List.of(), MemorySegment.ofArray(new byte[800]));
  }

  private static long sampled(List<TypedBytes> pieces) {
    return Samples.of(pieces, Trials.SAMPLE).stream().mapToLong(s -> s.bytes().byteSize()).sum();
  }

  @Test
  void compressionsHaveNames() {
    for (String name : List.of("none", "fast", "small", "auto")) {
      assertThat(Compression.parse(name.toUpperCase(Locale.ROOT))).hasToString(name);
    }
    assertThat(Compression.small(9)).hasToString("small (level 9)");
    assertThatThrownBy(() -> Compression.parse("tiny"))
        .hasMessageContaining("none, fast, small, auto");
    assertThatThrownBy(() -> Compression.small(20)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Compression.small(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void recipesFollowTheShape() {
    Recipe lorenzo = new Recipe(Transform.Prediction.DIFFERENCE, 3, true, 0);
    assertThat(lorenzo.on(DOUBLES, List.of(4L, 5L, 6L)).strides()).isEqualTo(List.of(1, 6, 30));
    assertThat(lorenzo.on(DOUBLES, List.of(9L, 4L, 5L, 6L)).strides()).isEqualTo(List.of(1, 6, 30));
    assertThat(lorenzo.on(DOUBLES, List.of(4L, 1L, 6L)).strides()).isEqualTo(List.of(1, 6));
    assertThat(lorenzo.on(DOUBLES, List.of(4L, 6L, 1L)).strides()).isEqualTo(List.of(1, 6));
    assertThat(lorenzo.on(DOUBLES, List.of()).strides()).isEqualTo(List.of(1));
    assertThat(lorenzo.on(DOUBLES, List.of(9L, 1L << 40)).strides()).isEqualTo(List.of(1));
    assertThat(lorenzo.on(DOUBLES, List.of(9L, 0L, 3L)).strides()).isEqualTo(List.of(1, 3));
  }
}
