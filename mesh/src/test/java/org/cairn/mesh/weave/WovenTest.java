// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntUnaryOperator;
import org.cairn.mesh.kernel.Kernel;
import org.cairn.mesh.kernel.Point;
import org.cairn.mesh.kernel.Point1;
import org.cairn.mesh.kernel.Point2;
import org.cairn.mesh.kernel.Point3;
import org.cairn.mesh.kernel.Row;
import org.cairn.mesh.kernel.Several;
import org.cairn.mesh.kernel.Several1;
import org.cairn.mesh.kernel.Several2;
import org.cairn.mesh.kernel.Several3;
import org.cairn.mesh.kernel.Totals;
import org.cairn.mesh.kernel.Value;
import org.cairn.mesh.kernel.Value1;
import org.cairn.mesh.kernel.Value2;
import org.cairn.mesh.kernel.Value3;
import org.cairn.mesh.weave.Both.Cells;
import org.junit.jupiter.api.Test;

/** Woven loops do what their twins do. */
class WovenTest {
  private static final int E = 1;
  private static final int N = Both.PITCH;

  private double factor = 3;
  private static double offset = .25;

  // Every form of kernel.

  @Test
  void pointsOfEveryForm() {
    Both.each(u -> (Point) k -> u.set(k, u.at(k) * 2));
    Both.each(u -> (Point1) (k, i) -> u.set(k, u.at(k) * i));
    Both.each(u -> (Point2) (k, i, j) -> u.set(k, u.at(k) * i + j));
    Both.each(u -> (Point3) (k, i, j, l) -> u.set(k, u.at(k) * i + j * 1e3 + l));
  }

  @Test
  void pointsAreThoseOfTheSpan() {
    Cells found = Both.each(u -> (Point3) (k, i, j, l) -> u.set(k, 1e6 + i + 100 * j + 10_000 * l));
    Cells expected = new Cells();
    for (int l = -1; l < 3; l++) {
      for (int j = -2; j < 9; j++) {
        for (int i = -1; i < 36; i++) {
          int k = Both.BASE + i + j * Both.PITCH + l * Both.PLANE;
          expected.set(k, 1e6 + i + 100 * j + 10_000 * l);
        }
      }
    }
    assertThat(Both.bits(found.data)).isEqualTo(Both.bits(expected.data));
  }

  @Test
  void rows() {
    Both.each(
        u ->
            (Row)
                (from, to) -> {
                  for (int k = from; k < to; k++) {
                    u.set(k, u.at(k) + u.at(k - N));
                  }
                });
  }

  @Test
  void valuesOfEveryFormAndPurpose() {
    for (Purpose purpose : new Purpose[] {Purpose.SUM, Purpose.MIN, Purpose.MAX}) {
      Both.run(u -> (Value) k -> u.at(k), purpose, Totals.of(1, 1, 1));
      Both.run(u -> (Value1) (k, i) -> u.at(k) * i, purpose, Totals.of(1, 1, 1));
      Both.run(u -> (Value2) (k, i, j) -> u.at(k) * i + j, purpose, Totals.of(1, 1, 1));
      Both.run(u -> (Value3) (k, i, j, l) -> u.at(k) * i + j - l, purpose, Totals.of(1, 1, 1));
    }
  }

  @Test
  void severalTotalsOfEveryForm() {
    Both.run(u -> (Several) (k, out) -> out.add(0, u.at(k)), Purpose.SEVERAL, Totals.of(1, 0, 0));
    Both.run(
        u ->
            (Several1)
                (k, i, out) -> {
                  out.add(1, u.at(k) * i);
                  out.min(0, u.at(k));
                },
        Purpose.SEVERAL,
        Totals.of(2, 1, 0));
    Both.run(
        u -> (Several2) (k, i, j, out) -> out.max(0, u.at(k) * i + j),
        Purpose.SEVERAL,
        Totals.of(0, 0, 1));
    Both.run(
        u -> (Several3) (k, i, j, l, out) -> out.add(0, u.at(k) * i + j - l),
        Purpose.SEVERAL,
        Totals.inOrder(1, 0, 0));
  }

