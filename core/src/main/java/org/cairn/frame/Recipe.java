// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.cairn.transform.Elements;
import org.cairn.transform.Transform;
import org.cairn.transform.Transform.Prediction;

/**
 * A transform for a class of variables, whatever the lengths of their rows.
 *
 * @param prediction from what values are predicted
 * @param axes along how many axes, the fastest first
 * @param shuffled whether bytes are put side by side by their place in the element
 * @param width bytes of no known type are taken for integers of so many bytes; 0 if the type is
 *     known
 */
public record Recipe(Prediction prediction, int axes, boolean shuffled, int width) {
  /** Bytes as they are. */
  public static final Recipe NONE = new Recipe(Prediction.NONE, 0, false, 0);

  /** Refuses what no transform does. */
  public Recipe {
    if (prediction == Prediction.NONE != (axes == 0) || axes > Transform.MAX_AXES) {
      throw new IllegalArgumentException("%s along %d axes".formatted(prediction, axes));
    }
  }

  private static Recipe differences(int axes, boolean shuffled, int width) {
    return new Recipe(Prediction.DIFFERENCE, axes, shuffled, width);
  }

  private static Recipe shuffle(int width) {
    return new Recipe(Prediction.NONE, 0, true, width);
  }

  /** The transform of a piece of an array with this shape, the slowest axis first. */
  public Transform on(Elements elements, List<Long> shape) {
    Elements taken = width == 0 ? elements : Elements.integers(width, ByteOrder.LITTLE_ENDIAN);
    if (prediction == Prediction.NONE) {
      return shuffled ? Transform.shuffle(taken) : Transform.NONE;
    }
    List<Integer> strides = strides(width == 0 ? shape : List.of());
    return new Transform(
        taken, prediction, strides.subList(0, Math.min(axes, strides.size())), shuffled);
  }

  /** Distances to the neighbours along each axis; axes of length one have none. */
  private static List<Integer> strides(List<Long> shape) {
    List<Integer> strides = new ArrayList<>(List.of(1));
    long stride = 1;
    for (int i = shape.size() - 1; i > 0 && strides.size() < Transform.MAX_AXES; i--) {
      long length = shape.get(i);
      if (length < 1 || length > Integer.MAX_VALUE / stride) {
        break;
      }
      stride *= length;
      if (length > 1 && stride > strides.getLast()) {
        strides.add((int) stride);
      }
    }
    return strides;
  }

  /** How many axes of an array can be used. */
  static int axesOf(List<Long> shape) {
    return strides(shape).size();
  }

  /** What is tried first with such data, the cheapest first. */
  static List<Recipe> first(Elements elements, int axes) {
    List<Recipe> recipes = new ArrayList<>(List.of(NONE));
    if (elements.width() == 1) {
      recipes.add(shuffle(8));
      recipes.add(shuffle(4));
      return recipes;
    }
    recipes.add(shuffle(0));
    if (elements.isNumeric()) {
      recipes.add(differences(1, true, 0));
      if (axes > 1) {
        recipes.add(differences(axes, true, 0));
      }
    }
    return recipes;
  }

  /** What may be better still where this one was the best of the first. */
  List<Recipe> next(Elements elements) {
    List<Recipe> recipes = new ArrayList<>();
    if (!elements.isNumeric()) {
      return recipes;
    }
    if (prediction == Prediction.DIFFERENCE) {
      recipes.add(differences(axes, false, width));
      if (axes == 3) {
        recipes.add(differences(2, true, width));
      }
    } else if (elements.width() > 1 || width > 0) {
      recipes.add(new Recipe(Prediction.XOR, 1, shuffled, width));
      recipes.add(differences(1, false, width));
      if (width > 0) {
        recipes.add(differences(1, true, width));
      }
    }
    return recipes;
  }

  @Override
  public String toString() {
    String what =
        switch (prediction) {
          case NONE -> "";
          case DIFFERENCE -> axes == 1 ? "delta" : "lorenzo" + axes;
          case XOR -> "xor";
        };
    String text = what + (shuffled ? (what.isEmpty() ? "" : "+") + "shuffle" : "");
    return (text.isEmpty() ? "none" : text) + (width == 0 ? "" : " of " + width + " bytes");
  }
}
