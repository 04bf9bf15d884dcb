// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.cairn.cli.terminal.Terminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class AggregateCommandTest {
  private static final List<String> SMALL =
      List.of("--ranks", "4", "--size", "8KiB", "--versions", "2", "--rounds", "1");

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  @TempDir Path temp;
  @TempDir Path pictures;

  /** Whether all promises are kept depends on the machine, and on more data than these. */
  private void run(String... more) {
    PrintStream stream = new PrintStream(out, true, UTF_8);
    CommandLine command =
        new CommandLine(new AggregateCommand(new Terminal(stream, () -> stream, 0)));
    List<String> arguments = new ArrayList<>(SMALL);
    arguments.addAll(List.of("--dir", temp.toString()));
    arguments.addAll(List.of(more));
    assertThat(command.execute(arguments.toArray(String[]::new))).isBetween(0, 1);
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void tablesAreThoseOfThePaper() {
    run("--sets", "heat2d,noise", "--parts", "sizes,orders,versions,fixed,speed");

    assertThat(out.toString(UTF_8))
        .contains("times smaller", "FPC + gzip", "bzip2 −9", "zstd −3")
        .contains("heat2d, two", "heat2d, 4 ", "heat2d, 1.00 KiB", "over agnostic")
        .contains("auto / best fixed choice", "growth of noise", "two cores / one");
  }

  @Test
  void storesHaveTheConfigurationsOfThePaper() {
    run(
        "--sets",
        "heat2d",
        "--parts",
        "orders,versions,stores",
        "--store-sets",
        "amr",
        "--store-size",
        "16KiB",
        "--stores",
        "100,1000",
        "--plots",
        pictures.toString());

    assertThat(out.toString(UTF_8))
        .contains("NoC + NoAgg", "C + NoAgg", "NoC + Agg", "Agnostic + Agg", "Aware + Agg, auto")
        .contains("break-even", "beside a program", "auto / best, store of 100 MB/s");
    assertThat(pictures.toFile().list())
        .contains("groups-heat2d.svg", "blocks-heat2d.svg", "versions-heat2d.svg")
        .contains("checkpoint-amr.svg", "restart-amr.svg");
  }

  @Test
  void machinesGetJson() {
    run("--sets", "tables", "--parts", "sizes", "--json");

    assertThat(out.toString(UTF_8)).contains("\"fpcGzip\"", "\"checks\"", "\"tables\"");
  }
}
