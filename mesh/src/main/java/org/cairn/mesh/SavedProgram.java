// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * What a version says of the program that took it, and of the place where it did.
 *
 * <p>Format: {@code docs/format/mesh.md}.
 *
 * @param ranks how many there were
 * @param calls of loops before the place
 * @param digest of all of them
 * @param readyAt how many calls the initial phase had; −1 if it was not ended
 * @param isHere whether the place is a call of {@link Mesh#here}
 * @param calledHere calls before the first {@link Mesh#here}
 * @param recordedHere what was recorded by each rank for itself, by where in the program
 * @param grids name, axes, cells and halo
 * @param fields all fields, in words
 * @param saved what is saved of fields
 * @param loops all loops met, in words
 * @param loop the loop that the place is before; −1 if none
 * @param before the loop before it
 * @param cells numbers beside the fields
 * @param report what is saved and why, in words
 * @param moment how far the program said it was
 * @param pace how long a replay takes
 * @param bodies of each loop, what its kernel does, in a number; none of older programs
 */
record SavedProgram(
    int ranks,
    long calls,
    long digest,
    long readyAt,
    boolean isHere,
    long calledHere,
    List<String> recordedHere,
    List<SavedGrid> grids,
    List<String> fields,
    List<SavedField> saved,
    List<String> loops,
    int loop,
    int before,
    Map<String, Cells.Saved> cells,
    String report,
    Moment moment,
    ReplayTime.Pace pace,
    List<Long> bodies) {
  private static final int FORMAT = 1;

  /**
   * A grid.
   *
   * @param origin where node 0 is along each of three axes
   * @param spacing how wide cells are along each
   */
  @SuppressWarnings("ArrayRecordComponent") // nobody changes or compares them
  record SavedGrid(
      String name, int axes, int[] cells, int halo, double[] origin, double[] spacing) {
    boolean isSame(SavedGrid other) {
      return axes == other.axes && halo == other.halo && Arrays.equals(cells, other.cells);
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      for (int axis = 0; axis < axes; axis++) {
        text.append(axis == 0 ? "" : "x").append(cells[axis]);
      }
      return text + " with a halo of " + halo;
    }
  }

  byte[] toBytes(Cells live) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(FORMAT);
      out.writeInt(ranks);
      out.writeLong(calls);
      out.writeLong(digest);
      out.writeLong(readyAt);
      out.writeBoolean(isHere);
      out.writeLong(calledHere);
      write(out, recordedHere);
      out.writeInt(grids.size());
      for (SavedGrid grid : grids) {
        out.writeUTF(grid.name);
        out.writeInt(grid.axes);
        for (int cells : grid.cells) {
          out.writeInt(cells);
        }
        out.writeInt(grid.halo);
        for (int axis = 0; axis < 3; axis++) {
          out.writeDouble(grid.origin[axis]);
          out.writeDouble(grid.spacing[axis]);
        }
      }
      write(out, fields);
      out.writeInt(saved.size());
      for (SavedField field : saved) {
        field.write(out);
      }
      write(out, loops);
      out.writeInt(loop);
      out.writeInt(before);
      live.write(out);
      write(out, report.lines().toList());
      out.writeBoolean(moment.isKnown());
      out.writeLong(moment.step());
      out.writeDouble(moment.time());
      out.writeLong(pace.initialNanos());
      out.writeDouble(pace.nanosPerCall());
      out.writeBoolean(pace.isMeasured());
      out.writeInt(bodies.size());
      for (long body : bodies) {
        out.writeLong(body);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, List<String> words) throws IOException {
    out.writeInt(words.size());
    for (String word : words) {
      out.writeUTF(word);
    }
  }

  static SavedProgram of(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int format = in.readInt();
      if (format != FORMAT) {
        throw new IllegalStateException(
            "the mesh was saved in format %d, and this version of Cairn reads %d; use the one that saved it"
                .formatted(format, FORMAT));
      }
      return new SavedProgram(
          in.readInt(),
          in.readLong(),
          in.readLong(),
          in.readLong(),
          in.readBoolean(),
          in.readLong(),
          words(in),
          grids(in),
          words(in),
          saved(in),
          words(in),
          in.readInt(),
          in.readInt(),
          Cells.read(in),
          String.join("\n", words(in)),
          new Moment(in.readBoolean(), in.readLong(), in.readDouble()),
          new ReplayTime.Pace(in.readLong(), in.readDouble(), in.readBoolean()),
          bodies(in));
    } catch (IOException e) {
      throw new UncheckedIOException("what was saved of the mesh cannot be read", e);
    }
  }

  private static List<String> words(DataInputStream in) throws IOException {
    int count = in.readInt();
    List<String> words = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      words.add(in.readUTF());
    }
    return words;
  }

  /** The first programs of this format end before it. */
  private static List<Long> bodies(DataInputStream in) throws IOException {
    int count = in.available() == 0 ? 0 : in.readInt();
    List<Long> bodies = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      bodies.add(in.readLong());
    }
    return bodies;
  }

  private static List<SavedGrid> grids(DataInputStream in) throws IOException {
    int count = in.readInt();
    List<SavedGrid> grids = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      String name = in.readUTF();
      int axes = in.readInt();
      int[] cells = {in.readInt(), in.readInt(), in.readInt()};
      int halo = in.readInt();
      double[] origin = new double[3];
      double[] spacing = new double[3];
      for (int axis = 0; axis < 3; axis++) {
        origin[axis] = in.readDouble();
        spacing[axis] = in.readDouble();
      }
      grids.add(new SavedGrid(name, axes, cells, halo, origin, spacing));
    }
    return grids;
  }

  static List<SavedField> saved(DataInputStream in) throws IOException {
    int count = in.readInt();
    List<SavedField> saved = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      saved.add(SavedField.read(in));
    }
    return saved;
  }
}
