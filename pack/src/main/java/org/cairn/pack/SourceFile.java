// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.cairn.pack.locate.FileSource;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.Holes;
import org.cairn.pack.locate.Locators;
import org.cairn.pack.locate.NumpyType;
import org.cairn.pack.locate.PieceNames;
import org.cairn.pack.locate.Tile;
import org.cairn.pack.locate.Tiling;
import org.cairn.transform.Elements;

/** A file while it is packed: its streams, each of one variable or of the rest. */
final class SourceFile {
  /** What the stream of bytes is called of which nothing is known. */
  static final String REST = "(rest)";

  private static final int LONGEST_NAME = 1 << 12;

  private final Path path;
  private final PackName name;
  private final FileStamp stamp;
  private final OpenFiles open;
  private final List<Stream> streams = new ArrayList<>();
  private final List<PackedFile.Tile> tiles = new ArrayList<>();
  private final List<Hints.Note> notes;
  private final String format;

  private SourceFile(
      Path path,
      PackName name,
      FileStamp stamp,
      FileSource source,
      OpenFiles open,
      PackSettings settings)
      throws IOException {
    this.path = path;
    this.name = name;
    this.stamp = stamp;
    this.open = open;
    Locators.Located located = settings.locators().locate(source);
    List<Tile> found = Tiling.of(source, located.hints(), settings.rules());
    List<Holes.Hole> holes = Holes.ofSystem().of(path, source.size());
    new Cutting(settings.names()).cut(Tiling.around(found, holes));
    this.notes = located.hints().notes();
    this.format = located.format().orElse("");
  }

  /**
   * Looks into a file.
   *
   * @param open those that are read from
   * @throws IOException if it cannot be read, or is no file
   */
  static SourceFile of(Path path, PackName name, OpenFiles open, PackSettings settings)
      throws IOException {
    if (!Files.exists(path)) {
      throw new NoSuchFileException(path.toString());
    }
    if (!Files.isRegularFile(path)) {
      throw new IOException(path + " is no regular file: with -r, folders are packed");
    }
    FileStamp stamp = FileStamp.of(path);
    try (FileSource source = FileSource.open(path)) {
      if (source.size() != stamp.size()) {
        throw new ChangedFileException(path);
      }
      if (!source.isAll()) {
        throw stamp.isStill(FileStamp.of(path)) ? tooLong(path) : new ChangedFileException(path);
      }
      return new SourceFile(path, name, stamp, source, open, settings);
    } catch (EOFException e) {
      throw stamp.isStill(FileStamp.of(path)) ? e : new ChangedFileException(path);
    }
  }

  private static IOException tooLong(Path path) {
    return new FileSystemException(
        path.toString(),
        null,
        "there are more bytes in it than its size says, as in files that a kernel makes up: copy it, and pack the copy");
  }

  /** Makes streams of tiles. */
  private final class Cutting {
    private final PieceNames names;
    private final Map<Object, Integer> known = new HashMap<>();

    /** How often a name was wanted. */
    private final Map<String, Integer> taken = new HashMap<>();

    private long end;

    Cutting(PieceNames names) {
      this.names = names;
    }

    void cut(List<Tile> all) {
      for (Tile tile : all) {
        hole(tile.offset());
        int stream = known.computeIfAbsent(identity(tile), _ -> begin(tile));
        streams.get(stream).places().add(tile.offset(), tile.length());
        add(stream + 1, tile.length());
        end = tile.end();
      }
      hole(stamp.size());
    }

    private void hole(long until) {
      if (end < until) {
        add(0, until - end);
        end = until;
      }
    }

    private void add(int stream, long length) {
      PackedFile.Tile last = tiles.isEmpty() ? null : tiles.getLast();
      if (last != null && last.stream() == stream) {
        tiles.set(tiles.size() - 1, new PackedFile.Tile(stream, last.length() + length));
      } else {
        tiles.add(new PackedFile.Tile(stream, length));
      }
    }

    /** Coded chunks of a variable are unlike those that are not. */
    private Object identity(Tile tile) {
      return tile.variable().isPresent() ? List.of(tile.variable().get(), tile.isCoded()) : REST;
    }

    private int begin(Tile tile) {
      boolean rest = tile.isRest();
      String wanted = tile.variable().map(variable -> variable.name()).orElse(REST);
      Elements elements = rest || tile.isCoded() ? Elements.BYTES : tile.elements();
      streams.add(
          new Stream(
              unique(wanted),
              names.classOf(tile),
              elements,
              tile.isTyped()
                  ? tile.variable().orElseThrow().type()
                  : NumpyType.bytes(elements.width()),
              rest ? List.of() : tile.box(),
              tile.variable().map(variable -> variable.shape()).orElse(List.of()),
              tile.isCoded(),
              new Places()));
      return streams.size() - 1;
    }

    /** Formats have names of any length, twice, and of what is no text. */
    private String unique(String wanted) {
      byte[] text = wanted.getBytes(UTF_8);
      String base = new String(text, 0, Math.min(text.length, LONGEST_NAME), UTF_8);
      String name = base;
      int number = taken.merge(base, 1, Integer::sum);
      while (number > 1) {
        name = base + "#" + number;
        number = taken.putIfAbsent(name, 1) == null ? 1 : taken.merge(base, 1, Integer::sum);
      }
      return name;
    }
  }

  List<Stream> streams() {
    return streams;
  }

  List<Hints.Note> notes() {
    return notes;
  }

  PackName name() {
    return name;
  }

  FileStamp stamp() {
    return stamp;
  }

  String format() {
    return format;
  }

  PackedFile toPacked() {
    return new PackedFile(name, stamp.size(), stamp.mode(), stamp.modified(), tiles, format);
  }

  /**
   * Reads a range of a stream.
   *
   * @param target as many bytes
   */
  void read(int stream, long from, MemorySegment target) throws IOException {
    open.use(
        path,
        channel -> {
          long[] done = new long[1];
          streams
              .get(stream)
              .places()
              .forEach(
                  from,
                  from + target.byteSize(),
                  (offset, length) -> {
                    read(channel, offset, target.asSlice(done[0], length).asByteBuffer());
                    done[0] += length;
                  });
        });
  }

  private void read(FileChannel channel, long offset, ByteBuffer target) throws IOException {
    while (target.hasRemaining()) {
      long position = offset + target.position();
      if (read(channel, target, position) < 0) {
        throw new ChangedFileException(path); // it is shorter now
      }
    }
  }

  private int read(FileChannel channel, ByteBuffer target, long position) throws IOException {
    try {
      return channel.read(target, position);
    } catch (IOException e) {
      throw FileSource.unreadable(path, position, e);
    }
  }

  /**
   * Looks whether the file is still what it was when it was opened.
   *
   * @throws ChangedFileException if it is not
   */
  void requireUnchanged() throws IOException {
    if (!stamp.isStill(FileStamp.of(path))) {
      throw new ChangedFileException(path);
    }
  }
}
