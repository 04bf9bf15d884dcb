// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.random;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtensionContext;

class SeedsTest {
  private static final Set<Long> SEEN = ConcurrentHashMap.newKeySet();
  private static final Set<String> PAIRS = ConcurrentHashMap.newKeySet();

  @Test
  void withoutPropertiesTheSeedsAreAlwaysTheSame() {
    long[] seeds = Seeds.of("A#b", 50, "", "").toArray();
    assertThat(seeds).hasSize(50).doesNotHaveDuplicates();
    assertThat(Seeds.of("A#b", 50, "", "").toArray()).isEqualTo(seeds);
    assertThat(Seeds.of("A#c", 50, "", "").toArray()).doesNotContain(seeds[0]);
  }

  @Test
  void oneSeedIsReplayed() {
    assertThat(Seeds.of("A#b", 50, "4711", "x9").toArray()).containsExactly(4711);
    assertThat(Seeds.of("A#b", 50, "-3", "").toArray()).containsExactly(-3);
  }

  @Test
  void freshSeedsDiffer() {
    assertThat(Seeds.of("A#b", 3, "random", "").toArray())
        .isNotEqualTo(Seeds.of("A#b", 3, "random", "").toArray());
  }

  @Test
  void iterationsCountOrScale() {
    assertThat(Seeds.of("A#b", 50, "", "7").count()).isEqualTo(7);
    assertThat(Seeds.of("A#b", 50, "", "x3").count()).isEqualTo(150);
    assertThat(Seeds.of("A#b", 50, "", "x0.1").count()).isEqualTo(5);
    assertThat(Seeds.of("A#b", 3, "", "x0.1").count()).isEqualTo(1);
  }

  @Test
  void nonsenseIsNamed() {
    assertThatThrownBy(() -> Seeds.of("A#b", 50, "abc", ""))
        .hasMessageContaining("-Dcairn.seed=abc");
    assertThatThrownBy(() -> Seeds.of("A#b", 50, "", "many"))
        .hasMessageContaining("-Dcairn.iterations=many");
    assertThatThrownBy(() -> Seeds.of("A#b", 50, "", "xmany"))
        .hasMessageContaining("-Dcairn.iterations=xmany");
  }

  @SeededTest(seeds = 5)
  void suppliesSeedAndRandom(long seed, Random random) {
    assertThat(random.nextLong()).isEqualTo(new Random(seed).nextLong());
    assertThat(SEEN.add(seed)).as("seed %s is new", seed).isTrue();
  }

  @SeededTest(seeds = 2)
  void takesEachValueOfAnEnum(TimeUnit unit, long seed) {
    assertThat(PAIRS.add(seed + " " + unit)).isTrue();
    assertThat(PAIRS).hasSizeLessThanOrEqualTo(2 * TimeUnit.values().length);
  }

  @Test
  void aFailureTellsHowToReplayIt() {
    SeedExtension.Run run = new SeedExtension.Run(4711, Optional.empty());
    AssertionError failure = new AssertionError("found");
    PrintStream errors = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setErr(new PrintStream(printed, true, UTF_8));
    try {
      assertThatThrownBy(() -> run.handleTestExecutionException(contextOfThisTest(), failure))
          .isSameAs(failure);
    } finally {
      System.setErr(errors);
    }
    String command = "-Dtest=SeedsTest#aFailureTellsHowToReplayIt -Dcairn.seed=4711";
    assertThat(failure.getSuppressed()).hasSize(1);
    assertThat(failure.getSuppressed()[0]).hasMessage("replay with " + command);
    assertThat(printed.toString(UTF_8)).contains(command);
  }

  private static ExtensionContext contextOfThisTest() {
    return (ExtensionContext)
        Proxy.newProxyInstance(
            SeedsTest.class.getClassLoader(),
            new Class<?>[] {ExtensionContext.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getRequiredTestClass" -> SeedsTest.class;
                  case "getRequiredTestMethod" ->
                      SeedsTest.class.getDeclaredMethod("aFailureTellsHowToReplayIt");
                  default -> throw new UnsupportedOperationException(method.toString());
                });
  }
}
