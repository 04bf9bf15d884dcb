// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.Codec;
import org.cairn.CorruptContainerException;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.Part;
import org.cairn.division.Division;
import org.cairn.hash.Hashers;
import org.cairn.record.Field;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * A dataset as a version has it: what it is and which slots hold its blocks.
 *
 * <pre>
 * DatasetEntry → length:u32 Fields
 *   1 name:UTF-8     2 Layout     3 extent:u64*     4 (firstSlot:u32 count:u32)*
 *   5 Division, absent of what is one rank's alone
 * Layout       → type:u8 algorithm:u8 codec:u8 0:u8 blockSize:u32 byteLength:u64
 * </pre>
 */
public final class DatasetEntry {
  /** No entry is shorter, its length included. */
  static final int MIN_BYTES = 4 + 4 * 6 + 16;

  private static final int NAME = 1;
  private static final int LAYOUT = 2;
  private static final int SHAPE = 3;
  private static final int SLOTS = 4;
  private static final int DIVISION = 5;

  private final DatasetSpec spec;
  private final SlotRuns slots;
  private final List<Field> unknown;

  /**
   * A dataset with fields of later releases.
   *
   * @param unknown kept as long as the dataset stays what it is
   */
  public DatasetEntry(DatasetSpec spec, SlotRuns slots, List<Field> unknown) {
    this.spec = spec;
    this.slots = slots;
    this.unknown = unknown;
  }

  /** What the dataset is. */
  public DatasetSpec spec() {
    return spec;
  }

  /** The name of the dataset. */
  public String name() {
    return spec.name();
  }

  /** Fields of later releases. */
  public List<Field> unknown() {
    return unknown;
  }

  /** The slots of its blocks. */
  public SlotRuns slots() {
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
    long start = out.begin();
    long field = out.beginField(NAME);
    out.putBytes(spec.name().getBytes(StandardCharsets.UTF_8));
    out.end(field);
    field = out.beginField(LAYOUT);
    out.putByte(spec.type().id()).putByte(spec.algorithm().id()).putByte(spec.codec().id());
    out.putByte(0).putInt(spec.blockSize()).putLong(spec.byteLength());
    out.end(field);
    field = out.beginField(SHAPE);
    spec.shape().forEach(out::putLong);
    out.end(field);
    field = out.beginField(SLOTS);
    for (int run = 0; run < slots.runs(); run++) {
      out.putInt(slots.first(run)).putInt(slots.count(run));
    }
    out.end(field);
    if (!spec.division().isAlone()) {
      field = out.beginField(DIVISION);
      spec.division().write(out);
      out.end(field);
    }
    out.putFields(unknown).end(start);
  }

  /** Takes an entry out of the record that holds its fields and nothing else. */
  static DatasetEntry read(RecordReader in) throws IOException {
    Fields fields = Fields.read(in);
    String name = fields.get(NAME, "name of a dataset").getRestAsText();
    try {
      List<Field> unknown = fields.unknown(NAME, LAYOUT, SHAPE, SLOTS, DIVISION);
      Division division = Division.alone();
      Optional<RecordReader> described = fields.find(DIVISION);
      if (described.isPresent()) {
        byte[] bytes = described.get().getRest();
        Optional<Division> read = Division.read(RecordReader.of(bytes, in.file()));
        division = read.orElse(Division.alone());
        if (division instanceof Division.Parts parts
            && !parts.parts().stream().allMatch(Part::isWithin)) {
          throw in.corrupt("dataset \"" + name + "\" has a part outside of its array");
        }
        // Of a kind that a later release added: kept as it is.
        unknown = read.isPresent() ? unknown : with(new Field(DIVISION, bytes), unknown);
      }
      DatasetSpec spec =
          readSpec(
              name,
              fields.get(LAYOUT, "layout of a dataset"),
              readShape(fields.get(SHAPE, "shape of a dataset")),
              division);
      SlotRuns slots = readSlots(fields.get(SLOTS, "slots of a dataset"), spec);
      return new DatasetEntry(spec, slots, unknown);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw in.corrupt("dataset \"" + name + "\": " + e.getMessage());
    }
  }

  private static List<Field> with(Field first, List<Field> others) {
    List<Field> all = new ArrayList<>(List.of(first));
    all.addAll(others);
    return List.copyOf(all);
  }

  private static DatasetSpec readSpec(
      String name, RecordReader layout, List<Long> shape, Division division)
      throws CorruptContainerException {
    ElementType type = ElementType.of(layout.getByte());
    HashAlgorithm algorithm = Hashers.algorithm(layout.getByte());
    Codec codec = Codec.of(layout.getByte());
    layout.getByte();
    int blockSize = layout.getInt();
    long byteLength = layout.getLong();
    layout.expectEnd();
    return new DatasetSpec(name, type, shape, byteLength, blockSize, algorithm, codec, division);
  }

  private static List<Long> readShape(RecordReader in) throws CorruptContainerException {
    List<Long> shape = new ArrayList<>();
    while (in.remaining() > 0) {
      if (shape.size() == VersionFormat.MAX_AXES) {
        throw in.corrupt("more than " + VersionFormat.MAX_AXES + " axes");
      }
      shape.add(in.getLongNumber("an extent of"));
    }
    return shape;
  }

  private static SlotRuns readSlots(RecordReader in, DatasetSpec spec)
      throws CorruptContainerException {
    SlotRuns.Builder slots = new SlotRuns.Builder(Math.toIntExact(in.remaining() / 8));
    while (in.remaining() > 0) {
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

  @Override
  public boolean equals(Object other) {
    return other instanceof DatasetEntry that
        && spec.equals(that.spec)
        && slots.equals(that.slots)
        && unknown.equals(that.unknown);
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