  @Test
  void aSumIsThatOfSegmentsCutAtFixedColumns() {
    double[] u = new double[5000];
    for (int k = 0; k < u.length; k++) {
      u[k] = 1.0 / (k + 1);
    }
    Value value = k -> u[k];
    Loop loop = Both.woven(value, Purpose.SUM);
    double expected = 0;
    double segment = 0;
    for (int i = -1500; i < 3000; i++) {
      if (i % 1024 == 0) {
        expected += segment;
        segment = 0;
      }
      segment += u[i + 1700];
    }
    expected += segment;
    Totals whole = Totals.of(1, 0, 0);
    loop.run("sum", value, Span.line(-1500, 3000, 1700), whole);
    assertThat(whole.sum(0)).isCloseTo(expected, org.assertj.core.data.Offset.offset(1e-12));
    Totals parts = Totals.of(1, 0, 0);
    Totals others = Totals.of(1, 0, 0);
    loop.run("sum", value, Span.line(1024, 3000, 1700), parts);
    loop.run("sum", value, Span.line(-1500, -1024, 1700), others);
    loop.run("sum", value, Span.line(-1024, 1024, 1700), parts);
    others.merge(parts);
    assertThat(others.sum(0)).isEqualTo(whole.sum(0));
  }

  @Test
  void aSumInOrderIsThatOfOneLoop() {
    Cells u = new Cells();
    Value value = k -> u.at(k);
    Span span = Span.plane(0, 30, 0, 5, 0, 30);
    double expected = .5;
    for (int k = 0; k < 150; k++) {
      expected += u.at(k);
    }
    for (Loop loop : new Loop[] {Both.woven(value, Purpose.SUM), Loops.twin(value, Purpose.SUM)}) {
      Totals out = Totals.inOrder(1, 0, 0);
      out.startAt(0, .5);
      loop.run("sum", value, span, out);
      assertThat(out.sum(0)).isEqualTo(expected);
    }
  }

  @Test
  void leastAndGreatestTreatNanAndZerosAsMathDoes() {
    double[] zeros = {0.0, -0.0, 0.0};
    double[] nans = {1, Double.NaN, -1};
    for (double[] data : new double[][] {zeros, nans}) {
      Value value = k -> data[k];
      Totals out = Totals.of(0, 1, 1);
      Both.woven(value, Purpose.MIN).run("min", value, Span.line(0, 3, 0), out);
      Both.woven(value, Purpose.MAX).run("max", value, Span.line(0, 3, 0), out);
      assertThat(out.minimum(0)).isEqualTo((Double) (data == zeros ? -0.0 : Double.NaN));
      assertThat(out.maximum(0)).isEqualTo((Double) (data == zeros ? 0.0 : Double.NaN));
    }
  }

  // Every kind of captured value.

  @Test
  void capturedValuesOfEveryType() {
    boolean yes = factor > 2;
    byte small = (byte) factor;
    char letter = (char) ('a' + small);
    short two = (short) (factor - 1);
    int whole = (int) (factor + 4);
    long large = (long) factor << 40;
    float single = (float) factor / 7;
    double real = factor / 9;
    String word = "w" + whole;
    int[] array = {whole, two};
    List<String> list = List.of(word);
    Both.each(
        u ->
            (Point)
                k -> {
                  double value = yes ? small + letter : two;
                  value += whole + large * (double) single - real;
                  value += word.length() + array[k & 1] + list.getFirst().charAt(0);
                  u.set(k, value);
                });
  }

  @Test
  void thisIsCaptured() {
    Cells found = Both.each(u -> (Point) k -> u.set(k, factor * u.at(k) + ownMethod(k)));
    assertThat(found.at(Both.BASE)).isEqualTo(factor * new Cells().at(Both.BASE) + Both.BASE);
  }

