// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.cairn.bench.aggregate.LoadedSet;
import org.cairn.bench.aggregate.Ratios;
import org.cairn.bench.aggregate.Ratios.Ratio;
import org.cairn.bench.aggregate.Sizes;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.frame.FrameOrder;
import org.cairn.frame.TypedBytes;
import org.cairn.transform.Elements;

/** What {@code cairn bench aggregate} prints for people. */
final class AggregateTables {
  private AggregateTables() {}

  /** Table 3: what a set consists of; shares of its bytes. */
  record Characteristics(
      String set,
      int members,
      long bytes,
      int variables,
      int fewest,
      int most,
      double doubles,
      double floats) {
    static Characteristics of(LoadedSet set) {
      Map<Elements, Long> bytes = new LinkedHashMap<>();
      List<Integer> counts = new ArrayList<>();
      for (List<TypedBytes> member : set.members()) {
        counts.add(member.size());
        member.forEach(one -> bytes.merge(one.elements(), one.bytes().byteSize(), Long::sum));
      }
      return new Characteristics(
          set.name(),
          set.size(),
          set.bytes(),
          counts.stream().mapToInt(Integer::intValue).sum(),
          counts.stream().mapToInt(Integer::intValue).min().orElse(0),
          counts.stream().mapToInt(Integer::intValue).max().orElse(0),
          share(bytes, 8, set),
          share(bytes, 4, set));
    }

    private static double share(Map<Elements, Long> bytes, int width, LoadedSet set) {
      double sum = 0;
      for (Map.Entry<Elements, Long> one : bytes.entrySet()) {
        sum += one.getKey().floating() && one.getKey().width() == width ? one.getValue() : 0;
      }
      return 100 * sum / set.bytes();
    }
  }

  static Table characteristics(List<Characteristics> all) {
    Table table =
        new Table(
            "set",
            ">files",
            ">bytes",
            ">variables",
            ">in a file",
            ">doubles, %",
            ">floats, %",
            ">others, %");
    for (Characteristics one : all) {
      table.row(
          one.set,
          String.valueOf(one.members),
          Quantities.bytes(one.bytes),
          Quantities.count(one.variables),
          one.fewest == one.most ? "" + one.most : one.fewest + "–" + one.most,
          format("%.1f", one.doubles),
          format("%.1f", one.floats),
          format("%.1f", 100 - one.doubles - one.floats));
    }
    return table;
  }

  static Table sizes(List<Sizes> all) {
    Table table =
        new Table(
            "times smaller",
            ">gzip −6",
            ">bzip2 −9",
            ">zstd −3",
            ">FPC",
            ">FPC + gzip",
            ">fast",
            ">small",
            ">small, frames",
            ">× gzip",
            ">× zstd");
    for (Sizes one : all) {
      double bytes = one.bytes();
      table.row(
          one.set(),
          number(bytes / one.gzip()),
          one.bzip2().isPresent() ? number(bytes / one.bzip2().getAsLong()) : "not installed",
          number(bytes / one.zstd()),
          number(bytes / one.fpc()),
          number(bytes / one.fpcGzip()),
          number(bytes / one.fast()),
          number(bytes / one.small()),
          number(bytes / one.frames()),
          number((double) one.gzip() / one.small()),
          number((double) one.zstd() / one.small()));
    }
    return table;
  }

  /** Figure 6: one pass and two, all members in one group. */
  static Table passes(List<Ratio> grid) {
    List<Ratio> whole =
        grid.stream().filter(one -> one.block() == Ratios.BLOCK && isWhole(one, grid)).toList();
    return byOrder("passes", whole, one -> one.set() + ", " + (one.passes() == 1 ? "one" : "two"));
  }

  private static boolean isWhole(Ratio one, List<Ratio> grid) {
    return grid.stream().noneMatch(o -> o.set().equals(one.set()) && o.group() > one.group());
  }

  /** Figure 7. */
  static Table groups(List<Ratio> grid) {
    return byOrder(
        "group",
        grid.stream().filter(one -> one.block() == Ratios.BLOCK && one.passes() == 2).toList(),
        one -> one.set() + ", " + one.group());
  }

  /** Figure 8. */
  static Table blocks(List<Ratio> grid) {
    List<Ratio> own =
        grid.stream()
            .filter(one -> one.passes() == 2 && one.group() > 1 && isWhole(one, grid))
            .filter(one -> one.order().toString().endsWith("block"))
            .sorted(
                java.util.Comparator.comparingInt((Ratio one) -> place(one, grid))
                    .thenComparingLong(Ratio::block))
            .toList();
    return byOrder("block", own, one -> one.set() + ", " + Quantities.bytes(one.block()));
  }

  private static int place(Ratio one, List<Ratio> grid) {
    Set<String> sets = new LinkedHashSet<>();
    grid.forEach(other -> sets.add(other.set()));
    return List.copyOf(sets).indexOf(one.set());
  }

