// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.cairn.cli.answer.Units;
import org.cairn.plan.multilevel.Level;
import picocli.CommandLine.TypeConversionException;

/**
 * A level as it is typed: {@code local,cost=5s,restart=5s,mtbf=1d}.
 *
 * @param mtbf mean seconds between failures that need this level; infinite if there are none
 */
record LevelOption(String name, double cost, double restart, double mtbf) {
  private static final Set<String> KEYS = Set.of("cost", "restart", "mtbf");

  static LevelOption parse(String text) {
    String[] parts = text.split(",", -1);
    String name = parts[0].strip();
    if (name.isEmpty() || name.contains("=")) {
      throw new IllegalArgumentException(
          "--level '" + text + "' has no name; write NAME,cost=TIME,restart=TIME,mtbf=TIME");
    }
    Map<String, Double> times = new HashMap<>();
    for (int i = 1; i < parts.length; i++) {
      String[] pair = parts[i].strip().split("=", 2);
      if (pair.length != 2 || !KEYS.contains(pair[0])) {
        throw new IllegalArgumentException(
            "--level '" + text + "': '" + parts[i] + "' is none of cost=, restart= and mtbf=");
      }
      try {
        times.put(pair[0], new Units.Time().convert(pair[1]));
      } catch (TypeConversionException e) {
        throw new IllegalArgumentException("--level '" + text + "': " + e.getMessage(), e);
      }
    }
    Double cost = times.get("cost");
    Double mtbf = times.get("mtbf");
    if (cost == null || mtbf == null) {
      throw new IllegalArgumentException(
          "--level '"
              + text
              + "' needs at least cost= and mtbf=; restart= is the cost unless given");
    }
    String where = "' of level " + name;
    return new LevelOption(
        name,
        MachineOptions.positive(cost, "'cost" + where),
        times.getOrDefault("restart", cost),
        MachineOptions.positive(mtbf, "'mtbf" + where));
  }

  Level level() {
    return new Level(name, 1 / mtbf, cost, restart);
  }
}
