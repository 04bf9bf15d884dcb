// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.cairn.cli.Cli;
import tools.jackson.databind.JsonNode;

/** Questions to {@code cairn plan}, typed in one line. */
final class Ask {
  /** One that each question answers in no time. */
  static final List<String> QUESTIONS =
      List.of(
          "interval --mtbf 24h --checkpoint 5min",
          "interval --mtbf 4y --sockets 2000 --checkpoint 5min --failures weibull:0.7 --trials 20",
          "wall-time --mtbf 5y --sockets 20000 --checkpoint 5min",
          "replication --mtbf 5y --sockets 200000 --checkpoint 15min",
          "replication --mtbf 5y --checkpoint 15min",
          "differential --hash-rate 5GB/s --write-rate 500MB/s --dirty 30%",
          "differential --hash-rate 5GB/s --write-rate 500MB/s --mtbf 24h --checkpoint 5min",
          "multilevel --level local,cost=5s,mtbf=1d --level shared,cost=10min,mtbf=30d",
          "multilevel --level shared,cost=10min,mtbf=30d",
          "simulate --mtbf 5y --sockets 20000 --checkpoint 15min --replicas 2 --trials 20",
          "simulate --mtbf 5y --sockets 200 --checkpoint 15min --trials 1 --work 1h",
          "compare --mtbf 5y --sockets 20000 --checkpoint 15min --dirty 20% --local 10s --trials 5");

  private Ask() {}

  /** Arguments are separated by spaces; more of them may have spaces in them. */
  static Cli.Result run(String question, Object... more) {
    List<Object> arguments = new ArrayList<>(List.of("plan"));
    arguments.addAll(Stream.of(question.split(" +")).toList());
    arguments.addAll(List.of(more));
    Cli.Result result = Cli.run(arguments.toArray());
    // What is no number must not look like one, whatever was asked.
    assertThat(result.out() + result.err()).doesNotContain("NaN", "Infinity");
    return result;
  }

  /** A question that is answered. */
  static String answer(String question, Object... more) {
    Cli.Result result = run(question, more);
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result.out();
  }

  static JsonNode json(String question, Object... more) {
    List<Object> arguments = new ArrayList<>(List.of(more));
    arguments.add("--json");
    Cli.Result result = run(question, arguments.toArray());
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result.json();
  }

  /** A question that is refused as wrong usage; what it says, without the name of the command. */
  static String refusal(String question, Object... more) {
    Cli.Result result = run(question, more);
    assertThat(result.exitCode()).as(result.out() + result.err()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    List<String> lines = result.err().lines().toList();
    assertThat(lines).hasSize(2);
    assertThat(lines.getLast()).startsWith("Try 'cairn plan ").endsWith(" --help'.");
    assertThat(lines.getFirst()).startsWith("cairn plan ").doesNotContain("Exception");
    return lines.getFirst().replaceFirst("^cairn plan [a-z-]+: ", "");
  }

  /** The row whose first cell is this. */
  static JsonNode row(JsonNode rows, String name) {
    for (JsonNode row : rows) {
      if (row.iterator().next().asString().equals(name)) {
        return row;
      }
    }
    throw new AssertionError("no row " + name + " in " + rows);
  }
}
