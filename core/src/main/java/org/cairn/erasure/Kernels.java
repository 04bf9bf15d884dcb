// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The kernels of a path, one per {@link Shape}.
 *
 * <p>Vector kernels are copies of one class: each a hidden class made from the same bytes with the
 * shape as its class data. So the shape is a constant to C2, and shapes do not share profiles.
 * Where classes cannot be defined at run time (ahead-of-time images) the plain twin serves.
 */
final class Kernels {

  private static final Kernels CHOSEN = new Kernels(ErasurePath.current());

  private final ErasurePath path;
  private final Map<Shape, Kernel> kernels = new ConcurrentHashMap<>();

  Kernels(ErasurePath path) {
    this.path = path;
  }

  /** The kernels of the path chosen for this run. */
  static Kernels chosen() {
    return CHOSEN;
  }

  /** How many sources a shape may have with two sums of products, or with one. */
  int mostSources(boolean two) {
    return path.vector() ? VectorKernel.mostSources(two) : Shape.mostSources(two);
  }

  /** The kernel for this shape; it serves any number of threads. */
  Kernel of(Shape shape) {
    return kernels.computeIfAbsent(shape, this::create);
  }

  private Kernel create(Shape shape) {
    Kernel plain = new PlainKernel(shape);
    if (!path.vector()) {
      return plain;
    }
    Kernel vector = copy(shape, plain);
    return path.forced() || vector == plain ? vector : new WarmedKernel(shape, plain, vector);
  }

  private static Kernel copy(Shape shape, Kernel otherwise) {
    try (InputStream in = VectorKernel.class.getResourceAsStream("VectorKernel.class")) {
      if (in == null) {
        return otherwise;
      }
      MethodHandles.Lookup copy =
          MethodHandles.lookup().defineHiddenClassWithClassData(in.readAllBytes(), shape, false);
      return (Kernel) copy.lookupClass().getDeclaredConstructors()[0].newInstance();
    } catch (IOException
        | ReflectiveOperationException
        | LinkageError
        | UnsupportedOperationException e) {
      return otherwise;
    }
  }

  /** The shape of the copy that asks; the original, which is never run, gets a harmless one. */
  static Shape shapeOf(MethodHandles.Lookup lookup) {
    try {
      Shape own = MethodHandles.classData(lookup, "_", Shape.class);
      return own == null ? new Shape(1, true, 0, true) : own;
    } catch (IllegalAccessException e) {
      throw new LinkageError("A class may read its own class data", e);
    }
  }
}
