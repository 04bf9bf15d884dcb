// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.cairn.version.DatasetSpec;

/** What a dataset holds after a restart if the version lacks it. */
public sealed interface Default {

  /** Refuses a default that the dataset cannot hold, before anything is changed. */
  void check(Dataset dataset);

  /** Gives the dataset its content; all that the version has is restored already. */
  void apply(Dataset dataset);

  /** The same number in all elements, as many as there are. */
  record Value(double value) implements Default {
    @Override
    public void check(Dataset dataset) {
      if (!fits(dataset.elementType())) {
        throw new IllegalArgumentException(
            "%s is no default for \"%s\", whose elements are of type %s; give a function that fills it"
                .formatted(value, dataset.name(), dataset.elementType().label()));
      }
    }

    private boolean fits(ElementType type) {
      return switch (type) {
        case BYTE -> value == (byte) value;
        case SHORT -> value == (short) value;
        case INT -> value == (int) value;
        // The double next to the largest long is larger than it.
        case LONG -> value == (long) value && value < 0x1p63;
        case FLOAT -> !Float.isInfinite((float) value) || Double.isInfinite(value);
        case DOUBLE -> true;
        case BOOLEAN, CHAR, OPAQUE -> false;
      };
    }

    @Override
    public void apply(Dataset dataset) {
      DatasetSpec spec = dataset.spec();
      MemorySegment memory = dataset.target(spec);
      int size = spec.type().bytes();
      for (long at = 0; at < spec.byteLength(); at += size) {
        put(memory, at, spec.type());
      }
      dataset.filled(spec);
    }

    private void put(MemorySegment memory, long at, ElementType type) {
      switch (type) {
        case BYTE -> memory.set(ValueLayout.JAVA_BYTE, at, (byte) value);
        case SHORT -> memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) value);
        case INT -> memory.set(ValueLayout.JAVA_INT_UNALIGNED, at, (int) value);
        case LONG -> memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, (long) value);
        case FLOAT -> memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, (float) value);
        case DOUBLE -> memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, value);
        case BOOLEAN, CHAR, OPAQUE -> throw new AssertionError(type);
      }
    }

    @Override
    public String toString() {
      return Double.toString(value);
    }
  }

  /** What a function of the program makes of it. */
  record Made(Runnable function) implements Default {
    @Override
    public void check(Dataset dataset) {}

    @Override
    public void apply(Dataset dataset) {
      function.run();
    }

    /** The same on all ranks. */
    @Override
    public String toString() {
      return "made by a function";
    }
  }
}
