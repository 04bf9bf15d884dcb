// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Method;
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

/** Makes loops of kernels: one for each class of kernels and each purpose. */
public final class Loops {
  private Loops() {}

  /**
   * The loop for a kernel and all others of its class.
   *
   * @param name the loop's name, for the log
   * @throws IllegalArgumentException if a kernel of its kind cannot serve the purpose
   */
  public static Loop of(Kernel kernel, String name, Purpose purpose) {
    Loop template =
        switch (purpose) {
          case EACH -> kernel instanceof Row ? new RowTemplate() : new EachTemplate();
          case SUM -> new SumTemplate();
          case MIN -> new MinTemplate();
          case MAX -> new MaxTemplate();
          case SEVERAL -> new SeveralTemplate();
        };
    return new Loop() {
      @Override
      public void run(String loop, Kernel given, Span span, Totals out) {
        template.run(loop, general(given), span, out);
      }
    };
  }

  private static Kernel general(Kernel kernel) {
    return switch (kernel) {
      case Point point -> (Point3) (k, i, j, l) -> point.at(k);
      case Point1 point -> (Point3) (k, i, j, l) -> point.at(k, i);
      case Point2 point -> (Point3) (k, i, j, l) -> point.at(k, i, j);
      case Value value -> (Value3) (k, i, j, l) -> value.at(k);
      case Value1 value -> (Value3) (k, i, j, l) -> value.at(k, i);
      case Value2 value -> (Value3) (k, i, j, l) -> value.at(k, i, j);
      case Several several -> (Several3) (k, i, j, l, out) -> several.at(k, out);
      case Several1 several -> (Several3) (k, i, j, l, out) -> several.at(k, i, out);
      case Several2 several -> (Several3) (k, i, j, l, out) -> several.at(k, i, j, out);
      case Point3 point -> point;
      case Value3 value -> value;
      case Several3 several -> several;
      case Row row -> row;
    };
  }

  /**
   * Names a kernel in a way that is the same in another JVM: the class and method that implement a
   * lambda, {@code org.app.Main.lambda$run$2}; the class of other kernels.
   */
  public static String describe(Kernel kernel) {
    SerializedLambda lambda = serialized(kernel);
    return lambda == null
        ? kernel.getClass().getName()
        : lambda.getImplClass().replace('/', '.') + "." + lambda.getImplMethodName();
  }

  /** The values that a kernel captured, those of primitive types boxed; none for other classes. */
  public static Object[] captured(Kernel kernel) {
    SerializedLambda lambda = serialized(kernel);
    Object[] captured = new Object[lambda == null ? 0 : lambda.getCapturedArgCount()];
    for (int n = 0; n < captured.length; n++) {
      captured[n] = lambda.getCapturedArg(n);
    }
    return captured;
  }

  private static SerializedLambda serialized(Kernel kernel) {
    try {
      Method method = kernel.getClass().getDeclaredMethod("writeReplace");
      method.setAccessible(true);
      return (SerializedLambda) method.invoke(kernel);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }
}
