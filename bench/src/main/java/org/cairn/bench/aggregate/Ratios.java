// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.Compression;
import org.cairn.frame.FrameOrder;
import org.cairn.frame.Recipe;

/**
 * How many times smaller frames of a set are than the set: by order, group, block, passes and
 * version (figures 6 to 9 of the paper, and its table 4).
 */
public final class Ratios {
  /** Of orders in blocks, where blocks are not what is looked at. */
  public static final long BLOCK = 4 << 10;

  private static final int LEVEL = 6;
  private static final int[] GROUPS = {1, 2, 4, 8, 16, 32};
  private static final long[] BLOCKS = {1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 64 << 10};

  private Ratios() {}

  /**
   * A point of a figure.
   *
   * @param passes 1: zstd alone; 2: transforms before it
   * @param version counted from 1
   */
  public record Ratio(
      String set, FrameOrder order, int group, long block, int passes, int version, double ratio) {}

  private record Point(FrameOrder order, int group, long block, int passes, int version) {}

  /** Figures 6 to 8: all orders, groups and passes, and blocks of all members. */
  public static List<Ratio> grid(LoadedSet set) {
    List<Point> points = new ArrayList<>();
    for (int passes = 1; passes <= 2; passes++) {
      for (FrameOrder order : FrameOrder.values()) {
        for (int group : groups(set.size())) {
          points.add(new Point(order, group, BLOCK, passes, 1));
        }
      }
      for (FrameOrder order : List.of(FrameOrder.AGNOSTIC_BLOCK, FrameOrder.AWARE_BLOCK)) {
        for (long block : BLOCKS) {
          if (block != BLOCK) {
            points.add(new Point(order, set.size(), block, passes, 1));
          }
        }
      }
    }
    return measured(set, points);
  }

  /** Figure 9: versions of a simulation, all members in one group. */
  public static List<Ratio> overVersions(List<CheckpointSet> versions) throws IOException {
    List<Ratio> ratios = new ArrayList<>();
    for (int version = 1; version <= versions.size(); version++) {
      try (LoadedSet set = LoadedSet.of(versions.get(version - 1))) {
        List<Point> points = new ArrayList<>();
        for (FrameOrder order : FrameOrder.values()) {
          points.add(new Point(order, set.size(), BLOCK, 2, version));
        }
        ratios.addAll(measured(set, points));
      }
    }
    return ratios;
  }

  private static Set<Integer> groups(int members) {
    Set<Integer> groups = new TreeSet<>();
    Arrays.stream(GROUPS).filter(group -> group <= members).forEach(groups::add);
    groups.add(members);
    return groups;
  }

  /** Side by side: nothing is timed here. */
  private static List<Ratio> measured(LoadedSet set, List<Point> points) {
    return points.parallelStream().map(point -> measured(set, point)).toList();
  }

  private static Ratio measured(LoadedSet set, Point point) {
    FrameOrder.Sizes sizes = new FrameOrder.Sizes(point.group, point.block, FrameOrder.Sizes.FRAME);
    Framing framing = new Framing(set, point.order, sizes);
    long stored =
        point.passes == 1
            ? framing.stored(Recipe.NONE, LEVEL)
            : framing.stored(Compression.small(LEVEL));
    return new Ratio(
        set.name(),
        point.order,
        point.group,
        point.block,
        point.passes,
        point.version,
        (double) set.bytes() / stored);
  }

  /**
   * By how many percent an order with two passes is better than the agnostic one with one pass: the
   * best and the worst of all groups (table 4).
   */
  public record Improvement(String set, FrameOrder order, Gain best, Gain worst) {}

  /** How much better, with which group. */
  public record Gain(double percent, int group) {}

  /** Table 4, of what {@link #grid} gave for one set. */
  public static List<Improvement> improvements(List<Ratio> grid) {
    List<Improvement> improvements = new ArrayList<>();
    for (FrameOrder order : List.of(FrameOrder.AWARE_BLOCK, FrameOrder.AWARE)) {
      List<Gain> gains =
          grid.stream()
              .filter(one -> one.order == order && one.passes == 2 && one.block == BLOCK)
              .map(one -> gain(one, grid))
              .toList();
      Comparator<Gain> byPercent = Comparator.comparingDouble(Gain::percent);
      improvements.add(
          new Improvement(
              grid.getFirst().set,
              order,
              gains.stream().max(byPercent).orElseThrow(),
              gains.stream().min(byPercent).orElseThrow()));
    }
    return improvements;
  }

  private static Gain gain(Ratio aware, List<Ratio> grid) {
    double agnostic =
        grid.stream()
            .filter(one -> one.order == FrameOrder.AGNOSTIC && one.passes == 1)
            .filter(one -> one.group == aware.group)
            .mapToDouble(Ratio::ratio)
            .findFirst()
            .orElseThrow();
    return new Gain(100 * (aware.ratio / agnostic - 1), aware.group);
  }

  /**
   * What {@code auto} reaches of the best that one recipe for everything does, at a level.
   *
   * @param best the name of that recipe
   */
  public record AgainstFixed(String set, int level, String best, double share) {}

  /** Tries all recipes on all of a set. */
  public static AgainstFixed againstFixed(LoadedSet set, int level) {
    Framing framing =
        new Framing(
            set, FrameOrder.AWARE, new FrameOrder.Sizes(set.size(), BLOCK, FrameOrder.Sizes.FRAME));
    record Tried(Recipe recipe, long stored) {}
    Tried best =
        Framing.fixedChoices().parallelStream()
            .map(recipe -> new Tried(recipe, framing.stored(recipe, level)))
            .min(Comparator.comparingLong(Tried::stored))
            .orElseThrow();
    return new AgainstFixed(
        set.name(),
        level,
        best.recipe.toString(),
        (double) best.stored / framing.storedByAuto(level));
  }
}
