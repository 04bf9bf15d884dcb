// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.ArrayList;
import java.util.List;
import org.cairn.codec.Codec;
import org.cairn.hash.HashAlgorithm;
import org.cairn.record.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * A dataset as a version has it: what it is and which slots hold its blocks.
 *
 * <pre>DatasetEntry → name:text type:u8 algorithm:u8 codec:u8 axes:u8 blockSize:u32 byteLength:u64
 *               runs:u32 extent:u64{axes} (first:u32 count:u32){runs}</pre>
 */
public final class DatasetEntry {
  private static final int MIN_BYTES = 24;

  private final DatasetSpec spec;
  private final SlotRuns slots;

  DatasetEntry(DatasetSpec spec, SlotRuns slots) {
    this.spec = spec;
    this.slots = slots;
  }

  /** What the dataset is. */
  public DatasetSpec spec() {
    return spec;
  }

  /** The name of the dataset. */
  public String name() {
    return spec.name();
  }

  SlotRuns slots() {
    return slots;
  }

  /** How many blocks it has. */
  public int blocks() {
    return slots.blocks();
  }

  /** The slot of a block. */
  public int slotOf(int block) {
    return slots.slotOf(block);
  }

  /** How many blocks, from the first on, have digests that can be compared with {@code other}. */
  int comparableWith(DatasetEntry other) {
    boolean alike =
        spec.blockSize() == other.spec.blockSize() && spec.algorithm() == other.spec.algorithm();
    return alike ? Math.min(blocks(), other.blocks()) : 0;
  }

  /** The length of a block; only the last one may be short. */
  public int blockLength(int block) {
    long start = (long) block * spec.blockSize();
    return (int) Math.min(spec.blockSize(), spec.byteLength() - start);
  }

  void write(RecordWriter out) {
    out.putText(spec.name());
    out.putByte(spec.type().id());
    out.putByte(spec.algorithm().id());
    out.putByte(spec.codec().id());
    out.putByte(spec.shape().size());
    out.putInt(spec.blockSize());
    out.putLong(spec.byteLength());
    out.putInt(slots.runs());
    spec.shape().forEach(out::putLong);
    for (int run = 0; run < slots.runs(); run++) {
      out.putInt(slots.first(run));
      out.putInt(slots.count(run));
    }
  }

  static DatasetEntry read(RecordReader in) throws CorruptContainerException {
    String name = in.getText();
    try {
      ElementType type = ElementType.of(in.getByte());
      HashAlgorithm algorithm = HashAlgorithm.of(in.getByte());
      Codec codec = Codec.of(in.getByte());
      int axes = in.getByte();
      int blockSize = in.getInt();
      long byteLength = in.getLong();
      int runs = in.getCount(8);
      List<Long> shape = readShape(in, axes);
      DatasetSpec spec =
          new DatasetSpec(name, type, shape, byteLength, blockSize, algorithm, codec);
      return new DatasetEntry(spec, readSlots(in, runs, spec));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw in.corrupt("dataset \"" + name + "\": " + e.getMessage());
    }
  }

  private static List<Long> readShape(RecordReader in, int axes) throws CorruptContainerException {
    List<Long> shape = new ArrayList<>(axes);
    for (int i = 0; i < axes; i++) {
      long extent = in.getLong();
      if (extent < 0) {
        throw in.corrupt("a negative extent");
      }
      shape.add(extent);
    }
    return shape;
  }

  private static SlotRuns readSlots(RecordReader in, int runs, DatasetSpec spec)
      throws CorruptContainerException {
    SlotRuns.Builder slots = new SlotRuns.Builder(runs);
    for (int i = 0; i < runs; i++) {
      int first = in.getInt();
      int count = in.getInt();
      if (first < 0 || count <= 0 || !slots.add(first, count)) {
        throw in.corrupt("impossible slots of dataset \"" + spec.name() + "\"");
      }
    }
    SlotRuns read = slots.build();
    if (read.blocks() != spec.blocks()) {
      throw in.corrupt(
          "dataset \"%s\" has %d blocks but %d slots"
              .formatted(spec.name(), spec.blocks(), read.blocks()));
    }
    return read;
  }

  static int minimumBytes() {
    return MIN_BYTES;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DatasetEntry that && spec.equals(that.spec) && slots.equals(that.slots);
  }

  @Override
  public int hashCode() {
    return 31 * spec.hashCode() + slots.hashCode();
  }

  @Override
  public String toString() {
    return spec + " in slots " + slots;
  }
}
