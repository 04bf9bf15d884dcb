// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.XOR;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * The kernel on vectors: a product with a constant is the sum of two products, of the low and of
 * the high four bits, and each is a look-up in a table of 16 bytes, which is one instruction for
 * all bytes of a vector ({@code TBL} on ARM, {@code PSHUFB} on x86). See Plank, Greenan, Miller,
 * "Screaming fast Galois field arithmetic using Intel SIMD instructions", FAST 2013.
 *
 * <p>There is one copy of this class per {@link Shape}, made by {@link Kernels}: the shape is a
 * constant of the copy, so C2 sees straight code and each copy has a profile of its own. Touch it
 * only where the module {@code jdk.incubator.vector} is present; {@link ErasurePath} sees to that.
 */
final class VectorKernel implements Kernel {

  private static final Shape SHAPE = Kernels.shapeOf(MethodHandles.lookup());
  private static final int SOURCES = SHAPE.sources();
  private static final boolean SUM = SHAPE.xor();
  private static final int DOTS = SHAPE.dots();
  private static final boolean ADD = SHAPE.add();

  /** The places of the first target with coefficients and of the last of all, if there are any. */
  private static final int DOT = Shape.MAX_SOURCES + (SUM && DOTS > 0 ? 1 : 0);

  private static final int LAST = Shape.MAX_SOURCES + SHAPE.targets() - 1;

  /** x86 has no instruction that shifts bytes, and C2 makes a dozen of it. */
  private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");

  private static final VectorSpecies<Byte> SPECIES =
      VectorSpecies.of(byte.class, VectorShape.forBitSize(bits()));
  private static final int STEP = SPECIES.length();
  private static final int TABLE = Coefficients.TABLE;

  /**
   * The width of the vectors used here. x86 looks up within 16 bytes; to choose from more, as
   * {@code selectFrom} may, takes C2 several instructions.
   */
  static int bits() {
    return Math.min(ARM ? 512 : 128, ByteVector.SPECIES_PREFERRED.vectorBitSize());
  }

  /**
   * How many sources a step may have: C2 stops to inline where a loop gets too large, and what it
   * then makes is up to ten times slower. What x86 takes for a product is larger.
   *
   * @param two whether it computes two sums of products
   */
  static int mostSources(boolean two) {
    return ARM ? Shape.mostSources(two) : two ? 2 : 3;
  }

  @Override
  public void run(MemorySegment[] memory, long offset, int length, Coefficients coefficients) {
    int whole = length - length % STEP;
    if (whole > 0) {
      vectors(memory, offset, whole, coefficients.nibbles());
    }
    if (whole < length) {
      PlainKernel.run(SHAPE, memory, offset + whole, length - whole, coefficients);
    }
  }

