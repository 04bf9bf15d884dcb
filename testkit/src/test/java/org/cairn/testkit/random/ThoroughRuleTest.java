// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The profile {@code kills} runs what is {@link Thorough} and nothing else. So a test that asks
 * whether there is time for more, itself or by way of constants, helpers and providers of
 * arguments, has to say so: else the more would never be run.
 */
class ThoroughRuleTest {
  private static final Path MODULES = Path.of("..");

  @Test
  void whoeverDoesMoreWhereThereIsTimeIsRunThere() throws IOException {
    List<String> offences = new ArrayList<>();
    int tests = 0;
    for (List<TestSource> module : modules()) {
      TestSource.spread(module);
      for (TestSource source : module) {
        tests += source.thorough().size();
        offences.addAll(source.offences());
      }
    }
    assertThat(tests).as("tests that do more where there is time").isGreaterThan(60);
    assertThat(offences)
        .as("asks for %s, so it needs @Thorough, or the profile leaves it out", Thorough.PROPERTY)
        .isEmpty();
  }

  @Test
  void theProfileAsksForThem() throws IOException {
    String profile = Files.readString(MODULES.resolve("pom.xml")).split("<id>kills</id>")[1];
    assertThat(profile)
        .contains("<groups>" + Thorough.TAG + "</groups>")
        .contains("<" + Thorough.PROPERTY + ">true</" + Thorough.PROPERTY + ">");
  }

  /** The tests of each module, and what they are made of. */
  private static List<List<TestSource>> modules() throws IOException {
    Map<String, List<TestSource>> modules = new HashMap<>();
    try (Stream<Path> all = Files.walk(MODULES)) {
      for (Path path : all.filter(ThoroughRuleTest::isOfTests).sorted().toList()) {
        modules
            .computeIfAbsent(path.getName(1).toString(), _ -> new ArrayList<>())
            .add(TestSource.of(path.getFileName().toString(), Files.readString(path)));
      }
    }
    return List.copyOf(modules.values());
  }

  private static boolean isOfTests(Path path) {
    String name = path.toString().replace('\\', '/');
    return name.endsWith(".java")
        && name.contains("/src/test/java/")
        && !name.contains("/testkit/random/");
  }

  private static List<String> offences(String... texts) {
    List<TestSource> sources = new ArrayList<>();
    for (String text : texts) {
      sources.add(TestSource.of("It.java", text));
    }
    TestSource.spread(sources);
    return sources.stream().flatMap(source -> source.offences().stream()).toList();
  }

  private static String classOf(String members) {
    return "import java.util.List;\n\n/** It. */\nclass It {\n" + members + "}\n";
  }

  @Test
  void whatBreaksTheRuleIsFound() {
    String reads = "Boolean.getBoolean(Thorough.PROPERTY)";
    String constant = "  private static final int STEP = " + reads + " ? 1 : 5;\n\n";
    assertThat(
            Stream.of(
                "  @Test\n  void a() {\n    run(" + reads + ");\n  }\n",
                "  @Test\n  void a() {\n    run(Boolean.getBoolean(\"cairn.thorough\"));\n  }\n",
                "  @Test\n  void a() {\n    Seeds.more(\"It\", 1, 8);\n  }\n",
                constant + "  @Test\n  void a() {\n    step(STEP);\n  }\n",
                constant
                    + "  static int by() {\n    return STEP;\n  }\n\n"
                    + "  @ParameterizedTest\n  @MethodSource(\"by\")\n  void a(int n) {}\n",
                constant
                    + "  @BeforeAll\n  static void make() {\n    made = STEP;\n  }\n\n"
                    + "  @Test\n  void a() {\n    run(made);\n  }\n",
                "  @SeededTest(seeds = 3)\n"
                    + "  @EnabledIfSystemProperty(named = Thorough.PROPERTY, matches = \"true\")\n"
                    + "  void a(long seed) {}\n"))
        .allSatisfy(members -> assertThat(offences(classOf(members))).hasSize(1));
    assertThat(
            Stream.of(
                "  @Test\n  @Thorough\n  void a() {\n    run(" + reads + ");\n  }\n",
                constant
                    + "  @Test\n  @Thorough(times = 8)\n  void a() {\n    step(STEP);\n  }\n\n"
                    + "  @Test\n  void b() {\n    step('{', \"}\");\n  }\n",
                "  @Test\n  @OnlyThorough\n  void a() {}\n",
                "  @ParameterizedTest\n  @Turn(1)\n  void a(Launcher by) {}\n"))
        .allSatisfy(members -> assertThat(offences(classOf(members))).isEmpty());
    assertThat(
            offences("@Thorough\n" + classOf(constant + "  @Test\n  void a() {\n    STEP;\n  }\n")))
        .isEmpty();
    String condition = "@EnabledIfSystemProperty(named = Thorough.PROPERTY, matches = \"true\")\n";
    assertThat(offences(condition + "class It {\n  @Test\n  void a() {}\n}\n")).hasSize(1);
  }

  @Test
  void helpersInOtherFilesAreFollowed() {
    String helper =
        "record Helper(int n) {\n  boolean isRun() {\n    return Boolean.getBoolean(Thorough.PROPERTY);\n  }\n}\n";
    String test = "  @Test\n  void a() {\n    run(new Helper(1).isRun());\n  }\n";
    String other = "  @Test\n  void b() {\n    run(new Helper(1).n());\n  }\n";
    assertThat(offences(helper, classOf(test + "\n" + other))).containsExactly("It.java: a");
  }
}