  private double ownMethod(int k) {
    return k;
  }

  @Test
  void privateStaticsAreReached() {
    Both.each(u -> (Point) k -> u.set(k, offset + twice(u.at(k))));
  }

  private static double twice(double value) {
    return 2 * value;
  }

  @Test
  void capturedValuesAreThoseOfEachCall() {
    for (double value : new double[] {1, 2, 3}) {
      Cells u = new Cells();
      Point kernel = k -> u.set(k, value);
      Loop loop = Loops.of(kernel, "set", Purpose.EACH);
      loop.run("set", kernel, Both.SPAN, Totals.none());
      assertThat(u.at(Both.BASE)).isEqualTo(value);
      assertThat(loop.isWoven()).isTrue();
      assertThat(loop).isSameAs(Loops.of(kernel, "set", Purpose.EACH));
    }
  }

  @Test
  void twoLambdasOfOneMethodAreTwoLoops() {
    Cells u = new Cells();
    Point one = k -> u.set(k, 1);
    Point two = k -> u.set(k, 2);
    assertThat(Loops.of(one, "one", Purpose.EACH)).isNotSameAs(Loops.of(two, "two", Purpose.EACH));
    Loops.of(one, "one", Purpose.EACH).run("one", one, Both.SPAN, Totals.none());
    assertThat(u.at(Both.BASE)).isEqualTo(1);
    Loops.of(two, "two", Purpose.EACH).run("two", two, Both.SPAN, Totals.none());
    assertThat(u.at(Both.BASE)).isEqualTo(2);
    assertThat(Loops.describe(one))
        .startsWith(WovenTest.class.getName() + ".lambda$twoLambdasOfOneMethodAreTwoLoops$")
        .isNotEqualTo(Loops.describe(two));
  }

  @Test
  void aKernelOfAnotherClassIsRefused() {
    Cells u = new Cells();
    Point one = k -> u.set(k, 1);
    Point two = k -> u.set(k, 2);
    Loop loop = Both.woven(one, Purpose.EACH);
    assertThatThrownBy(() -> loop.run("one", two, Both.SPAN, Totals.none()))
        .isInstanceOf(ClassCastException.class);
  }

  @Test
  void capturedValuesAreTold() {
    double[] array = {1};
    int number = array.length + 6;
    Point kernel = k -> array[0] = number;
    assertThat(Loops.captured(kernel)).containsExactly(array, 7);
    Point nothing = k -> {};
    assertThat(Loops.captured(nothing)).isEmpty();
  }

  // Every kind of body.

  @Test
  void branchesLoopsAndLocals() {
    Both.each(
        u ->
            (Point2)
                (k, i, j) -> {
                  long count = 0;
                  double sum = 0;
                  for (int d = -2; d <= 2; d++) {
                    if (d == 0) {
                      continue;
                    }
                    sum += u.at(k + d * E);
                    count++;
                  }
                  int way =
                      switch (i & 3) {
                        case 0 -> j;
                        case 1 -> i;
                        default -> 5;
                      };
                  String word = (i & 1) == 0 ? "even" : "odd";
                  int more =
                      switch (word) {
                        case "even" -> 2;
                        default -> 3;
                      };
                  u.set(k, sum / count + way * more);
                });
  }

  @Test
  void earlyReturns() {
    Both.each(
        u ->
            (Point1)
                (k, i) -> {
                  if (i % 3 == 0) {
                    return;
                  }
                  while (true) {
                    u.set(k, u.at(k) * 2);
                    if (Math.abs(u.at(k)) > 4) {
                      return;
                    }
                  }
                });
    Both.run(
        u ->
            (Value1)
                (k, i) -> {
                  if (i < 0) {
                    return 7;
                  }
                  for (int n = 0; n < 10; n++) {
                    if (n * u.at(k) > i) {
                      return n;
                    }
                  }
                  return u.at(k);
                },
        Purpose.SUM,
        Totals.of(1, 0, 0));
  }