  /**
   * Takes slices here, and not in the caller: a call that this method makes has a profile of its
   * own, by which C2 knows the class of the segment and of its slice. Loads are compiled from code
   * that all of a JVM shares; where that has met three kinds of memory a load from a segment of
   * unknown class takes two calls.
   */
  private static void vectors(MemorySegment[] memory, long offset, int length, byte[] tables) {
    MemorySegment a = memory[0].asSlice(offset, length);
    MemorySegment b = memory[1].asSlice(offset, length);
    MemorySegment c = memory[2].asSlice(offset, length);
    MemorySegment d = memory[3].asSlice(offset, length);
    MemorySegment e = memory[4].asSlice(offset, length);
    MemorySegment f = memory[5].asSlice(offset, length);
    MemorySegment sum = memory[Shape.MAX_SOURCES].asSlice(offset, length);
    MemorySegment dot = memory[DOT].asSlice(offset, length);
    MemorySegment dot2 = memory[LAST].asSlice(offset, length);
    for (int i = 0; i < length; i += STEP) {
      ByteVector x = load(a, i);
      ByteVector low = low(x);
      ByteVector high = high(x);
      ByteVector s = ADD && SUM ? x.lanewise(XOR, load(sum, i)) : x;
      ByteVector p = DOTS > 0 ? product(low, high, tables, 0) : x;
      ByteVector q = DOTS > 1 ? product(low, high, tables, SOURCES) : x;
      p = ADD && DOTS > 0 ? p.lanewise(XOR, load(dot, i)) : p;
      q = ADD && DOTS > 1 ? q.lanewise(XOR, load(dot2, i)) : q;
      if (SOURCES > 1) {
        x = load(b, i);
        low = low(x);
        high = high(x);
        s = SUM ? s.lanewise(XOR, x) : s;
        p = DOTS > 0 ? p.lanewise(XOR, product(low, high, tables, 1)) : p;
        q = DOTS > 1 ? q.lanewise(XOR, product(low, high, tables, SOURCES + 1)) : q;
      }
      if (SOURCES > 2) {
        x = load(c, i);
        low = low(x);
        high = high(x);
        s = SUM ? s.lanewise(XOR, x) : s;
        p = DOTS > 0 ? p.lanewise(XOR, product(low, high, tables, 2)) : p;
        q = DOTS > 1 ? q.lanewise(XOR, product(low, high, tables, SOURCES + 2)) : q;
      }
      if (SOURCES > 3) {
        x = load(d, i);
        low = low(x);
        high = high(x);
        s = SUM ? s.lanewise(XOR, x) : s;
        p = DOTS > 0 ? p.lanewise(XOR, product(low, high, tables, 3)) : p;
        q = DOTS > 1 ? q.lanewise(XOR, product(low, high, tables, SOURCES + 3)) : q;
      }
      if (SOURCES > 4) {
        x = load(e, i);
        low = low(x);
        high = high(x);
        s = SUM ? s.lanewise(XOR, x) : s;
        p = DOTS > 0 ? p.lanewise(XOR, product(low, high, tables, 4)) : p;
        q = DOTS > 1 ? q.lanewise(XOR, product(low, high, tables, SOURCES + 4)) : q;
      }
      if (SOURCES > 5) {
        x = load(f, i);
        low = low(x);
        high = high(x);
        s = SUM ? s.lanewise(XOR, x) : s;
        p = DOTS > 0 ? p.lanewise(XOR, product(low, high, tables, 5)) : p;
        q = DOTS > 1 ? q.lanewise(XOR, product(low, high, tables, SOURCES + 5)) : q;
      }
      if (SUM) {
        s.intoMemorySegment(sum, i, ByteOrder.LITTLE_ENDIAN);
      }
      if (DOTS > 0) {
        p.intoMemorySegment(dot, i, ByteOrder.LITTLE_ENDIAN);
      }
      if (DOTS > 1) {
        q.intoMemorySegment(dot2, i, ByteOrder.LITTLE_ENDIAN);
      }
    }
  }

  private static ByteVector load(MemorySegment memory, int at) {
    return ByteVector.fromMemorySegment(SPECIES, memory, at, ByteOrder.LITTLE_ENDIAN);
  }

  /** The low four bits of each byte; where a vector has 16, looking up drops the others itself. */
  private static ByteVector low(ByteVector x) {
    return STEP == 16 || DOTS == 0 ? x : x.and((byte) 15);
  }

  /** The high four; on x86 with others above, which looking up in 16 bytes drops, too. */
  private static ByteVector high(ByteVector x) {
    if (DOTS == 0) {
      return x;
    }
    return ARM ? x.lanewise(LSHR, 4) : x.reinterpretAsInts().lanewise(LSHR, 4).reinterpretAsBytes();
  }

  private static ByteVector product(ByteVector low, ByteVector high, byte[] tables, int index) {
    int at = 2 * TABLE * index;
    return low.selectFrom(ByteVector.fromArray(SPECIES, tables, at))
        .lanewise(XOR, high.selectFrom(ByteVector.fromArray(SPECIES, tables, at + TABLE)));
  }
}
