// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.frame.FrameOrder;
import org.cairn.frame.FrameOrder.Part;
import org.cairn.frame.TypedBytes;
import org.cairn.pack.PackSettings;
import org.cairn.pack.locate.FileSource;
import org.cairn.pack.locate.Locators;
import org.cairn.pack.locate.Tile;
import org.cairn.pack.locate.Tiling;

/** A set in memory, as ranks have it that save themselves: typed variables, and the rest. */
public final class LoadedSet implements AutoCloseable {
  private final String name;
  private final Arena arena = Arena.ofShared();
  private final List<List<TypedBytes>> members = new ArrayList<>();
  private final List<FrameOrder.Member> layout = new ArrayList<>();
  private long bytes;

  private LoadedSet(String name) {
    this.name = name;
  }

  /** Reads all files of a set. */
  public static LoadedSet of(CheckpointSet set) throws IOException {
    LoadedSet loaded = new LoadedSet(set.name());
    try {
      for (Path file : set.files()) {
        loaded.add(file, set.settings());
      }
      return loaded;
    } catch (IOException | RuntimeException | Error e) {
      loaded.close();
      throw e;
    }
  }

  private void add(Path path, PackSettings settings) throws IOException {
    try (FileSource file = FileSource.open(path)) {
      Locators.Located located = settings.locators().locate(file);
      Map<Object, List<Tile>> streams = new LinkedHashMap<>();
      for (Tile tile : Tiling.of(file, located.hints(), settings.rules())) {
        Object identity = tile.isRest() ? "rest" : List.of(tile.variable(), tile.isCoded());
        streams.computeIfAbsent(identity, _ -> new ArrayList<>()).add(tile);
      }
      List<TypedBytes> member = new ArrayList<>();
      for (List<Tile> tiles : streams.values()) {
        member.add(read(file, tiles, settings));
      }
      members.add(member);
      layout.add(
          new FrameOrder.Member(
              member.stream()
                  .map(
                      one ->
                          new FrameOrder.Variable(
                              one.key(), one.bytes().byteSize(), one.elements().width()))
                  .toList()));
      bytes += file.size();
    }
  }

  private TypedBytes read(FileSource file, List<Tile> tiles, PackSettings settings)
      throws IOException {
    MemorySegment all = arena.allocate(tiles.stream().mapToLong(Tile::length).sum(), Long.BYTES);
    long at = 0;
    for (Tile tile : tiles) {
      file.read(tile.offset(), all.asSlice(at, tile.length()));
      at += tile.length();
    }
    Tile first = tiles.getFirst();
    List<Long> shape = first.isRest() ? List.of() : first.box();
    return new TypedBytes(
        settings.names().classOf(first), first.elements(), shape, all, first.isCoded());
  }

  /** What it is called. */
  public String name() {
    return name;
  }

  /** How many bytes it has. */
  public long bytes() {
    return bytes;
  }

  /** How many ranks, or files. */
  public int size() {
    return members.size();
  }

  /** What each member has. */
  public List<List<TypedBytes>> members() {
    return members;
  }

  /** The parts of each frame. */
  public Iterator<List<Part>> frames(FrameOrder order, FrameOrder.Sizes sizes) {
    return order.frames(layout, sizes);
  }

  /** What a part is, where it lies. */
  public TypedBytes typed(Part part) {
    TypedBytes all = members.get(part.member()).get(part.variable());
    return new TypedBytes(
        all.key(),
        all.elements(),
        all.shape(),
        all.bytes().asSlice(part.from(), part.length()),
        all.coded());
  }

  @Override
  public void close() {
    arena.close();
  }
}
