// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkspaceTest {
  private static final long SMALL = 64 << 10;

  @Test
  void littleIsOnTheHeapAndMuchIsGivenBack() {
    MemorySegment little;
    MemorySegment much;
    try (Workspace space = new Workspace()) {
      little = space.allocate(SMALL);
      much = space.allocate(SMALL + 1, 4096);
      assertThat(little.isNative()).isFalse();
      assertThat(much.isNative()).isTrue();
      assertThat(much.address() % 4096).isZero();
    }
    assertThat(little.scope().isAlive()).isTrue();
    assertThat(much.scope().isAlive()).isFalse();
  }

  @Test
  void memoryGrowsSeldom() {
    List<Long> sizes = new ArrayList<>();
    try (Workspace space = new Workspace()) {
      MemorySegment memory = MemorySegment.NULL;
      for (int bytes = 0; bytes <= 1 << 20; bytes += 1000) {
        MemorySegment before = memory;
        memory = space.atLeast(memory, bytes);
        assertThat(memory.byteSize()).isGreaterThanOrEqualTo(bytes);
        if (memory.byteSize() != before.byteSize()) {
          sizes.add(memory.byteSize());
        }
      }
      assertThat(space.atLeast(memory, 1)).isSameAs(memory);
    }
    assertThat(sizes).isSorted().hasSizeLessThanOrEqualTo(21);
    assertThat(sizes.stream().mapToLong(size -> size).sum()).isLessThan(2 << 20);
  }

  @Test
  void whatWasNeverTakenNeedNotBeGivenBack() {
    List<Supply.Kind> asked = new ArrayList<>();
    Supply.controlledBy((kind, amount) -> asked.add(kind));
    try {
      new Workspace().close();
      Workspace space = new Workspace();
      space.allocate(1);
      space.close();
      space.close();
    } finally {
      Supply.uncontrolled();
    }
    assertThat(asked).containsExactly(Supply.Kind.ARRAY);
  }
}
