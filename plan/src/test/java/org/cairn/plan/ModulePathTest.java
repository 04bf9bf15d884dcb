// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.comm.Communicator;
import org.cairn.plan.failure.Lifetime;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.testkit.module.ModularProgram;
import org.cairn.testkit.module.Modules;
import org.cairn.testkit.process.ChildJava;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Models for programs that are modules. */
class ModulePathTest {
  /** What plan and core need when they run; not the libraries of tests. */
  private static final Pattern NEEDED =
      Pattern.compile(
          "(aircompressor|batik|commons|jackson|slf4j-(api|simple)|xml-apis|xmlgraphics)\\b.*\\.jar");

  @TempDir Path directory;

  @Test
  void aProgramAsksModels() throws Exception {
    ModularProgram program = ModularProgram.of(directory, modulePath().toList());
    String asking =
        """
        package program;

        import org.cairn.plan.failure.Lifetime;
        import org.cairn.plan.interval.*;

        public class Main {
          public static void main(String[] arguments) {
            System.out.println(IntervalRule.DALY.interval(new Conditions(60, 120, 86_400)));
            System.out.println(Lifetime.gamma(0.7, 100).cumulativeHazard(50));
          }
        }
        """;
    assertThat(program.compile(asking, "requires org.cairn.plan;")).isEmpty();

    assertThat(program.run(List.of()).lines())
        .containsExactly(
            String.valueOf(IntervalRule.DALY.interval(new Conditions(60, 120, 86_400))),
            String.valueOf(Lifetime.gamma(0.7, 100).cumulativeHazard(50)));
  }

  /** What is exported to one module by name; and Batik, whose jars are no modules. */
  @Test
  void howAnswersAreDrawnIsForNeighbours() throws Exception {
    ModularProgram stranger = ModularProgram.of(directory, modulePath().toList());
    ModularProgram neighbour = stranger.named("org.cairn.cli");
    String drawing =
        """
        package program;

        import java.nio.file.Path;
        import java.util.OptionalDouble;
        import org.cairn.plan.chart.ChartWriter;
        import org.cairn.plan.figure.IntervalFigures;
        import org.cairn.plan.interval.Conditions;

        public class Main {
          public static void main(String[] arguments) throws Exception {
            Conditions conditions = new Conditions(60, 120, 86_400);
            ChartWriter.svg(
                IntervalFigures.cost(conditions, 1e6, OptionalDouble.empty()), Path.of(arguments[0]));
          }
        }
        """;
    assertThat(stranger.compile(drawing, "requires org.cairn.plan;"))
        .contains("package org.cairn.plan.chart is not visible");
    assertThat(neighbour.compile(drawing, "requires org.cairn.plan;")).isEmpty();
    Path picture = directory.resolve("cost.svg");
    assertThat(neighbour.run(List.of(), picture.toString())).isEmpty();
    assertThat(picture).content().contains("<svg");
  }

  private static Stream<Path> modulePath() {
    Stream<Path> libraries =
        Stream.of(ChildJava.classPath().split(File.pathSeparator))
            .map(Path::of)
            .filter(file -> NEEDED.matcher(file.getFileName().toString()).matches());
    Stream<Path> ours =
        Stream.of(IntervalRule.class, Checkpointer.class, Communicator.class).map(Modules::place);
    return Stream.concat(ours, libraries);
  }
}
