// SPDX-License-Identifier: Apache-2.0
package org.cairn.dataset;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.cairn.ElementType;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetSpec;

/** State that only a pair of functions of the program understands. */
public final class OpaqueBinding implements Binding {
  private final Supplier<byte[]> save;
  private final Consumer<byte[]> load;
  private byte[] filling = new byte[0];
  private long lastSize;

  /** State that the program turns into bytes, and back. */
  public OpaqueBinding(Supplier<byte[]> save, Consumer<byte[]> load) {
    this.save = save;
    this.load = load;
  }

  @Override
  public ElementType type() {
    return ElementType.OPAQUE;
  }

  @Override
  public MemorySegment view() {
    byte[] saved = save.get();
    lastSize = saved.length;
    return MemorySegment.ofArray(saved);
  }

  @Override
  public long byteSize() {
    return lastSize;
  }

  @Override
  public boolean resizable() {
    return true;
  }

  @Override
  public MemorySegment target(List<Long> shape) {
    filling = Supply.bytes(Math.toIntExact(DatasetSpec.elements(shape)));
    return MemorySegment.ofArray(filling);
  }

  @Override
  public void filled() {
    byte[] bytes = filling;
    lastSize = bytes.length;
    filling = new byte[0];
    load.accept(bytes);
  }
}
