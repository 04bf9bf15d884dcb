// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.cairn.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * A reversible change of typed bytes to as many others, which compress better.
 *
 * <p>A value is first predicted from others that lie so many elements before it: its neighbours
 * along each axis of an array. What is kept is the difference, taken along one axis after the other
 * (with all axes of a field that is Lorenzo's predictor), or the exclusive or. A piece may begin
 * anywhere in an array: where there is nothing before it, zero is predicted. Then the first bytes
 * of all elements may be put side by side, behind them the second bytes, and so on.
 *
 * @param strides distances to what predicts a value, ascending: 1, the length of a row, of a plane
 * @param shuffled whether bytes are put side by side by their place in the element
 */
public record Transform(
    Elements elements, Prediction prediction, List<Integer> strides, boolean shuffled) {
  /** As many axes have predictions. */
  public static final int MAX_AXES = 3;

  /** What is kept of a value and its prediction. */
  public enum Prediction {
    /** The value itself. */
    NONE(0),
    /** The difference, small whatever its sign; of floating-point numbers as ordered integers. */
    DIFFERENCE(1),
    /** The exclusive or. */
    XOR(2);

    private final int number;

    Prediction(int number) {
      this.number = number;
    }
  }

  private static final int BIG = 1;
  private static final int FLOATING = 2;
  private static final int SHUFFLED = 4;

  /** Bytes as they are. */
  public static final Transform NONE =
      new Transform(Elements.BYTES, Prediction.NONE, List.of(), false);

  /** Refuses what cannot be done. */
  public Transform {
    strides = List.copyOf(strides);
    if (prediction == Prediction.NONE != strides.isEmpty()) {
      throw new IllegalArgumentException("a prediction has strides, and only a prediction");
    }
    if (prediction != Prediction.NONE && !elements.isNumeric()) {
      throw new IllegalArgumentException(
          "elements of %d bytes cannot be predicted".formatted(elements.width()));
    }
    if (prediction == Prediction.XOR && strides.size() > 1) {
      throw new IllegalArgumentException("exclusive or has one stride, not " + strides);
    }
    if (strides.size() > MAX_AXES) {
      throw new IllegalArgumentException("at most %d axes, not %s".formatted(MAX_AXES, strides));
    }
    int last = 0;
    for (int stride : strides) {
      if (stride <= last) {
        throw new IllegalArgumentException("strides ascend from 1, unlike " + strides);
      }
      last = stride;
    }
  }

  /** Bytes by their place in the element. */
  public static Transform shuffle(Elements elements) {
    return new Transform(elements, Prediction.NONE, List.of(), true);
  }

  /** Differences to the neighbours at these distances. */
  public static Transform differences(Elements elements, List<Integer> strides, boolean shuffled) {
    return new Transform(elements, Prediction.DIFFERENCE, strides, shuffled);
  }

  /** Exclusive or with the value before. */
  public static Transform xor(Elements elements, boolean shuffled) {
    return new Transform(elements, Prediction.XOR, List.of(1), shuffled);
  }

  /** Whether bytes stay as they are. */
  public boolean isNone() {
    return prediction == Prediction.NONE && (!shuffled || elements.width() == 1);
  }

  /** Appends it; it takes a few bytes. */
  public void write(RecordWriter out) {
    out.putByte(prediction.number)
        .putByte(
            (elements.order() == ByteOrder.BIG_ENDIAN ? BIG : 0)
                | (elements.floating() ? FLOATING : 0)
                | (shuffled ? SHUFFLED : 0))
        .putVarint(elements.width())
        .putVarint(strides.size());
    strides.forEach(out::putVarint);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws CorruptContainerException if it says what no release can do, or none yet
   */
  public static Transform read(RecordReader in) throws CorruptContainerException {
    int number = in.getByte();
    int flags = in.getByte();
    int width = in.getSmallVarint("width of elements");
    int axes = in.getSmallVarint("number of axes");
    if (axes > MAX_AXES) {
      throw in.corrupt("expected at most %d axes, found %d".formatted(MAX_AXES, axes));
    }
    List<Integer> strides = new ArrayList<>();
    for (int i = 0; i < axes; i++) {
      strides.add(in.getSmallVarint("stride"));
    }
    if ((flags & ~(BIG | FLOATING | SHUFFLED)) != 0 || number >= Prediction.values().length) {
      throw in.corrupt("expected a transform, found number %d, flags %d".formatted(number, flags));
    }
    ByteOrder order = (flags & BIG) != 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    try {
      Elements elements = new Elements(width, order, (flags & FLOATING) != 0);
      return new Transform(elements, Prediction.values()[number], strides, (flags & SHUFFLED) != 0);
    } catch (IllegalArgumentException e) {
      throw in.corrupt("expected a transform: " + e.getMessage());
    }
  }

  @Override
  public String toString() {
    String what =
        switch (prediction) {
          case NONE -> "";
          case DIFFERENCE -> strides.size() == 1 ? "delta" : "lorenzo" + strides.size();
          case XOR -> "xor";
        };
    String then = shuffled ? "shuffle" + elements.width() : "";
    return what.isEmpty() && then.isEmpty()
        ? "none"
        : what + (what.isEmpty() || then.isEmpty() ? "" : "+") + then;
  }
}
