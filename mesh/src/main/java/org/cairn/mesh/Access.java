// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.Arrays;
import org.cairn.mesh.live.Mode;

/**
 * What a loop does with fields: said, not guessed. Checkpoints depend on it; a run with {@code
 * -Dcairn.mesh.check=true} finds what is not true.
 *
 * <pre>{@code
 * mesh.each("relax", grid.cells(), reads(u, STAR), writes(v), k -> …);
 * mesh.each("flux", range, reads(NODES_OF_CELL, xvel0, xvel1).and(reads(xarea), writes(flux)), k -> …);
 * }</pre>
 */
public final class Access {
  private static final Access NONE = new Access(new Item[0]);

  final Item[] items;

  /** One field of it. */
  record Item(Data field, Mode mode, Stencil stencil) {
    boolean isSame(Item other) {
      return field == other.field
          && mode == other.mode
          && (stencil == other.stencil || stencil.equals(other.stencil));
    }

    @Override
    public String toString() {
      return word(mode) + " " + field.name() + (stencil == Stencil.POINT ? "" : stencil);
    }
  }

  /** As a program says it. */
  static String word(Mode mode) {
    return switch (mode) {
      case READ -> "reads";
      case WRITE -> "writes";
      case UPDATE -> "updates";
      case WRITE_SOME -> "writesSome";
      case INCREMENT -> "increments";
    };
  }

  private Access(Item[] items) {
    this.items = items;
  }

  private static Access of(Mode mode, Stencil stencil, Data... fields) {
    return fields.length == 0 ? NONE : fields[0].said().find(mode, stencil, fields);
  }

  static Access made(Mode mode, Stencil stencil, Data... fields) {
    Item[] items = new Item[fields.length];
    for (int n = 0; n < items.length; n++) {
      items[n] = new Item(fields[n], mode, stencil);
    }
    return new Access(items);
  }

  /** Whether it is what a program says with these words. */
  boolean isMade(Mode mode, Stencil stencil, Data... fields) {
    if (items.length != fields.length || items[0].mode != mode || items[0].stencil != stencil) {
      return false;
    }
    for (int n = 0; n < fields.length; n++) {
      if (items[n].field != fields[n]) {
        return false;
      }
    }
    return true;
  }

  private Access and(Access more) {
    Item[] all = Arrays.copyOf(items, items.length + more.items.length);
    System.arraycopy(more.items, 0, all, items.length, more.items.length);
    return new Access(all);
  }

  /** Fields that are read at the own point. */
  public static Access reads(Data... fields) {
    return of(Mode.READ, Stencil.POINT, fields);
  }

  /** A field that is read at these points. */
  public static Access reads(Data field, Stencil stencil) {
    return of(Mode.READ, stencil, field);
  }

  /** Fields that are read at these points. */
  public static Access reads(Stencil stencil, Data... fields) {
    return of(Mode.READ, stencil, fields);
  }

  /** Fields of which every point of the range is written, whatever it was before: a promise. */
  public static Access writes(Data... fields) {
    return of(Mode.WRITE, Stencil.POINT, fields);
  }

  /** Fields whose own point is read and written. */
  public static Access updates(Data... fields) {
    return of(Mode.UPDATE, Stencil.POINT, fields);
  }

  /** Fields of which some points of the range are written, as the kernel decides. */
  public static Access writesSome(Data... fields) {
    return of(Mode.WRITE_SOME, Stencil.POINT, fields);
  }

  /** Fields whose own point gets something added. */
  public static Access increments(Data... fields) {
    return of(Mode.INCREMENT, Stencil.POINT, fields);
  }

  /** And this too. */
  public Access and(Access... more) {
    Access all = this;
    for (Access one : more) {
      all = all.and(one);
    }
    return all;
  }

  @Override
  public String toString() {
    return Arrays.toString(items);
  }
}
