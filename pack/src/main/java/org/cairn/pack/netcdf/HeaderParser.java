// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.netcdf;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.cairn.pack.locate.ByteSource;
import org.cairn.pack.locate.HeaderReader;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.MalformedException;
import org.cairn.pack.netcdf.Header.Entry;

/**
 * Reads the header of a netCDF-3 file.
 *
 * <pre>
 * Header     → "CDF" Version:1 Records:n Dimensions Attributes Variables
 * Dimensions → List(10, Name Length:n)          the one of length 0 counts records
 * Attributes → List(12, Name Type:4 Count:n Values)
 * Variables  → List(11, Name Axes:n Dimension:n{Axes} Attributes Type:4 Size:n Begin:o)
 * List(t, x) → 0:4 0:n | t:4 Count:n x{Count}
 * Name       → Length:n Bytes                   Bytes and Values end at a multiple of 4
 * </pre>
 *
 * <p>Numbers are big-endian and not negative; n has 8 bytes in version 5 and 4 in versions 1 and 2,
 * o has 4 bytes in version 1 and else 8. The size of a variable says nothing new, and is wrong
 * where it is too large for its field: it is passed over.
 */
final class HeaderParser {
  private static final int MAGIC_BYTES = 3;
  private static final int DIMENSIONS = 10;
  private static final int VARIABLES = 11;
  private static final int ATTRIBUTES = 12;

  /** The library's own limit is 256. */
  private static final int LONGEST_NAME = 1 << 10;

  /** Of all variables together: they are held in memory. */
  private static final int MOST_NAME_BYTES = 1 << 26;

  /** Dimensions and variables are held in memory, too. */
  private static final int MOST_ITEMS = 1 << 20;

  /** That of the library. */
  private static final int MOST_AXES = 1024;

  private final HeaderReader in;
  private final Hints hints;
  private final List<Long> dimensions = new ArrayList<>();
  private final List<Entry> entries = new ArrayList<>();
  private int version;
  private long records;
  private long nameBytes;

  /** Something that a list has many of. */
  private interface Item {
    void read() throws IOException, MalformedException;
  }

  private HeaderParser(ByteSource file, Hints hints) {
    this.in = new HeaderReader(file, MAGIC_BYTES, ByteOrder.BIG_ENDIAN);
    this.hints = hints;
  }

  /** Reads as far as it makes sense, with a note where that ends. */
  static Header read(ByteSource file, Hints hints) throws IOException {
    HeaderParser parser = new HeaderParser(file, hints);
    boolean complete = false;
    try {
      parser.readHeader();
      complete = true;
    } catch (MalformedException e) {
      e.noteIn(hints);
    }
    return new Header(parser.records, parser.entries, complete);
  }

  private void readHeader() throws IOException, MalformedException {
    version = in.readByte();
    records = readRecords();
    readList(DIMENSIONS, this::readDimension);
    readAttributes();
    readList(VARIABLES, this::readVariable);
  }

  private boolean isWide() {
    return version == 5;
  }

  private long readRecords() throws IOException, MalformedException {
    long number = isWide() ? in.readLong() : in.readInt();
    if (number == Header.STREAMING) {
      return number;
    }
    return isWide() ? checked(number) : Integer.toUnsignedLong((int) number);
  }

  private long readNumber() throws IOException, MalformedException {
    return isWide() ? checked(in.readLong()) : Integer.toUnsignedLong(in.readInt());
  }

  private long readOffset() throws IOException, MalformedException {
    return version == 1 ? Integer.toUnsignedLong(in.readInt()) : checked(in.readLong());
  }

  private long checked(long number) throws MalformedException {
    if (number < 0) {
      throw new MalformedException(in.position() - 8, "a number beyond 63 bits");
    }
    return number;
  }

  private void readList(int tag, Item item) throws IOException, MalformedException {
    long place = in.position();
    int found = in.readInt();
    long count = readNumber();
    if (found != tag && (found != 0 || count != 0)) {
      throw new MalformedException(
          place, "expected a list of kind %d, found kind %d".formatted(tag, found));
    }
    if (count > MOST_ITEMS) {
      throw new MalformedException(place, "a list of %d items".formatted(count));
    }
    for (long i = 0; i < count; i++) {
      hints.step();
      item.read();
    }
  }

  private void readDimension() throws IOException, MalformedException {
    skipName();
    dimensions.add(readNumber());
  }

  private void readAttributes() throws IOException, MalformedException {
    readList(ATTRIBUTES, this::skipAttribute);
  }

  private void skipAttribute() throws IOException, MalformedException {
    skipName();
    long place = in.position();
    int number = in.readInt();
    NetcdfType type =
        NetcdfType.of(number).orElseThrow(() -> new MalformedException(place, unknown(number)));
    long count = readNumber();
    if (count > in.remaining() / type.width()) {
      throw new MalformedException(place, "an attribute of %d values".formatted(count));
    }
    in.skip(padded(count * type.width()));
  }

  private void readVariable() throws IOException, MalformedException {
    long place = in.position();
    String name = readName();
    List<Long> axes = readAxes();
    readAttributes();
    int type = in.readInt();
    readNumber(); // its size
    entries.add(new Entry("/" + name, axes, type, readOffset(), place));
  }

  private List<Long> readAxes() throws IOException, MalformedException {
    long count = readNumber();
    if (count > MOST_AXES) {
      throw new MalformedException(in.position(), "a variable of %d axes".formatted(count));
    }
    List<Long> axes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      hints.step();
      axes.add(readAxis());
    }
    return axes;
  }

  private long readAxis() throws IOException, MalformedException {
    long place = in.position();
    long dimension = readNumber();
    if (dimension >= dimensions.size()) {
      throw new MalformedException(
          place, "dimension %d of %d".formatted(dimension, dimensions.size()));
    }
    return dimensions.get((int) dimension);
  }

  private String readName() throws IOException, MalformedException {
    long place = in.position();
    long length = readNumber();
    nameBytes += length;
    if (length > LONGEST_NAME || nameBytes > MOST_NAME_BYTES) {
      throw new MalformedException(place, "a name of %d bytes".formatted(length));
    }
    String name = new String(in.readBytes((int) length), StandardCharsets.UTF_8);
    in.skip(padded(length) - length);
    return name;
  }

  private void skipName() throws IOException, MalformedException {
    long length = readNumber();
    in.skip(length);
    in.skip(padded(length) - length);
  }

  /** Of less than the length of a file: there is no overflow. */
  static long padded(long length) {
    return (length + 3) & -4;
  }

  static String unknown(int type) {
    return "there is no type " + type;
  }
}
