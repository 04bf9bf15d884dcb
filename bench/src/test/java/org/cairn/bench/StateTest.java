// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.cairn.Checkpointer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateTest {
  private static final long BYTES = 8 << 20;

  @Test
  void changesAsManyBlocksAsItSays(@TempDir Path directory) {
    try (State state = State.offHeap(BYTES, 8);
        Checkpointer cairn = Checkpointer.open(directory)) {
      state.protect(cairn);
      cairn.checkpoint();
      for (boolean scattered : new boolean[] {false, true}) {
        for (double fraction : new double[] {1, 0.25, 0}) {
          long bytes = state.change(fraction, scattered, State.GRAIN);
          assertThat(bytes).isEqualTo((long) (fraction * BYTES));
          assertThat(cairn.checkpoint().stats().orElseThrow().dirtyBlocks())
              .isEqualTo(bytes / State.GRAIN);
        }
      }
    }
  }

  @Test
  void passesCoverHeapAndNativeMemoryAlike() throws IOException {
    try (State offHeap = State.offHeap(BYTES, 3);
        State heap = State.heap(BYTES, 3);
        Passes one = new Passes(offHeap, 2, State.GRAIN);
        Passes other = new Passes(heap, 1, State.GRAIN)) {
      assertThat(heap.bytes()).isEqualTo(offHeap.bytes());
      assertThat(one.fingerprint()).isEqualTo(other.fingerprint());
      heap.change(0.1, true, State.GRAIN);
      assertThat(one.fingerprint()).isNotEqualTo(other.fingerprint());
    }
  }

  @Test
  void aRawFileHoldsTheState(@TempDir Path directory) throws IOException {
    try (State state = State.heap(BYTES, 3);
        Passes passes = new Passes(state, 2, State.GRAIN);
        RawFile raw = new RawFile(directory.resolve("raw"), state, 2 * BYTES)) {
      raw.overwrite(BYTES / 2);
      assertThat(raw.extend(BYTES)).isPositive();
      raw.read(state.bytes(), passes.spare());
      long each = state.datasetBytes();
      for (int i = 0; i < state.datasets(); i++) {
        MemorySegment read = passes.spare().asSlice(i * each, each);
        assertThat(read.mismatch(state.segment(i))).isEqualTo(-1);
      }
    }
  }
}
