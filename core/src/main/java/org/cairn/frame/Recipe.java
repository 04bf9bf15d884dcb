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

  /** What is worth trying with such data; the cheapest first. */
  static List<Recipe> candidates(Elements elements, int axes, boolean thorough) {
    List<Recipe> recipes = new ArrayList<>(List.of(NONE));
    if (elements.width() == 1) {
      for (int width : List.of(8, 4)) {
        recipes.add(shuffle(width));
        recipes.add(differences(1, true, width));
        if (thorough) {
          recipes.add(differences(1, false, width));
        }
      }
      return recipes;
    }
    recipes.add(shuffle(0));
    if (elements.isNumeric()) {
      addPredictions(axes, thorough, recipes);
    }
    return recipes;
  }

  private static void addPredictions(int axes, boolean thorough, List<Recipe> recipes) {
    for (int n = 1; n <= axes; n++) {
      if (thorough || n == 1 || n == axes) {
        recipes.add(differences(n, true, 0));
      }
      if (thorough) {
        recipes.add(differences(n, false, 0));
      }
    }
    if (thorough) {
      recipes.add(new Recipe(Prediction.XOR, 1, true, 0));
      recipes.add(new Recipe(Prediction.XOR, 1, false, 0));
    }
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
