// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FileNamesTest {

  @ParameterizedTest
  @CsvSource({
    "temperature, temperature",
    "u.v_w-1, u.v_w-1",
    "'', %empty",
    "%empty, %25empty",
    "a b, a%20b",
    "größe, gr%C3%B6%C3%9Fe",
    "../../x, %2E.%2F..%2Fx",
    "/etc/passwd, %2Fetc%2Fpasswd",
    "., %2E",
    "con, %63on",
    "CON.x, %43ON.x",
    "cone, cone",
    "x., x%2E",
    "C:\\x, C%3A%5Cx"
  })
  void names(String dataset, String expected) {
    assertThat(FileNames.of(dataset)).isEqualTo(expected);
  }

  @Test
  void controlCharactersAreEscaped() {
    assertThat(FileNames.of("a\nb\0")).isEqualTo("a%0Ab%00");
  }

  @Test
  void longNamesFitAndStayDifferent() {
    String one = FileNames.of("x".repeat(5000) + 1);
    String two = FileNames.of("x".repeat(5000) + 2);

    assertThat(one).hasSizeLessThan(200).isNotEqualTo(two);
  }

  @SeededTest(seeds = 1)
  void noNameLeadsOutOfADirectoryAndNoTwoAreAlike(long seed) {
    Random random = new Random(seed);
    Map<String, String> datasets = new HashMap<>();
    String alphabet = "./\\~%:\0\n acAC\ud800\udc00öé";
    for (int i = 0; i < 20_000; i++) {
      StringBuilder dataset = new StringBuilder();
      for (int length = random.nextInt(6); length > 0; length--) {
        dataset.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      String name = FileNames.of(dataset.toString());
      Path target = Path.of("/target");
      assertThat(target.resolve(name + ".npy").normalize().getParent())
          .as("seed %d, dataset %s", seed, dataset)
          .isEqualTo(target);
      String other = datasets.put(name, dataset.toString());
      assertThat(other == null || other.contentEquals(dataset))
          .as("seed %d: %s and %s", seed, dataset, other)
          .isTrue();
    }
  }

  @Test
  void theDatasetCanBeReadFromTheFileName() {
    String dataset = "../größe %2F\n";

    assertThat(URLDecoder.decode(FileNames.of(dataset), StandardCharsets.UTF_8)).isEqualTo(dataset);
  }
}
