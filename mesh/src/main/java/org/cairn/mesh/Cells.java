// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.cairn.BooleanCell;
import org.cairn.DoubleCell;
import org.cairn.IntCell;
import org.cairn.LongCell;

/** Numbers that a program protects beside its fields, as {@link Mesh#here} saves and sets them. */
final class Cells {
  private final Map<String, Object> all = new LinkedHashMap<>();

  <T> T add(String name, T cell) {
    Names.require("number", name);
    if (all.putIfAbsent(name, cell) != null) {
      throw new IllegalArgumentException("a number \"%s\" is protected already".formatted(name));
    }
    return cell;
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  /** Writes their values as they are now. */
  void write(DataOutputStream out) throws IOException {
    out.writeInt(all.size());
    for (Map.Entry<String, Object> one : all.entrySet()) {
      out.writeUTF(one.getKey());
      switch (one.getValue()) {
        case LongCell cell -> write(out, 'J', cell.get());
        case IntCell cell -> write(out, 'I', cell.get());
        case DoubleCell cell -> write(out, 'D', Double.doubleToRawLongBits(cell.get()));
        case BooleanCell cell -> write(out, 'Z', cell.get() ? 1 : 0);
        default -> throw new IllegalStateException("no cell: " + one.getValue());
      }
    }
  }

  private static void write(DataOutputStream out, char kind, long bits) throws IOException {
    out.writeByte(kind);
    out.writeLong(bits);
  }

  /** A value that was saved. */
  record Saved(char kind, long bits) {}

  static Map<String, Saved> read(DataInputStream in) throws IOException {
    Map<String, Saved> saved = new LinkedHashMap<>();
    int count = in.readInt();
    for (int n = 0; n < count; n++) {
      String name = in.readUTF();
      saved.put(name, new Saved((char) in.readByte(), in.readLong()));
    }
    return saved;
  }

  /** Sets them to what was saved. */
  void set(Map<String, Saved> saved) {
    if (!saved.keySet().equals(all.keySet())) {
      throw new ProgramChangedException(
          "the program protects the numbers %s, and what was saved has %s; protect the same ones before here()"
              .formatted(all.keySet(), saved.keySet()));
    }
    saved.forEach(this::set);
  }

  private void set(String name, Saved value) {
    boolean fits =
        switch (all.get(name)) {
          case LongCell cell when value.kind == 'J' -> {
            cell.set(value.bits);
            yield true;
          }
          case IntCell cell when value.kind == 'I' -> {
            cell.set((int) value.bits);
            yield true;
          }
          case DoubleCell cell when value.kind == 'D' -> {
            cell.set(Double.longBitsToDouble(value.bits));
            yield true;
          }
          case BooleanCell cell when value.kind == 'Z' -> {
            cell.set(value.bits != 0);
            yield true;
          }
          case null, default -> false;
        };
    if (!fits) {
      throw new ProgramChangedException(
          "the number \"%s\" has another type than the one that was saved".formatted(name));
    }
  }
}
