// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.cairn.ElementType;
import org.cairn.Part;
import org.cairn.mesh.live.Box;
import org.cairn.mesh.live.Boxes;

/**
 * What a version has of a field: which points, and how they lie in its dataset. The same on all
 * ranks, each of which has those of them that it owns.
 *
 * @param path of the field
 * @param type of its elements
 * @param at which points its values belong to
 * @param axes of its grid; a line is of one, whatever its grid has
 * @param whole all its points
 * @param isLine whether every rank has all of it
 * @param inPlace whether its memory is saved as it is, with points that nobody needs, rather than
 *     packed
 * @param points those that are saved
 */
record SavedField(
    String path,
    ElementType type,
    At at,
    int axes,
    Box whole,
    boolean isLine,
    boolean inPlace,
    Boxes points) {
  /** From this part of a field on it is saved as it lies. */
  private static final double NEARLY_WHOLE = .98;

  static SavedField of(Data field, Boxes points) {
    Domain domain = field.domain();
    boolean inPlace = domain.isLine() || points.points() >= NEARLY_WHOLE * domain.whole().points();
    return new SavedField(
        field.path(),
        field.type(),
        field.at(),
        domain.axes(),
        domain.whole(),
        domain.isLine(),
        inPlace,
        inPlace ? Boxes.of(domain.whole()) : points);
  }

  static SavedField packed(Data field, Boxes points) {
    Domain domain = field.domain();
    return new SavedField(
        field.path(),
        field.type(),
        field.at(),
        domain.axes(),
        domain.whole(),
        domain.isLine(),
        false,
        points);
  }

  /** Those of its points that are a rank's, box by box. */
  List<Box> owned(Box owned) {
    return isLine ? points.list() : points.intersect(owned).list();
  }

  /** How many elements of a rank's are in its dataset, if it is packed. */
  long packedElements(Box owned) {
    return owned(owned).stream().mapToLong(Box::points).sum();
  }

  // ---------------------------------------------------------------- parts

  /** Its memory as it lies, in which other ranks' points are ghosts that nobody needs. */
  Part partInPlace(Box owned, Box local) {
    long[] before = new long[axes];
    long[] after = new long[axes];
    for (int axis = 0; axis < axes; axis++) {
      int at = axes - 1 - axis; // slowest first
      before[at] = from(owned, axis) - from(local, axis);
      after[at] = to(local, axis) - to(owned, axis);
    }
    return part(owned).halo(before, after).stale();
  }

  /** The boxes of a rank, packed; one without points where it has none. */
  Part[] partsPacked(Box owned) {
    List<Part> parts = new ArrayList<>();
    for (Box box : owned(owned)) {
      parts.add(part(box));
    }
    if (parts.isEmpty()) {
      parts.add(Part.of(extents(whole), new long[axes], new long[axes]).holes(0));
    }
    return parts.toArray(Part[]::new);
  }

  private Part part(Box box) {
    long[] offset = new long[axes];
    for (int axis = 0; axis < axes; axis++) {
      offset[axes - 1 - axis] = from(box, axis) - from(whole, axis);
    }
    return Part.of(extents(whole), offset, extents(box)).holes(0);
  }

  private long[] extents(Box box) {
    long[] extents = new long[axes];
    for (int axis = 0; axis < axes; axis++) {
      extents[axes - 1 - axis] = to(box, axis) - from(box, axis);
    }
    return extents;
  }

  private static long from(Box box, int axis) {
    return axis == 0 ? box.i0() : axis == 1 ? box.j0() : box.l0();
  }

  private static long to(Box box, int axis) {
    return axis == 0 ? box.i1() : axis == 1 ? box.j1() : box.l1();
  }

  // ---------------------------------------------------------------- in a file

  void write(DataOutputStream out) throws IOException {
    out.writeUTF(path);
    out.writeUTF(type.name());
    out.writeUTF(at.name());
    out.writeInt(axes);
    write(out, whole);
    out.writeBoolean(isLine);
    out.writeBoolean(inPlace);
    out.writeInt(points.size());
    for (Box box : points.list()) {
      write(out, box);
    }
  }

  static SavedField read(DataInputStream in) throws IOException {
    String path = in.readUTF();
    ElementType type = ElementType.valueOf(in.readUTF());
    At at = At.valueOf(in.readUTF());
    int axes = in.readInt();
    Box whole = readBox(in);
    boolean isLine = in.readBoolean();
    boolean inPlace = in.readBoolean();
    int count = in.readInt();
    List<Box> boxes = new ArrayList<>();
    for (int n = 0; n < count; n++) {
      boxes.add(readBox(in));
    }
    return new SavedField(path, type, at, axes, whole, isLine, inPlace, Boxes.of(boxes));
  }

  private static void write(DataOutputStream out, Box box) throws IOException {
    for (int edge : new int[] {box.i0(), box.i1(), box.j0(), box.j1(), box.l0(), box.l1()}) {
      out.writeInt(edge);
    }
  }

  private static Box readBox(DataInputStream in) throws IOException {
    return new Box(
        in.readInt(), in.readInt(), in.readInt(), in.readInt(), in.readInt(), in.readInt());
  }
}
