// SPDX-License-Identifier: Apache-2.0
package org.cairn.dataset;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.cairn.ElementType;
import org.cairn.device.DeviceMemory;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetSpec;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a device. Checkpoints and most restarts go to the device themselves ({@link #device});
 * where elements are looked at one by one, because they are converted or come from many ranks, that
 * happens in a copy on the host.
 */
public final class DeviceBinding implements Binding {
  private final ElementType type;
  private final DeviceMemory memory;
  private @Nullable MemorySegment filling;

  /** Elements of a type on a device. */
  public DeviceBinding(ElementType type, DeviceMemory memory) {
    this.type = type;
    this.memory = memory;
  }

  @Override
  public ElementType type() {
    return type;
  }

  @Override
  public Optional<DeviceMemory> device() {
    return Optional.of(memory);
  }

  @Override
  public MemorySegment view() {
    memory.settle();
    MemorySegment copy = onHost();
    memory.device().copyOut(memory.pointer(), copy).await();
    return copy;
  }

  private MemorySegment onHost() {
    return Supply.autoArena().allocate(memory.bytes(), 64);
  }

  @Override
  public long byteSize() {
    return memory.bytes();
  }

  @Override
  public boolean resizable() {
    return false;
  }

  @Override
  public MemorySegment target(List<Long> shape) {
    MemoryBinding.checkSize(memory.bytes() / type.bytes(), DatasetSpec.elements(shape));
    MemorySegment copy = onHost();
    filling = copy;
    return copy;
  }

  @Override
  public void filled() {
    MemorySegment copy = filling;
    if (copy != null) {
      filling = null;
      memory.settle();
      memory.device().copyIn(copy, memory.pointer()).await();
    }
  }
}
