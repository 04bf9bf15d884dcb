// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.util.ArrayList;
import java.util.List;
import org.cairn.bench.Comparison.Figure;
import org.cairn.bench.Comparison.Value;
import org.cairn.bench.Comparison.Worse;
import tools.jackson.databind.JsonNode;

/**
 * The figures in what {@code bench targets --json} and {@code bench tiers --json} print. Another
 * build may print more or less of them: what is not there is left out.
 */
final class MeasuredFigures {
  private MeasuredFigures() {}

  static List<Value> of(JsonNode printed) {
    List<Value> values = new ArrayList<>();
    printed.path("targets").forEach(target -> values.add(target(target)));
    printed.path("heat").forEach(cost -> addHeat(cost, values));
    printed.path("traffic").forEach(sent -> values.add(traffic(sent)));
    printed.path("rebuild").forEach(rebuilt -> addRebuilt(rebuilt, values));
    return values;
  }

  /** What has no bound is there to explain what has one. */
  private static Value target(JsonNode target) {
    JsonNode bound = target.path("bound");
    Worse worse = Worse.NEITHER;
    if (bound.isObject()) {
      worse = bound.path("atLeast").asBoolean() ? Worse.LESS : Worse.MORE;
    }
    Figure figure = new Figure(text(target, "file"), text(target, "name").strip(), worse);
    return new Value(figure, target.path("ratio").asDouble());
  }

  private static void addHeat(JsonNode cost, List<Value> values) {
    String group = "Heat2D, %s ranks".formatted(text(cost, "ranks"));
    String variant =
        text(cost, "tier") + (cost.path("asynchronous").asBoolean() ? ", asynchronous" : "");
    Figure iteration = new Figure(group, "ms of an iteration", Worse.NEITHER);
    if (values.stream().noneMatch(value -> value.figure().equals(iteration))) {
      values.add(new Value(iteration, cost.path("iterationMilliseconds").asDouble()));
    }
    values.add(
        new Value(
            new Figure(group, "ms lost to a checkpoint, " + variant, Worse.MORE),
            cost.path("milliseconds").asDouble()));
  }

  private static Value traffic(JsonNode sent) {
    Figure figure = new Figure("traffic", "MB sent, " + text(sent, "tier"), Worse.MORE);
    return new Value(figure, sent.path("sent").asDouble() * 1e-6);
  }

  private static void addRebuilt(JsonNode rebuilt, List<Value> values) {
    String group = "rebuild, " + text(rebuilt, "tier");
    for (String phase : List.of("restart", "rebuild", "redundancy", "copy")) {
      Worse worse = phase.equals("copy") ? Worse.NEITHER : Worse.MORE;
      values.add(
          new Value(
              new Figure(group, "ms of " + phase, worse), 1e3 * rebuilt.path(phase).asDouble()));
    }
  }

  private static String text(JsonNode node, String name) {
    return node.path(name).asString();
  }
}
