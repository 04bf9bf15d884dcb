// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.random.RandomGenerator;

/** Blocks of the kinds that checkpoints are made of, and a few that they are not. */
enum Samples {
  ZEROS {
    @Override
    byte at(int index, RandomGenerator random) {
      return 0;
    }
  },
  NOISE {
    @Override
    byte at(int index, RandomGenerator random) {
      return (byte) random.nextInt();
    }
  },
  FEW_SYMBOLS {
    @Override
    byte at(int index, RandomGenerator random) {
      return (byte) random.nextInt(4);
    }
  },
  COUNTERS {
    @Override
    byte at(int index, RandomGenerator random) {
      return (byte) ((index / 8) >>> (8 * (index % 8)));
    }
  },
  REPEATS {
    @Override
    byte at(int index, RandomGenerator random) {
      return random.nextInt(64) == 0 ? (byte) random.nextInt() : (byte) (index % 37);
    }
  },
  /** Half of it random, half zero: compressible, but full of literals. */
  MIXED {
    @Override
    byte at(int index, RandomGenerator random) {
      return (index & 64) == 0 ? (byte) random.nextInt() : 0;
    }
  },
  SMOOTH_DOUBLES {
    @Override
    byte at(int index, RandomGenerator random) {
      int cell = index / 8;
      long bits = Double.doubleToLongBits(Math.rint(1000 * Math.sin(cell * 1e-3)));
      return (byte) (bits >>> (8 * (index % 8)));
    }
  };

  abstract byte at(int index, RandomGenerator random);

  byte[] make(int length, RandomGenerator random) {
    byte[] block = new byte[length];
    for (int i = 0; i < length; i++) {
      block[i] = at(i, random);
    }
    return block;
  }

  static Samples any(RandomGenerator random) {
    return values()[random.nextInt(values().length)];
  }

  static void put(byte[] bytes, MemorySegment target, long offset) {
    MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, offset, bytes.length);
  }

  static byte[] get(MemorySegment source, long offset, int length) {
    return source.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
  }
}
