// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * One copy of a kernel class per {@link MemoryKind}, each compiled with a profile of its own.
 *
 * <p>Profiles belong to methods, so a kernel that has seen both heap and native segments is
 * compiled for both and falls to a tenth of its speed (measured: 5.6 to 0.4 GB/s), whatever the
 * caller does. Writing the kernel ten times would avoid that; loading it ten times does too: each
 * copy is a hidden class made from the same bytes. Where classes cannot be defined at run time
 * (ahead-of-time images, a class file that is not in the jar) all kinds share the original: slower,
 * never wrong.
 *
 * <p>Copies are made when first asked for, once, by whichever thread comes first.
 *
 * @param <K> what the kernels implement
 */
final class KernelCopies<K> {

  private final Class<K> type;
  private final Class<? extends K> original;
  private final int bits;
  private final Function<MemoryKind, Object[]> arguments;
  private final Map<MemoryKind, K> copies = new ConcurrentHashMap<>();

  /**
   * Copies of {@code original}, a class of this package with one constructor.
   *
   * @param bits the width of the vectors for which copies are {@linkplain Specialization
   *     specialized}
   * @param arguments what the constructor of the copy for a kind is given
   */
  KernelCopies(
      Class<K> type,
      Class<? extends K> original,
      int bits,
      Function<MemoryKind, Object[]> arguments) {
    this.type = type;
    this.original = original;
    this.bits = bits;
    this.arguments = arguments;
  }

  /** Copies of a class whose constructor takes {@code arguments}, the same for all. */
  KernelCopies(Class<K> type, Class<? extends K> original, Object... arguments) {
    this(type, original, 0, _ -> arguments);
  }

  /** The copy for this kind of memory; it must never be given another. */
  K of(MemoryKind kind) {
    // Asked once a tile: the function object would be garbage in proportion to the data.
    K copy = copies.get(kind);
    return copy != null ? copy : copies.computeIfAbsent(kind, this::create);
  }

  private K create(MemoryKind kind) {
    return newInstance(classFor(kind), arguments.apply(kind));
  }

  private Class<?> classFor(MemoryKind kind) {
    try (InputStream in = original.getResourceAsStream(original.getSimpleName() + ".class")) {
      return in == null ? original : define(in.readAllBytes(), kind).lookupClass();
    } catch (IOException
        | IllegalAccessException
        | LinkageError
        | UnsupportedOperationException e) {
      return original;
    }
  }

  private MethodHandles.Lookup define(byte[] bytes, MemoryKind kind) throws IllegalAccessException {
    return MethodHandles.lookup()
        .defineHiddenClassWithClassData(bytes, new Specialization(kind, bits), false);
  }

  private K newInstance(Class<?> kernel, Object[] given) {
    try {
      return type.cast(kernel.getDeclaredConstructors()[0].newInstance(given));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("Kernel " + kernel + " cannot be created", e);
    }
  }
}
