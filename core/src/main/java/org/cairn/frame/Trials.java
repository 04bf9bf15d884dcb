// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.cairn.codec.ZstdCompressor;
import org.cairn.frame.Choice.Estimate;
import org.cairn.transform.Transformer;

/**
 * Tries recipes on samples of a class. All are tried at the lowest level; the best of them, and the
 * best one without shuffle, at the others: a shuffle hides repeats that higher levels would find.
 */
final class Trials implements AutoCloseable {
  /** With 16 KiB a third of what can be gained was lost. */
  static final int SAMPLE = 256 << 10;

  /** Where size counts more than time: repeats may lie far apart. */
  static final int LARGE_SAMPLE = 1 << 20;

  /** A class without so many bytes is not worth it. */
  static final int LEAST = 4 << 10;

  private static final int FINALISTS = 2;

  private final Transformer transformer = new Transformer();
  private final ZstdCompressor zstd = new ZstdCompressor();
  private final FrameMemory plain = new FrameMemory();
  private final FrameMemory compressed = new FrameMemory();
  private final LongSupplier nanos;

  /** The fastest that each was: the first time is that of code which is not compiled yet. */
  private final Map<Recipe, Double> transformSpeeds = new HashMap<>();

  Trials(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Tries recipes at levels above 0. */
  List<Estimate> of(List<TypedBytes> samples, List<Recipe> recipes, List<Integer> levels) {
    List<Estimate> found = new ArrayList<>();
    int lowest = Math.min(levels.getFirst(), 1);
    List<Estimate> first = new ArrayList<>();
    for (Recipe recipe : recipes) {
      first.add(of(samples, recipe, lowest));
    }
    for (int level : levels) {
      if (level == lowest) {
        found.addAll(first);
      } else {
        finalists(first).forEach(recipe -> found.add(of(samples, recipe, level)));
      }
    }
    return found;
  }

  private static Set<Recipe> finalists(List<Estimate> first) {
    Comparator<Estimate> bySize = Comparator.comparingDouble(Estimate::stored);
    Set<Recipe> recipes = new LinkedHashSet<>();
    first.stream().sorted(bySize).limit(FINALISTS).forEach(e -> recipes.add(e.recipe()));
    first.stream()
        .filter(e -> !e.recipe().shuffled())
        .min(bySize)
        .ifPresent(e -> recipes.add(e.recipe()));
    return recipes;
  }

  private Estimate of(List<TypedBytes> samples, Recipe recipe, int level) {
    long length = samples.stream().mapToLong(sample -> sample.bytes().byteSize()).sum();
    MemorySegment content = plain.ensure(length);
    MemorySegment target = compressed.ensure(length);
    long start = nanos.getAsLong();
    transform(samples, recipe, content);
    long transformed = nanos.getAsLong();
    long size = zstd.compress(content, target, level);
    double compressing = (double) (nanos.getAsLong() - transformed) / length;
    double transforming =
        transformSpeeds.merge(recipe, (double) (transformed - start) / length, Math::min);
    return new Estimate(
        recipe, level, size < 0 ? 1 : (double) size / length, transforming + compressing);
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
