// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.lang.foreign.MemorySegment;
import org.cairn.ElementType;
import org.cairn.mesh.live.Box;
import org.cairn.mesh.live.FieldShape;
import org.cairn.mesh.ranks.Halos;

/** Values at the points of a grid: what loops read and write, and what checkpoints save. */
public abstract sealed class Data permits Field, FloatField, IntField, LongField, Line {
  private final String name;
  private final Domain domain;
  private final At at;
  private final int index;
  private final ElementType type;
  private final MemorySegment memory;

  private final Said said = new Said();

  /** How many points of neighbours are as they have them. */
  private int freshDepth;

  Data(String name, Domain domain, At at, int index, ElementType type, MemorySegment memory) {
    this.name = name;
    this.domain = domain;
    this.at = at;
    this.index = index;
    this.type = type;
    this.memory = memory;
    this.freshDepth = domain.halo(); // all is zero everywhere
  }

  /** Its name, which no other field of the grid has. */
  public final String name() {
    return name;
  }

  /** What its elements are. */
  public final ElementType type() {
    return type;
  }

  /** Which points its values belong to. */
  public final At at() {
    return at;
  }

  /** What was said of it and others. */
  final Said said() {
    return said;
  }

  final Domain domain() {
    return domain;
  }

  /** Its number among all fields of the mesh. */
  final int index() {
    return index;
  }

  final MemorySegment memory() {
    return memory;
  }

  /**
   * Its values as they lie in memory, row by row, with those around this rank's own; to be read
   * only. Loops see to it that halos and what checkpoints save are right, and others cannot.
   */
  public final MemorySegment segment() {
    return memory.asReadOnly();
  }

  /** How files call it. */
  String path() {
    return domain.name() + "/" + name;
  }

  final FieldShape shape() {
    return new FieldShape(path(), domain.whole(), type.bytes());
  }

  final Halos.Memory halo() {
    return new Halos.Memory(memory, type.bytes());
  }

  final int freshDepth() {
    return freshDepth;
  }

  final void fresh(int depth) {
    freshDepth = depth;
  }

  /** Points of it that this rank has, and only it. */
  final Box owned() {
    return domain.owned();
  }

  @Override
  public final String toString() {
    return path();
  }
}