  /** Figure 9. */
  static Table versions(List<Ratio> versions) {
    return byOrder("version", versions, one -> one.set() + ", " + one.version());
  }

  private static Table byOrder(String heading, List<Ratio> ratios, Function<Ratio, String> row) {
    Map<String, Map<FrameOrder, Double>> rows = new LinkedHashMap<>();
    for (Ratio one : ratios) {
      rows.computeIfAbsent(row.apply(one), _ -> new TreeMap<>()).put(one.order(), one.ratio());
    }
    List<String> headings = new ArrayList<>(List.of(heading));
    for (FrameOrder order : FrameOrder.values()) {
      headings.add(">" + order);
    }
    Table table = new Table(headings.toArray(String[]::new));
    rows.forEach(
        (name, values) -> {
          List<String> cells = new ArrayList<>(List.of(name));
          for (FrameOrder order : FrameOrder.values()) {
            Double value = values.get(order);
            cells.add(value == null ? "" : number(value));
          }
          table.row(cells.toArray(String[]::new));
        });
    return table;
  }

  /** Table 4. */
  static Table improvements(List<Ratios.Improvement> all) {
    Table table = new Table("over agnostic, one pass", "order", ">best (group)", ">worst (group)");
    for (Ratios.Improvement one : all) {
      table.row(one.set(), one.order().toString(), gain(one.best()), gain(one.worst()));
    }
    return table;
  }

  private static String gain(Ratios.Gain gain) {
    return format("%.1f %%", gain.percent()) + " (" + gain.group() + ")";
  }

  static Table fixed(List<Ratios.AgainstFixed> all) {
    Table table = new Table("auto against fixed choices", ">level", "best fixed", ">auto / best");
    for (Ratios.AgainstFixed one : all) {
      table.row(one.set(), String.valueOf(one.level()), one.best(), format("%.3f", one.share()));
    }
    return table;
  }

  static Table speeds(List<AggregateSpeed.Speed> all) {
    Table table =
        new Table(
            "MB/s, one core",
            ">gzip −6",
            ">fast",
            ">small",
            ">zstd back",
            ">fast back",
            ">small back",
            ">two cores / one");
    for (AggregateSpeed.Speed one : all) {
      table.row(
          one.set(),
          whole(one.gzip()),
          whole(one.fast()),
          whole(one.small()),
          whole(one.zstdBack()),
          whole(one.fastBack()),
          whole(one.smallBack()),
          number(one.twoCores()));
    }
    return table;
  }

  /** Figures 10 to 13. */
  static Table stores(List<AggregateStores.Result> all) {
    Table table =
        new Table(
            "ms",
            ">store, MB/s",
            "configuration",
            ">ratio",
            ">fetch",
            ">choose",
            ">encode",
            ">store",
            ">checkpoint",
            ">read",
            ">decode",
            ">restart");
    for (AggregateStores.Result one : all) {
      table.row(
          one.set(),
          whole(one.store()),
          one.configuration().label(),
          number(one.ratio()),
          milliseconds(one.checkpoint().fetch()),
          milliseconds(one.checkpoint().choose()),
          milliseconds(one.checkpoint().encode()),
          milliseconds(one.checkpoint().store()),
          milliseconds(one.checkpoint().all()),
          milliseconds(one.restart().read()),
          milliseconds(one.restart().decode()),
          milliseconds(one.restart().all()));
    }
    return table;
  }

  static Table breakEven(List<AggregateStores.BreakEven> all) {
    Table table = new Table("break-even", "configuration", ">MB/s");
    for (AggregateStores.BreakEven one : all) {
      table.row(one.set(), one.configuration().label(), whole(one.megabytesPerSecond()));
    }
    return table;
  }

  static Table slowdowns(List<AggregateStores.Slowdown> all) {
    Table table =
        new Table(
            "beside a program",
            ">store, MB/s",
            "configuration",
            ">checkpoint, ms",
            ">slowdown",
            ">work lost, ms");
    for (AggregateStores.Slowdown one : all) {
      table.row(
          one.set(),
          whole(one.store()),
          one.configuration().label(),
          milliseconds(one.seconds()),
          number(one.slowdown()),
          milliseconds(one.lost()));
    }
    return table;
  }

  static Table checks(List<AggregateChecks.Check> all) {
    Table table = new Table("set", "promise", ">measured", ">bound", "");
    for (AggregateChecks.Check one : all) {
      table.row(
          one.set(),
          one.what(),
          format("%.3f", one.measured()),
          one.bound().toString(),
          one.kept() ? "PASS" : "MISS");
    }
    return table;
  }

  private static String milliseconds(double seconds) {
    return format("%.1f", 1e3 * seconds);
  }

  private static String whole(double value) {
    return format("%,.0f", value);
  }

  private static String number(double value) {
    return format("%.2f", value);
  }

  private static String format(String format, Object value) {
    return String.format(Locale.ROOT, format, value);
  }
}
