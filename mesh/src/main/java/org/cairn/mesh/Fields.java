// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.ArrayList;
import java.util.List;
import org.cairn.mesh.live.Boxes;
import org.cairn.mesh.live.FieldShape;
import org.cairn.mesh.live.Written;

/** All fields of a mesh by their numbers, and which of their points were ever written. */
final class Fields {
  private final List<Data> all = new ArrayList<>();
  private final List<FieldShape> shapes = new ArrayList<>();
  private Written written = new Written();

  int size() {
    return all.size();
  }

  void add(Data field) {
    all.add(field);
    shapes.add(field.shape());
  }

  Data get(int index) {
    return all.get(index);
  }

  /** Whether it is one of this mesh: those of others have numbers that mean something else. */
  boolean has(Data field) {
    return field.index() < all.size() && all.get(field.index()) == field;
  }

  List<Data> list() {
    return all;
  }

  List<FieldShape> shapes() {
    return shapes;
  }

  /** The points of each field that were written since the initial phase, or ever. */
  List<Boxes> written() {
    return written.ofFields(all.size());
  }

  /** A loop runs, or would if it were not replayed. */
  void count(KnownLoop loop) {
    if (loop.notedIn() != written) {
      written.note(loop.id(), loop.access());
      loop.notedIn(written);
    }
  }

  /** Points were restored that loops of another life have written. */
  void count(Data field, Boxes points) {
    written.add(field.index(), points);
  }

  /** The initial phase is over: what it wrote will be written by it again. */
  void forgetWritten() {
    written = new Written();
  }
}
