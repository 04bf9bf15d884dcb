// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.cairn.record.Field;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What a pack says of a file.
 *
 * <pre>
 * File → Fields: 1 name, bytes    2 size:u64    3 mode:u32    4 seconds:u64 nanos:u32
 *                5 (stream:v length:v)*         6 format, UTF-8 (absent: unknown)
 * </pre>
 *
 * @param size how many bytes it has
 * @param mode the bits of its permissions
 * @param modified when it was last changed
 * @param tiles which streams its bytes are of, in the order of the file; 0 is a hole, and n the
 *     n-th stream
 * @param format what it was taken for; empty if nobody recognised it
 */
public record PackedFile(
    PackName name, long size, int mode, Instant modified, List<Tile> tiles, String format) {
  /** The tag under which it is told with the version. */
  static final int TAG = 16;

  static final int PERMISSIONS = 07777;

  private static final int NAME = 1;
  private static final int SIZE = 2;
  private static final int MODE = 3;
  private static final int MODIFIED = 4;
  private static final int TILES = 5;
  private static final int FORMAT = 6;

  /** Bytes of a file that are of one stream. */
  public record Tile(int stream, long length) {}

  /** Takes a copy. */
  public PackedFile {
    tiles = List.copyOf(tiles);
  }

  Field toField() {
    RecordWriter out = RecordWriter.onHeap();
    long field = out.beginField(NAME);
    out.putBytes(name.raw()).end(field);
    out.putLongField(SIZE, size).putIntField(MODE, mode);
    field = out.beginField(MODIFIED);
    out.putLong(modified.getEpochSecond()).putInt(modified.getNano()).end(field);
    field = out.beginField(TILES);
    tiles.forEach(tile -> out.putVarint(tile.stream).putVarint(tile.length));
    out.end(field);
    if (!format.isEmpty()) {
      field = out.beginField(FORMAT);
      out.putBytes(format.getBytes(UTF_8)).end(field);
    }
    return new Field(TAG, out.toArray());
  }

  /**
   * Reads what {@link #toField} made.
   *
   * @param origin where it comes from, for messages
   */
  static PackedFile read(Field field, String origin) throws IOException {
    RecordReader in = RecordReader.of(field.bytes(), origin);
    Fields fields = Fields.read(in);
    fields.requireKnown("a file", NAME, SIZE, MODE, MODIFIED, TILES, FORMAT);
    try {
      PackName name = PackName.of(fields.get(NAME, "name of a file").getRest());
      long size = fields.get(SIZE, "size of a file").getLongNumber("size");
      int mode = fields.get(MODE, "mode of a file").getInt() & PERMISSIONS;
      RecordReader time = fields.get(MODIFIED, "time of a file");
      Instant modified = Instant.ofEpochSecond(time.getLong(), time.getInt());
      List<Tile> tiles = readTiles(fields.get(TILES, "list of tiles"), size);
      String format =
          fields.find(FORMAT).isEmpty() ? "" : fields.get(FORMAT, "format").getRestAsText();
      return new PackedFile(name, size, mode, modified, tiles, format);
    } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
      throw in.corrupt("a file: " + e.getMessage());
    }
  }

  private static List<Tile> readTiles(RecordReader in, long size) throws IOException {
    List<Tile> tiles = new ArrayList<>();
    long left = size;
    while (in.remaining() > 0) {
      Tile tile = new Tile(in.getSmallVarint("number of a stream"), in.getVarint());
      if (tile.length < 1 || tile.length > left) {
        throw in.corrupt("tiles do not cover the %d bytes of the file".formatted(size));
      }
      left -= tile.length;
      tiles.add(tile);
    }
    if (left != 0) {
      throw in.corrupt("tiles leave %d of %d bytes of the file".formatted(left, size));
    }
    return tiles;
  }
}
