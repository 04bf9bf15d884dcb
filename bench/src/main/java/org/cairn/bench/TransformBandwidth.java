// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.cairn.transform.Elements;
import org.cairn.transform.Transform;
import org.cairn.transform.Transformer;

/**
 * How fast pieces are transformed and brought back by one thread, against a copy of the same bytes.
 * The piece and what it becomes stay in a cache, so the copy is as fast as it gets.
 */
final class TransformBandwidth implements AutoCloseable {
  private static final String COPY = "copy";

  /** A measurement does so many bytes, or a clock would be too coarse. */
  private static final long BYTES_A_TIME = 4L << 20;

  private final Arena arena = Arena.ofShared();
  private final Transformer transformer = new Transformer();
  private final MemorySegment piece;
  private final MemorySegment transformed;
  private final MemorySegment back;
  private final int repeats;

  /** One line of the table; rates in GB/s. */
  record Result(
      String transform,
      String elements,
      double forward,
      double forwardOfCopy,
      double inverse,
      double inverseOfCopy) {}

  /** Something to measure: what is done to which elements. */
  record Subject(Transform transform) {
    String elements() {
      Elements elements = transform.elements();
      String kind = elements.floating() ? "float" : elements.isNumeric() ? "int" : "record";
      String order = elements.order() == ByteOrder.BIG_ENDIAN ? ", big" : "";
      return kind + 8 * elements.width() + order;
    }

    private String name(String direction) {
      return direction + " " + transform + " " + elements();
    }
  }

  TransformBandwidth(long bytes) {
    piece = arena.allocate(bytes, 64);
    transformed = arena.allocate(bytes, 64);
    back = arena.allocate(bytes, 64);
    repeats = (int) Math.max(1, BYTES_A_TIME / bytes);
    for (long i = 0; i < bytes / Double.BYTES; i++) {
      piece.setAtIndex(ValueLayout.JAVA_DOUBLE, i, Math.sin(i * 0.01) + Math.cos(i * 1e-4));
    }
  }

  /** Shuffles of elements of 2, 4, 8 and 24 bytes; differences of floats along 1 to 3 axes. */
  static List<Subject> usual() {
    List<Subject> subjects = new ArrayList<>();
    for (int width : new int[] {2, 4, 8, 24}) {
      Elements elements = Elements.integers(width, ByteOrder.LITTLE_ENDIAN);
      subjects.add(new Subject(Transform.shuffle(elements)));
    }
    for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
      for (int width : new int[] {4, 8}) {
        addPredicted(Elements.floats(width, order), subjects);
      }
    }
    return subjects;
  }

  private static void addPredicted(Elements elements, List<Subject> subjects) {
    List<Integer> strides = List.of(1, 64, 64 * 64);
    for (boolean shuffled : new boolean[] {false, true}) {
      for (int axes = 1; axes <= strides.size(); axes++) {
        List<Integer> along = strides.subList(0, axes);
        subjects.add(new Subject(Transform.differences(elements, along, shuffled)));
      }
    }
  }

  /**
   * Has transforms done until they are done by the code that will do all others: a machine with
   * other work may take a minute to compile it.
   */
  static void untilWarm(Rounds.Timed transforms) throws IOException {
    Transformer anyone = new Transformer();
    do {
      transforms.run();
    } while (anyone.isWarming());
  }

  /** Measures all subjects in turn, round after round, in time of the processor. */
  List<Result> run(List<Subject> subjects, int warmup, int rounds) throws IOException {
    untilWarm(() -> subjects.forEach(this::verify));
    Rounds inTurn = new Rounds();
    inTurn.add(COPY, () -> Rounds.ofProcessor(() -> repeat(() -> transformed.copyFrom(piece))));
    for (Subject subject : subjects) {
      Transform transform = subject.transform();
      inTurn.add(
          subject.name("forward"),
          () ->
              Rounds.ofProcessor(
                  () -> repeat(() -> transformer.forward(transform, piece, transformed))));
      inTurn.add(
          subject.name("inverse"),
          () -> {
            transformer.forward(transform, piece, transformed);
            return Rounds.ofProcessor(
                () -> repeat(() -> transformer.inverse(transform, transformed, back)));
          });
    }
    Map<String, Series> times = inTurn.run(warmup, rounds);
    subjects.forEach(this::verify);
    return results(subjects, times);
  }

  private void repeat(Runnable work) {
    for (int i = 0; i < repeats; i++) {
      work.run();
    }
  }

  private void verify(Subject subject) {
    transformer.forward(subject.transform(), piece, transformed);
    transformer.inverse(subject.transform(), transformed, back);
    if (piece.mismatch(back) != -1) {
      throw new IllegalStateException(subject.name("inverse") + " gave other bytes");
    }
  }

  private List<Result> results(List<Subject> subjects, Map<String, Series> times) {
    double bytes = 1e-9 * piece.byteSize() * repeats;
    Series copy = series(times, COPY);
    List<Result> results = new ArrayList<>();
    results.add(new Result(COPY, "", bytes / copy.median(), 1, bytes / copy.median(), 1));
    for (Subject subject : subjects) {
      Series forward = series(times, subject.name("forward"));
      Series inverse = series(times, subject.name("inverse"));
      results.add(
          new Result(
              subject.transform().toString(),
              subject.elements(),
              bytes / forward.median(),
              copy.over(forward).median(),
              bytes / inverse.median(),
              copy.over(inverse).median()));
    }
    return results;
  }

  private static Series series(Map<String, Series> times, String name) {
    return Objects.requireNonNull(times.get(name));
  }

  @Override
  public void close() {
    arena.close();
  }
}