  @Test
  @SuppressWarnings("ParameterReassignment")
  void parametersAreTheBodysOwn() {
    Both.each(
        u ->
            (Point3)
                (k, i, j, l) -> {
                  int here = k;
                  k += 1;
                  i = -i;
                  j++;
                  l *= 2;
                  u.set(here, u.at(k) + i + j + l);
                });
    Both.each(
        u ->
            (Row)
                (from, to) -> {
                  while (from < to) {
                    u.set(from, u.at(from) + to);
                    from++;
                    to--;
                  }
                });
  }

  @Test
  void exceptionsThatTheBodyCatches() {
    Both.run(
        u ->
            (Value1)
                (k, i) -> {
                  double value = u.at(k);
                  try {
                    try {
                      if (i % 5 == 0) {
                        throw new IllegalStateException("five");
                      }
                      value += u.data[i % 7 == 0 ? -1 : k];
                    } catch (IllegalStateException e) {
                      value += e.getMessage().length();
                    } finally {
                      value += 1;
                    }
                  } catch (ArrayIndexOutOfBoundsException e) {
                    return -value;
                  } catch (Throwable e) {
                    throw new AssertionError(e);
                  }
                  return value;
                },
        Purpose.SUM,
        Totals.of(1, 0, 0));
  }

  @Test
  void synchronizedBlocksAndAssertions() {
    Object lock = new Object();
    Both.each(
        u ->
            (Point)
                k -> {
                  assert k >= 0 : "negative";
                  synchronized (lock) {
                    if (u.at(k) > 0) {
                      return;
                    }
                    u.set(k, 1);
                  }
                });
  }

  @Test
  void objectsLambdasAndTextsInTheBody() {
    Both.each(
        u ->
            (Point1)
                (k, i) -> {
                  IntToDoubleFunction nested = n -> u.at(k) * n + factor;
                  IntUnaryOperator reference = Math::abs;
                  String text = "i = " + i + String.format(Locale.ROOT, "%d", k);
                  Object box = i > 3 ? new int[] {i} : List.of(text);
                  double more =
                      switch (box) {
                        case int[] array when array[0] > 5 -> 1;
                        case int[] _ -> 2;
                        case List<?> list -> list.size();
                        default -> 0;
                      };
                  u.set(k, nested.applyAsDouble(reference.applyAsInt(i)) + text.length() + more);
                });
  }

  @Test
  void referencesOfTwoTypesMeetInOneVariable() {
    Both.each(
        u ->
            (Point1)
                (k, i) -> {
                  Shape shape;
                  if (i > 5) {
                    shape = new Square(i);
                  } else {
                    shape = new Circle();
                  }
                  u.set(k, shape.area());
                });
  }

  private interface Shape {
    double area();
  }

  private record Square(double side) implements Shape {
    @Override
    public double area() {
      return side * side;
    }
  }

  private static final class Circle implements Shape {
    @Override
    public double area() {
      return Math.PI;
    }
  }

  @Test
  void lambdasOfInterfacesAndInnerClasses() {
    Cells u = new Cells();
    for (Kernel kernel : new Kernel[] {InAnInterface.kernel(u), new Inner(4).kernel(u)}) {
      Both.woven(kernel, Purpose.EACH).run("set", kernel, Both.SPAN, Totals.none());
      assertThat(u.at(Both.BASE)).isEqualTo(kernel == null ? 0 : u.at(Both.BASE + 1));
    }
    assertThat(u.at(Both.BASE)).isEqualTo(4 * factor);
  }

  private interface InAnInterface {
    static Point kernel(Cells u) {
      return k -> u.set(k, own());
    }

    private static double own() {
      return 12;
    }
  }

  private final class Inner {
    private final double own;

    Inner(double own) {
      this.own = own;
    }

    Point kernel(Cells u) {
      return k -> u.set(k, own * factor);
    }
  }

  // Failures.

