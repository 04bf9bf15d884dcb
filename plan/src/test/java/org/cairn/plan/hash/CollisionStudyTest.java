// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.statistics.distribution.BinomialDistribution;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CollisionStudyTest {
  private static final List<StudiedHash> SUMS = hashes("adler-32", "fletcher-32-mod-65535");

  private static List<StudiedHash> hashes(String... names) {
    return List.of(names).stream().map(StudiedHash::parse).toList();
  }

  private static List<Change> patterns(String... texts) {
    return List.<String>of(texts).stream().<Change>map(Change.Xor::parse).toList();
  }

  private static List<Outcome> run(
      List<StudiedHash> hashes, List<Change> changes, List<Integer> blocks, long n, long seed) {
    return CollisionStudy.run(new StudyPlan(hashes, changes, blocks, n, 0, seed), 2, _ -> {});
  }

  /** With any seed: what was seen is not so rare that theory would be wrong. */
  @SeededTest(seeds = 1)
  void sumsMissOneBitAsOftenAsCounted(long seed) {
    List<Outcome> outcomes = run(SUMS, patterns("1"), List.of(128, 256, 512), 8_000, seed);
    assertThat(outcomes).hasSize(6).allSatisfy(CollisionStudyTest::isLikely);
    assertThat(outcomes.getFirst().missed().hits()).isPositive();
  }

  private static void isLikely(Outcome outcome) {
    Proportion missed = outcome.missed();
    var theory = BinomialDistribution.of((int) missed.trials(), outcome.expected().orElseThrow());
    assertThat(theory.cumulativeProbability((int) missed.hits()))
        .as("few: %s", outcome)
        .isGreaterThan(1e-7);
    assertThat(theory.survivalProbability((int) missed.hits() - 1))
        .as("many: %s", outcome)
        .isGreaterThan(1e-7);
  }

  /** As a user sees it: the values are within the intervals of 95 % that stand beside them. */
  @Test
  void exactValuesAreWithinTheirIntervals() {
    assertThat(run(SUMS, patterns("1"), List.of(128, 256, 512, 1024), 10_000, 1))
        .allSatisfy(
            outcome ->
                assertThat(outcome.missed().covers(outcome.expected().orElseThrow()))
                    .as(outcome.toString())
                    .isTrue());
  }

  @Test
  void rotatingXorOf32BitsMissesEverything() {
    assertThat(
            run(hashes("rotating-xor-32"), Change.Xor.ofThePaper(), List.of(128, 32 << 10), 100, 1))
        .hasSize(12)
        .allSatisfy(
            outcome -> {
              assertThat(outcome.missed()).isEqualTo(new Proportion(100, 100));
              assertThat(outcome.expected()).hasValue(1);
            });
  }

  @Test
  void rotatingXorOf64BitsMissesFrom64ElementsOn() {
    for (Outcome outcome :
        run(
            hashes("rotating-xor"),
            patterns("1", "2", "4", "8", "16"),
            List.of(128, 256, 512, 1024, 4096),
            100,
            1)) {
      boolean odd = outcome.change().label().equals("1 bit");
      boolean all = outcome.block() >= 1024 || (outcome.block() == 512 && !odd);
      assertThat(outcome.missed().hits()).as(outcome.toString()).isEqualTo(all ? 100 : 0);
      assertThat(outcome.expected()).hasValue(all ? 1 : 0);
    }
  }

  /** Half of all patterns have an even number of bits. */
  @Test
  void rotatingXorOf64BitsMissesHalfOfTheRandomPatternsOf64Elements() {
    Outcome outcome =
        run(hashes("rotating-xor"), patterns("random"), List.of(512), 2000, 1).getFirst();
    assertThat(outcome.expected()).hasValue(0.5);
    assertThat(outcome.missed().covers(0.5)).isTrue();
  }

  @Test
  void mixingHashesMissNothing() {
    assertThat(
            run(
                hashes("xxh3-128", "xxh3-64", "xxh3-32", "crc32", "crc32c", "md5", "sha-256"),
                Change.Xor.ofThePaper(),
                List.of(128, 4096),
                300,
                1))
        .allSatisfy(outcome -> assertThat(outcome.missed().hits()).isZero());
  }

  /** What table I prints for Fletcher-32 is what few, but well-mixed bits miss. */
  @Test
  void fewWellMixedBitsMissAsManyOfEveryChange() {
    List<Outcome> outcomes =
        run(hashes("xxh3-8"), Change.Xor.ofThePaper(), List.of(128, 1024), 3000, 1);
    assertThat(outcomes).hasSize(12).allSatisfy(CollisionStudyTest::isLikely);
    assertThat(outcomes.getFirst().expected()).hasValue(1 / 256.0);
  }

  @Test
  void sameSeedSameTable() {
    List<Change> changes = List.of(Change.Xor.parse("random"), Change.Move.SWAP, Change.Move.ULP);
    StudyPlan plan =
        new StudyPlan(
            hashes("adler-32", "rotating-xor-32"), changes, List.of(128, 1024), 2000, 0, 7);
    List<Outcome> once = CollisionStudy.run(plan, 1, _ -> {});
    assertThat(CollisionStudy.run(plan, 3, _ -> {})).isEqualTo(once);
    StudyPlan other = new StudyPlan(plan.hashes(), changes, plan.blocks(), 2000, 0, 8);
    assertThat(CollisionStudy.run(other, 3, _ -> {})).isNotEqualTo(once);
  }

  /** Studied alone, a size of blocks and a hash give what they give in company. */
  @Test
  void nobodyDependsOnItsCompany() {
    Outcome alone = run(hashes("adler-32"), patterns("1"), List.of(256), 5000, 3).getFirst();
    assertThat(run(SUMS, patterns("1", "2"), List.of(128, 256), 5000, 3)).contains(alone);
  }

  @Test
  void endsWhereRatesAreKnownWellEnough() {
    StudyPlan plan =
        new StudyPlan(hashes("xxh3-8"), patterns("1"), List.of(128), 10_000_000, 0.2, 5);
    AtomicLong bytes = new AtomicLong();
    Outcome outcome = CollisionStudy.run(plan, 2, bytes::set).getFirst();
    assertThat(outcome.missed().relativeWidth()).isLessThanOrEqualTo(0.2);
    assertThat(outcome.missed().trials()).isBetween(20_000L, 100_000L);
    assertThat(bytes.get()).isEqualTo(128 * outcome.missed().trials());
    assertThat(CollisionStudy.run(plan, 1, _ -> {})).containsExactly(outcome);
  }

  /** The last batch is not larger than what is left. */
  @ParameterizedTest
  @ValueSource(longs = {1, 511, 513})
  void triesAsOftenAsWasAsked(long iterations) {
    assertThat(run(SUMS, patterns("1"), List.of(128), iterations, 1).getFirst().missed().trials())
        .isEqualTo(iterations);
  }

  @Test
  void everyMoveChangesSomething() {
    List<Outcome> outcomes =
        run(hashes("md5"), List.of(Change.Move.values()), List.of(16, 1024), 200, 1);
    assertThat(outcomes).hasSize(2 * Change.Move.values().length);
    for (Outcome outcome : outcomes) {
      assertThat(outcome.missed().trials()).as(outcome.toString()).isBetween(190L, 200L);
      assertThat(outcome.missed().hits()).isZero();
    }
  }

  /** What the sum of all elements does not see: elements that change places. */
  @Test
  void swappedElementsAreNothingToRotatingXorOf32Bits() {
    Outcome outcome =
        run(hashes("rotating-xor-32"), List.of(Change.Move.SWAP), List.of(128), 500, 1).getFirst();
    assertThat(outcome.missed().hits()).isEqualTo(outcome.missed().trials());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "65", "0x0", "", "x", "-1", "0x12345678901234567", "1.5"})
  void badPatternsAreRefusedWithTheAllowedOnes(String text) {
    assertThatThrownBy(() -> Change.Xor.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(
            "a pattern is a number of last bits, 1 to 64, a hexadecimal number such as 0xff, or"
                + " random");
  }

  @Test
  void patternsAreNumbersOfBitsOrHexadecimal() {
    assertThat(Change.Xor.parse("4").pattern()).isEqualTo(0xF);
    assertThat(Change.Xor.parse("64").pattern()).isEqualTo(-1);
    assertThat(Change.Xor.parse("0xFFF").pattern()).isEqualTo(0xFFF);
    assertThat(Set.copyOf(Change.Xor.ofThePaper()))
        .isEqualTo(Set.copyOf(patterns("1", "2", "4", "8", "16", "random")));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 100, 12, -128, 32 << 20})
  void badBlockSizesAreRefusedWithTheAllowedOnes(int size) {
    assertThatThrownBy(() -> run(SUMS, patterns("1"), List.of(128, size), 1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a block of " + size + " B cannot be studied")
        .hasMessageContaining("multiples of 8 from 16 B to 16 MiB");
  }

  @Test
  void nothingToStudyIsRefused() {
    assertThatThrownBy(() -> run(SUMS, patterns("1"), List.of(), 1, 1))
        .hasMessageContaining("there is no block size; block sizes are multiples of 8");
    assertThatThrownBy(() -> run(List.of(), patterns("1"), List.of(128), 1, 1))
        .hasMessageContaining("there is no hash");
    assertThatThrownBy(() -> run(SUMS, List.of(), List.of(128), 1, 1))
        .hasMessageContaining("there is no change");
    assertThatThrownBy(() -> run(SUMS, patterns("1"), List.of(128), 0, 1))
        .hasMessageContaining("the number of iterations is 0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sha-1", "xxh3-129", "xxh3-7", "xxh3-", ""})
  void unknownHashesAreRefusedWithTheKnownOnes(String name) {
    assertThatThrownBy(() -> StudiedHash.parse(name))
        .hasMessageContaining("there is no hash '" + name + "'")
        .hasMessageContaining("xxh3-128, xxh3-64, xxh3-32, crc32")
        .hasMessageContaining("rotating-xor-32");
  }
}
