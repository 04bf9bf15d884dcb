// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.cairn.store.Store;
import org.cairn.testkit.random.Seeds;

/**
 * A small state that is a function of its number: a counter, doubles that change a little, bytes
 * with a block of zeros, text stored with a codec, and an array that grows. Whoever restores it can
 * tell from the counter what everything else has to be.
 */
final class SampleState {
  static final int BLOCK = 128;
  static final String FILE = Checkpointer.containerName(0);

  final double[] field = new double[40];
  final byte[] sparse = new byte[4 * BLOCK];
  final byte[] text = new byte[3 * BLOCK];
  int[] grown = new int[0];
  private LongCell number = new LongCell(new long[1]);

  static Options options() {
    return Options.defaults().blockSize(BLOCK).retain(3).threads(1);
  }

  /** A container that holds states 1 to {@code versions}, of which it retains at most three. */
  static void write(Store store, int versions) {
    try (Checkpointer cairn = Checkpointer.open(store, options())) {
      SampleState state = new SampleState();
      state.protect(cairn);
      for (int i = 1; i <= versions; i++) {
        state.become(i);
        cairn.checkpoint();
      }
    }
  }

  void protect(Checkpointer cairn) {
    number = cairn.protect("number", 0L);
    cairn.protect("field", field);
    cairn.protect("sparse", sparse);
    cairn.protect("text", text).codec(Codec.DEFLATE);
    cairn.protect("grown", int[].class, () -> grown, n -> grown = new int[Math.toIntExact(n)]);
  }

  long number() {
    return number.get();
  }

  /** Turns into the state of this number. */
  void become(long n) {
    number.set(n);
    Random random = Seeds.content(7);
    Arrays.setAll(field, i -> random.nextDouble());
    field[(int) (n * 13 % field.length)] = n;
    Arrays.fill(sparse, (byte) 0);
    // The block of zeros wanders.
    int zeroBlock = (int) (n % 4);
    for (int i = 0; i < sparse.length; i++) {
      sparse[i] = (byte) (i / BLOCK == zeroBlock ? 0 : i * 31 + 1);
    }
    Arrays.setAll(grown = new int[(int) (20 * n)], i -> (int) (i * n));
    byte[] words = ("It is state " + n + " and nothing else. ").repeat(20).getBytes();
    System.arraycopy(words, 0, text, 0, text.length);
  }

  /** The bytes of each dataset, as the container must have them. */
  static Map<String, Object> arrays(long n) {
    SampleState state = new SampleState();
    state.become(n);
    Map<String, Object> arrays = new LinkedHashMap<>();
    arrays.put("number", new long[] {n});
    arrays.put("field", state.field);
    arrays.put("sparse", state.sparse);
    arrays.put("text", state.text);
    arrays.put("grown", state.grown);
    return arrays;
  }

  /** Whether this is, in every byte, the state of its number. */
  boolean isWhole() {
    SampleState right = new SampleState();
    right.become(number());
    return Arrays.equals(field, right.field)
        && Arrays.equals(sparse, right.sparse)
        && Arrays.equals(text, right.text)
        && Arrays.equals(grown, right.grown);
  }

  /** Restores what a store holds, by way of a new {@link Checkpointer}. */
  RestartReport restore(Store store) {
    try (Checkpointer cairn = Checkpointer.open(store, options())) {
      protect(cairn);
      return cairn.restart();
    }
  }
}
