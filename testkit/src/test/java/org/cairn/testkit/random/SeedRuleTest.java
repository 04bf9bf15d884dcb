// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No test of any module draws a number that cannot be drawn again, and none that decides anything
 * comes from a number that is written down: such a test would see one case for ever. So every
 * generator has a seed that comes from a {@link SeededTest} or from {@link Seeds}; memory may be
 * filled by one that is made for that and not kept, or by {@link Seeds#content}.
 */
class SeedRuleTest {
  private static final Path MODULES = Path.of("..");

  /** What nobody can repeat: generators without a seed, or with one that the machine decides. */
  private static final Pattern UNREPEATABLE =
      Pattern.compile(
          "new (?:\\w+\\.)*(?:Splittable|Secure)?Random\\(\\)"
              + "|new Random\\([^;]*(?:nanoTime|currentTimeMillis|hashCode\\(\\)\\s*\\^)"
              + "|SecureRandom|ThreadLocalRandom|Math\\.random\\(|randomUUID\\("
              + "|(?i:seed)\\b[^;]*(?:nanoTime|currentTimeMillis)\\(\\)"
              + "|Collections\\.shuffle\\([^,()]*\\)");

  private static final Pattern GENERATOR =
      Pattern.compile("new (?:\\w+\\.)*(?:Splittable)?Random\\(");

  /** A seed that was given, or drawn by a generator that has one. */
  private static final Pattern GIVEN = Pattern.compile("seed|\\.nextLong\\(\\)");

  /** Content, or a number that stands for another; nothing that goes on. */
  private static final Pattern FILLING =
      Pattern.compile("\\s*\\.(?:nextBytes|doubles|longs|ints|nextLong)\\(");

  /** A seed in name only. */
  private static final Pattern WRITTEN = Pattern.compile("(?m)^\\s*(?:long|int) seed = [\\d_]+L?;");

  @Test
  void whatIsDrawnCanBeDrawnAgain() throws IOException {
    List<String> offences = new ArrayList<>();
    int files = 0;
    for (Path source : sources()) {
      files++;
      String text = Files.readString(source);
      offences(text).forEach(at -> offences.add(source + ":" + line(text, at)));
    }
    assertThat(files).as("sources that were looked at").isGreaterThan(100);
    assertThat(offences)
        .as("take a seed: a parameter of a @SeededTest, or Seeds.of; for content, Seeds.content")
        .isEmpty();
  }

  /** Where a text breaks the rule. */
  private static List<Integer> offences(String text) {
    List<Integer> places = new ArrayList<>();
    UNREPEATABLE.matcher(text).results().forEach(found -> places.add(found.start()));
    WRITTEN.matcher(text).results().forEach(found -> places.add(found.start()));
    GENERATOR
        .matcher(text)
        .results()
        .filter(found -> decidesByAWrittenNumber(text, found.end()))
        .forEach(found -> places.add(found.start()));
    return places;
  }

  private static boolean decidesByAWrittenNumber(String text, int start) {
    int end = start;
    for (int open = 1; open > 0 && end < text.length(); end++) {
      open += text.charAt(end) == '(' ? 1 : text.charAt(end) == ')' ? -1 : 0;
    }
    String seed = text.substring(start, end - 1);
    return !GIVEN.matcher(seed).find() && !FILLING.matcher(text.substring(end)).lookingAt();
  }

  private static String line(String text, int at) {
    long number = text.substring(0, at).lines().count();
    return number + " " + text.substring(at).lines().findFirst().orElse("");
  }

  private static boolean breaks(String text) {
    return !offences(text).isEmpty();
  }

  /** Tests of all modules, and what tests are made of. */
  private static List<Path> sources() throws IOException {
    try (Stream<Path> all = Files.walk(MODULES)) {
      return all.filter(path -> path.toString().endsWith(".java"))
          .filter(path -> isOfTests(path.toString().replace('\\', '/')))
          .filter(path -> !path.endsWith("SeedRuleTest.java"))
          .filter(path -> !path.endsWith("Seeds.java"))
          .sorted()
          .toList();
    }
  }

  private static boolean isOfTests(String path) {
    return path.contains("/src/test/java/") || path.contains("/testkit/src/main/java/");
  }

  @Test
  void whatBreaksTheRuleIsFound() {
    assertThat(
            Stream.of(
                "Random random = new Random();",
                "new java.util.SplittableRandom().nextInt()",
                "new Random(System.nanoTime())",
                "long SEED = Long.getLong(\"seed\", System.nanoTime());",
                "double x = Math.random();",
                "Collections.shuffle(names);",
                "UUID.randomUUID()",
                "Random random = new Random(7);",
                "change(new Random(rank));",
                "new SplittableRandom(31 * (size + 1)).nextInt(3)",
                "long seed = 42;"))
        .allMatch(SeedRuleTest::breaks);
    assertThat(
            Stream.of(
                "new Random(seed)",
                "new Random(seed + comm.rank())",
                "new Random(random.nextLong())",
                "new Random(7).nextBytes(b);",
                "double[] u = new Random(world.rank()).doubles(100).toArray();",
                "Random random = Seeds.content(7);",
                "Collections.shuffle(a, random);"))
        .noneMatch(SeedRuleTest::breaks);
  }
}
