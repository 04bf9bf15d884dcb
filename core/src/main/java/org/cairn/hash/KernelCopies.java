package org.cairn.hash;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.EnumMap;
import java.util.Map;

/**
 * One copy of a kernel class per {@link MemoryKind}, each compiled with a profile of its own.
 *
 * <p>Profiles belong to methods, so a kernel that has seen both heap and native segments is compiled
 * for both and loses a factor of three or more, whatever the caller does. Writing the kernel ten
 * times would avoid that; loading it ten times does too: each copy is a hidden class made from the
 * same bytes. Where classes cannot be defined at run time (ahead-of-time images, a class file that
 * was stripped from the jar) all kinds share the original: slower, never wrong.
 */
final class KernelCopies<K> {

  private final Map<MemoryKind, K> kernels = new EnumMap<>(MemoryKind.class);

  /** Copies of {@code implementation}, a class of this package with a constructor of no arguments. */
  KernelCopies(MethodHandles.Lookup lookup, Class<K> type, Class<? extends K> implementation) {
    byte[] bytes = bytesOf(implementation);
    for (MemoryKind kind : MemoryKind.values()) {
      kernels.put(kind, type.cast(instance(lookup, implementation, bytes)));
    }
  }

  /** The copy that only ever sees segments of this kind. */
  K of(MemoryKind kind) {
    return kernels.get(kind);
  }
}
