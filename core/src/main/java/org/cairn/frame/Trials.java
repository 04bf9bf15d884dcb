// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.cairn.codec.ZstdCompressor;
import org.cairn.frame.Choice.Estimate;
import org.cairn.transform.Elements;
import org.cairn.transform.Transformer;

/**
 * Tries recipes on samples of a class. Few are tried first, at the lowest level, then what is like
 * the best of them; at other levels only the winner, and what comes close and is not shuffled where
 * the winner is, or the other way round: a shuffle hides repeats that higher levels find.
 */
final class Trials implements AutoCloseable {
  /** With 16 KiB a third of what can be gained was lost. */
  static final int SAMPLE = 256 << 10;

  /** Where size counts more than time: repeats may lie far apart. */
  static final int LARGE_SAMPLE = 1 << 20;

  /** A class without so many bytes is not worth it. */
  static final int LEAST = 4 << 10;

  /** Higher levels find repeats that others do not, and make up for as much. */
  private static final double CLOSE = 1.2;

  /**
   * As they are, data may have repeats far apart that the lowest level misses: a field of Cactus
   * for which a shuffle wins clearly at level 1 is a quarter smaller without one at level 6.
   */
  private static final double NONE_CLOSE = 1.6;

  private static final Comparator<Estimate> BY_SIZE = Comparator.comparingDouble(Estimate::stored);

  private final Transformer transformer = new Transformer();
  private final ZstdCompressor zstd = new ZstdCompressor();
  private final FrameMemory plain = new FrameMemory();
  private final FrameMemory compressed = new FrameMemory();
  private final LongSupplier nanos;

  private long tried;
  private long spent;
  private double fastest;

  /** The fastest that each was: the first time is that of code which is not compiled yet. */
  private final Map<Recipe, Double> transformSpeeds = new HashMap<>();

  Trials(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /**
   * Tries recipes on samples of one class.
   *
   * @param levels above 0, ascending
   * @param thorough whether more is tried than what comes first
   * @param worth how many nanoseconds a byte may take: what takes longer is not looked at closer,
   *     and higher levels, which take longer still, not at all
   */
  List<Estimate> of(
      List<TypedBytes> samples, List<Integer> levels, boolean thorough, double worth) {
    int lowest = Math.min(levels.getFirst(), ZstdCompressor.FASTEST);
    List<Estimate> screened = screen(samples, lowest, thorough, worth);
    List<Estimate> finalists = finalists(screened);
    List<Estimate> found = new ArrayList<>();
    boolean isDecided = finalists.size() == 1 && levels.size() == 1;
    for (int level : levels) {
      if (level == lowest) {
        found.addAll(screened);
      } else if (isDecided || isBeyond(finalists, worth)) {
        finalists.forEach(finalist -> found.add(finalist.at(level)));
      } else {
        finalists = retried(samples, finalists, level);
        found.addAll(finalists);
      }
    }
    return found;
  }

  private static boolean isBeyond(List<Estimate> estimates, double worth) {
    return estimates.stream().allMatch(estimate -> estimate.nanosPerByte() > worth);
  }

  private List<Estimate> retried(List<TypedBytes> samples, List<Estimate> estimates, int level) {
    return estimates.stream().map(estimate -> of(samples, estimate.recipe(), level)).toList();
  }

  private List<Estimate> screen(
      List<TypedBytes> samples, int level, boolean thorough, double worth) {
    Elements elements = samples.getFirst().elements();
    int axes = samples.stream().mapToInt(sample -> Recipe.axesOf(sample.shape())).max().orElse(1);
    List<Estimate> found = new ArrayList<>();
    for (Recipe recipe : Recipe.first(elements, axes)) {
      found.add(of(samples, recipe, level));
      if (isBeyond(found, worth)) {
        return found;
      }
    }
    if (thorough) {
      for (Recipe recipe : next(found, elements)) {
        found.add(of(samples, recipe, level));
      }
    }
    return found;
  }

  /** What is like the best; and like data as they are, where these come close to it. */
  private static Set<Recipe> next(List<Estimate> found, Elements elements) {
    Estimate best = Collections.min(found, BY_SIZE);
    Set<Recipe> recipes = new LinkedHashSet<>(best.recipe().next(elements));
    found.stream()
        .filter(estimate -> isNone(estimate) && estimate.stored() < best.stored() * CLOSE)
        .forEach(estimate -> recipes.addAll(estimate.recipe().next(elements)));
    return recipes;
  }

  /** The least that a byte took so far, 0 if nobody knows. */
  double fastest() {
    return fastest;
  }

  /** How many bytes went through trials so far, each time counted. */
  long tried() {
    return tried;
  }

  /** How long they took. */
  long nanos() {
    return spent;
  }

  /** The best; and the best that is not shuffled, or shuffled, unlike it, and none, if close. */
  private static List<Estimate> finalists(List<Estimate> screened) {
    Estimate best = Collections.min(screened, BY_SIZE);
    Optional<Estimate> other =
        screened.stream()
            .filter(estimate -> estimate.recipe().shuffled() != best.recipe().shuffled())
            .min(BY_SIZE);
    return screened.stream()
        .filter(
            estimate ->
                estimate == best
                    || isNone(estimate) && estimate.stored() < best.stored() * NONE_CLOSE
                    || estimate == other.orElse(best) && estimate.stored() < best.stored() * CLOSE)
        .toList();
  }

  private static boolean isNone(Estimate estimate) {
    return estimate.recipe().equals(Recipe.NONE);
  }

  private Estimate of(List<TypedBytes> samples, Recipe recipe, int level) {
    long length = samples.stream().mapToLong(sample -> sample.bytes().byteSize()).sum();
    MemorySegment content = plain.ensure(length);
    MemorySegment target = compressed.ensure(length);
    if (tried == 0) { // the first time takes memory, and longer than ever again
      transform(samples, recipe, content);
      var _ = zstd.compress(content, target, level);
    }
    tried += length;
    long start = nanos.getAsLong();
    transform(samples, recipe, content);
    long transformed = nanos.getAsLong();
    long size = zstd.compress(content, target, level);
    long end = nanos.getAsLong();
    spent += end - start;
    double compressing = (double) (end - transformed) / length;
    double transforming =
        transformSpeeds.merge(recipe, (double) (transformed - start) / length, Math::min);
    double nanosPerByte = transforming + compressing;
    if (length >= SAMPLE / 2) { // little data say little
      fastest = fastest == 0 ? nanosPerByte : Math.min(fastest, nanosPerByte);
    }
    return new Estimate(recipe, level, size < 0 ? 1 : (double) size / length, nanosPerByte);
  }

  private void transform(List<TypedBytes> samples, Recipe recipe, MemorySegment content) {
    long at = 0;
    for (TypedBytes sample : samples) {
      long size = sample.bytes().byteSize();
      transformer.forward(
          recipe.on(sample.elements(), sample.shape()), sample.bytes(), content.asSlice(at, size));
      at += size;
    }
  }

  @Override
  public void close() {
    zstd.close();
    plain.close();
    compressed.close();
  }
}
