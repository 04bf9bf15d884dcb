// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.netcdf;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes headers of netCDF-3 files as the format's description has them, and knows where data are
 * to be. It shares no code with what reads them.
 */
final class NetcdfWriter {
  static final int CHAR = 2;
  static final int SHORT = 3;
  static final int FLOAT = 5;
  static final int DOUBLE = 6;
  private static final int[] SIZES = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};

  private final int version;
  private final long records;
  private final List<Dimension> dimensions = new ArrayList<>();
  private final List<Var> variables = new ArrayList<>();
  private boolean attributes;

  private record Dimension(String name, long length) {}

  /** A variable; {@code begin} is set when the header is laid out. */
  static final class Var {
    final String name;
    final int type;
    final int[] axes;
    long begin;
    long bytes;
    boolean inRecords;

    private Var(String name, int type, int[] axes) {
      this.name = name;
      this.type = type;
      this.axes = axes;
    }
  }

  NetcdfWriter(int version, long records) {
    this.version = version;
    this.records = records;
  }

  /** Its number; a length of 0 is that of the records. */
  int dimension(String name, long length) {
    dimensions.add(new Dimension(name, length));
    return dimensions.size() - 1;
  }

  Var variable(String name, int type, int... axes) {
    Var variable = new Var(name, type, axes);
    variables.add(variable);
    return variable;
  }

  NetcdfWriter withAttributes() {
    attributes = true;
    return this;
  }

  private static long padded(long bytes) {
    return bytes % 4 == 0 ? bytes : bytes + 4 - bytes % 4;
  }

  /** The bytes of a whole record. */
  long recordBytes() {
    List<Var> inRecords = variables.stream().filter(variable -> variable.inRecords).toList();
    return inRecords.size() == 1
        ? inRecords.getFirst().bytes
        : inRecords.stream().mapToLong(variable -> padded(variable.bytes)).sum();
  }

  /** The header; variables know where they are then. */
  byte[] header() {
    layOut();
    long position = bytes().length;
    for (Var variable : variables) {
      if (!variable.inRecords) {
        variable.begin = position;
        position += padded(variable.bytes);
      }
    }
    for (Var variable : variables) {
      if (variable.inRecords) {
        variable.begin = position;
        position += padded(variable.bytes);
      }
    }
    return bytes();
  }

  private void layOut() {
    for (Var variable : variables) {
      variable.bytes = SIZES[variable.type];
      for (int axis : variable.axes) {
        if (dimensions.get(axis).length == 0) {
          variable.inRecords = true;
        } else {
          variable.bytes *= dimensions.get(axis).length;
        }
      }
    }
  }

  private byte[] bytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      write(new DataOutputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private void write(DataOutputStream out) throws IOException {
    out.writeBytes("CDF");
    out.writeByte(version);
    number(out, records);
    list(out, 10, dimensions.size());
    for (Dimension dimension : dimensions) {
      name(out, dimension.name);
      number(out, dimension.length);
    }
    attributes(out);
    list(out, 11, variables.size());
    for (Var variable : variables) {
      name(out, variable.name);
      number(out, variable.axes.length);
      for (int axis : variable.axes) {
        number(out, axis);
      }
      attributes(out);
      out.writeInt(variable.type);
      number(out, Math.min(padded(variable.bytes), version == 5 ? Long.MAX_VALUE : 0xFFFFFFFFL));
      if (version == 1) {
        out.writeInt((int) variable.begin);
      } else {
        out.writeLong(variable.begin);
      }
    }
  }

  private void list(DataOutputStream out, int tag, int count) throws IOException {
    out.writeInt(count == 0 ? 0 : tag);
    number(out, count);
  }

  private void attributes(DataOutputStream out) throws IOException {
    if (!attributes) {
      list(out, 12, 0);
      return;
    }
    list(out, 12, 2);
    name(out, "units");
    out.writeInt(CHAR);
    number(out, 5);
    out.write("m s-1\0\0\0".getBytes(StandardCharsets.US_ASCII));
    name(out, "range");
    out.writeInt(SHORT);
    number(out, 3);
    out.writeLong(0x0001_0002_0003_0000L);
  }

  private void name(DataOutputStream out, String name) throws IOException {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    number(out, bytes.length);
    out.write(bytes);
    out.write(new byte[(int) padded(bytes.length) - bytes.length]);
  }

  private void number(DataOutputStream out, long number) throws IOException {
    if (version == 5) {
      out.writeLong(number);
    } else {
      out.writeInt((int) number);
    }
  }
}
