// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.cairn.Compression;
import org.cairn.Compression.Goal;
import org.cairn.frame.Chooser;
import org.cairn.frame.FrameEncoder;
import org.cairn.frame.FrameInfo;
import org.cairn.frame.FrameOrder;
import org.cairn.frame.FramePlan;
import org.cairn.frame.Piece;
import org.cairn.frame.Recipe;
import org.cairn.frame.TypedBytes;
import org.cairn.transform.Elements;
import org.cairn.transform.Transform;
import org.cairn.transform.Transform.Prediction;

/**
 * How small frames of a set become, with what is chosen or with what one says. Counts frames, not
 * what is kept of them outside.
 */
public final class Framing {
  /** So slow that nothing counts but size. */
  private static final double SLOW_STORE = 1e4;

  private final LoadedSet set;
  private final FrameOrder order;
  private final FrameOrder.Sizes sizes;

  /** Frames of a set in an order. */
  public Framing(LoadedSet set, FrameOrder order, FrameOrder.Sizes sizes) {
    this.set = set;
    this.order = order;
    this.sizes = sizes;
  }

  private interface Encoding {
    FrameInfo encode(List<TypedBytes> pieces, FrameEncoder encoder, MemorySegment target);
  }

  /** Two passes: transforms that are tried, then zstd. */
  public long stored(Compression compression) {
    try (Chooser chooser = new Chooser(compression)) {
      chooser.store(SLOW_STORE, 1);
      chooser.beginSet();
      return stored(
          (pieces, encoder, target) -> {
            FramePlan plan = chooser.plan(pieces);
            FrameInfo info = encoder.encode(plan.pieces(), plan.level(), target);
            chooser.stored(plan, info);
            return info;
          });
    }
  }

  /** What {@code auto} makes of it where it has no other level. */
  public long storedByAuto(int level) {
    return stored(new Compression(Goal.AUTO, List.of(level)));
  }

  /** One recipe for everything, then zstd; one pass, with {@link Recipe#NONE}. */
  public long stored(Recipe recipe, int level) {
    return stored(
        (pieces, encoder, target) ->
            encoder.encode(
                pieces.stream()
                    .map(piece -> new Piece(piece.bytes(), transform(recipe, piece)))
                    .toList(),
                level,
                target));
  }

  private static Transform transform(Recipe recipe, TypedBytes piece) {
    boolean numbers = recipe.prediction() == Prediction.NONE || piece.elements().isNumeric();
    return piece.coded() || !numbers ? Transform.NONE : recipe.on(piece.elements(), piece.shape());
  }

  private long stored(Encoding encoding) {
    long stored = 0;
    Iterator<List<FrameOrder.Part>> frames = set.frames(order, sizes);
    try (FrameEncoder encoder = new FrameEncoder();
        Arena arena = Arena.ofShared()) {
      MemorySegment target = MemorySegment.NULL;
      while (frames.hasNext()) {
        List<TypedBytes> pieces = frames.next().stream().map(set::typed).toList();
        long plain = pieces.stream().mapToLong(piece -> piece.bytes().byteSize()).sum();
        long most = FrameEncoder.mostStored(plain, pieces.size());
        if (target.byteSize() < most) {
          target = arena.allocate(most, Long.BYTES);
        }
        stored += encoding.encode(pieces, encoder, target).storedLength();
      }
    }
    return stored;
  }

  /** What one could choose for everything. */
  public static List<Recipe> fixedChoices() {
    List<Recipe> recipes = new ArrayList<>();
    for (boolean shuffled : new boolean[] {false, true}) {
      recipes.add(new Recipe(Prediction.NONE, 0, shuffled, 0));
      recipes.add(new Recipe(Prediction.XOR, 1, shuffled, 0));
      for (int axes = 1; axes <= Transform.MAX_AXES; axes++) {
        recipes.add(new Recipe(Prediction.DIFFERENCE, axes, shuffled, 0));
      }
    }
    return recipes;
  }

  /** Doubles of most sets; for those who take all bytes for doubles. */
  public static ByteOrder byteOrder(LoadedSet set) {
    return set.members().stream()
        .flatMap(List::stream)
        .map(TypedBytes::elements)
        .filter(Elements::floating)
        .map(Elements::order)
        .findFirst()
        .orElse(ByteOrder.LITTLE_ENDIAN);
  }
}