  @Test
  void anExceptionTellsTheLoopAndThePoint() {
    Cells u = new Cells();
    IllegalStateException cause = new IllegalStateException("too hot");
    int bad = Both.BASE + 5 + 3 * Both.PITCH - Both.PLANE;
    Point kernel =
        k -> {
          if (k == bad) {
            throw cause;
          }
          u.set(k, 0);
        };
    for (Loop loop :
        new Loop[] {Both.woven(kernel, Purpose.EACH), Loops.twin(kernel, Purpose.EACH)}) {
      assertThatThrownBy(() -> loop.run("melt", kernel, Both.SPAN, Totals.none()))
          .isInstanceOf(KernelFailedException.class)
          .hasMessage(
              "loop \"melt\" failed at point i=5, j=3, l=-1:"
                  + " java.lang.IllegalStateException: too hot")
          .hasCause(cause);
    }
  }

  @Test
  void anExceptionOfEveryPurposeTellsThePoint() {
    double[] u = new double[3];
    Value value = k -> u[k];
    Several several = (k, out) -> out.add(0, u[k]);
    for (Purpose purpose : new Purpose[] {Purpose.SUM, Purpose.MIN, Purpose.MAX}) {
      assertFailsAt(value, purpose, "point i=1, j=1, l=0");
    }
    assertFailsAt(several, Purpose.SEVERAL, "point i=1, j=1, l=0");
    Row row = (from, to) -> u[from] = u[to];
    assertFailsAt(row, Purpose.EACH, "row from i=0, j=1, l=0");
  }

  private static void assertFailsAt(Kernel kernel, Purpose purpose, String where) {
    Span span = Span.plane(0, 2, 0, 2, 0, 2);
    for (Loop loop : new Loop[] {Both.woven(kernel, purpose), Loops.twin(kernel, purpose)}) {
      assertThatThrownBy(() -> loop.run("any", kernel, span, Totals.of(1, 1, 1)))
          .isInstanceOf(KernelFailedException.class)
          .hasMessageContaining(where)
          .hasCauseInstanceOf(ArrayIndexOutOfBoundsException.class);
    }
  }

  @Test
  void errorsOfTheMachineAreNotWrapped() {
    OutOfMemoryError error = new OutOfMemoryError();
    Point kernel =
        k -> {
          throw error;
        };
    for (Loop loop :
        new Loop[] {Both.woven(kernel, Purpose.EACH), Loops.twin(kernel, Purpose.EACH)}) {
      assertThatThrownBy(() -> loop.run("any", kernel, Both.SPAN, Totals.none())).isSameAs(error);
    }
  }

  @Test
  void aPurposeThatAKernelCannotServeIsRefused() {
    Point kernel = k -> {};
    assertThatThrownBy(() -> Loops.of(kernel, "any", Purpose.SUM))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a kernel of type Point is for [EACH], not for SUM");
  }

  // Threads.

  @Test
  void threadsShareALoop() throws InterruptedException, ExecutionException {
    int threads = 4;
    Cells u = new Cells();
    CountDownLatch start = new CountDownLatch(threads);
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      List<Future<Loop>> loops = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        int plane = thread - 1;
        loops.add(executor.submit(() -> setPlane(u, plane, start)));
      }
      for (Future<Loop> loop : loops) {
        assertThat(loop.get()).isSameAs(loops.getFirst().get());
      }
    }
    for (int plane = -1; plane < 3; plane++) {
      assertThat(u.at(Both.BASE + plane * Both.PLANE)).isEqualTo(plane);
    }
  }

  private static Loop setPlane(Cells u, int plane, CountDownLatch start)
      throws InterruptedException {
    Point3 kernel = (k, i, j, l) -> u.set(k, plane);
    start.countDown();
    start.await();
    Loop loop = Loops.of(kernel, "planes", Purpose.EACH);
    Span span = new Span(-1, 36, -2, 9, plane, plane + 1, Both.BASE, Both.PITCH, Both.PLANE);
    loop.run("planes", kernel, span, Totals.none());
    return loop;
  }
}
