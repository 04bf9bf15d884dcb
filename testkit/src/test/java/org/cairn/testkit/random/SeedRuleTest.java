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
 * No test of any module draws a number that cannot be drawn again: every generator has a seed that
 * comes from a {@link SeededTest}, from {@link Seeds}, or is written down.
 */
class SeedRuleTest {
  private static final Path MODULES = Path.of("..");

  /** What nobody can repeat: generators without a seed, or with one that the machine decides. */
  private static final Pattern UNREPEATABLE =
      Pattern.compile(
          "new (?:\\w+\\.)*(?:Splittable|Secure)?Random\\(\\)"
              + "|new Random\\([^;]*(?:nanoTime|currentTimeMillis|hashCode\\(\\)\\s*\\^)"
              + "|SecureRandom|ThreadLocalRandom|Math\\.random\\(|randomUUID\\("
              + "|Collections\\.shuffle\\([^,()]*\\)");

  @Test
  void whatIsDrawnCanBeDrawnAgain() throws IOException {
    List<String> offences = new ArrayList<>();
    int files = 0;
    for (Path source : sources()) {
      files++;
      List<String> lines = Files.readAllLines(source);
      for (int i = 0; i < lines.size(); i++) {
        if (breaks(lines.get(i))) {
          offences.add(source + ":" + (i + 1) + " " + lines.get(i).strip());
        }
      }
    }
    assertThat(files).as("sources that were looked at").isGreaterThan(100);
    assertThat(offences).as("take a seed: a parameter of a @SeededTest, or Seeds.of").isEmpty();
  }

  private static boolean breaks(String line) {
    return UNREPEATABLE.matcher(line).find();
  }

  /** Tests of all modules, and what tests are made of. */
  private static List<Path> sources() throws IOException {
    try (Stream<Path> all = Files.walk(MODULES)) {
      return all.filter(path -> path.toString().endsWith(".java"))
          .filter(path -> isOfTests(path.toString().replace('\\', '/')))
          .filter(path -> !path.endsWith("SeedRuleTest.java"))
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
                "double x = Math.random();",
                "Collections.shuffle(names);",
                "UUID.randomUUID()"))
        .allMatch(SeedRuleTest::breaks);
    assertThat(
            Stream.of(
                "new Random(seed)",
                "new Random(7).nextBytes(b);",
                "Collections.shuffle(a, random);"))
        .noneMatch(SeedRuleTest::breaks);
  }
}
