// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.cairn.bench.aggregate.Simulation.Size;
import org.cairn.pack.PackSettings;
import org.cairn.pack.locate.ByteSource;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.Locator;
import org.cairn.pack.locate.Locators;
import org.cairn.pack.locate.PieceNames;

/**
 * Checkpoints of simulations, as files: the arrays of a rank one after the other. Who wrote them
 * knows where each array lies, and tells the packer as a {@link Locator}.
 */
public final class GeneratedSets implements Locator {
  /** Grids of one program are alike, whatever their numbers. */
  private static final PieceNames NAMES =
      PieceNames.USUAL.with(List.of(new PieceNames.Rule("\\bGrid\\d+", "Grid#")));

  private final Path folder;
  private final Map<String, List<Extent>> layouts = new ConcurrentHashMap<>();

  /** Sets whose files are in a folder. */
  public GeneratedSets(Path folder) {
    this.folder = folder;
  }

  /** The names of the simulations. */
  public static Collection<String> names() {
    return Simulation.all().keySet();
  }

  /**
   * Runs a simulation and saves its versions.
   *
   * @param bytes about so many does a rank save
   * @return a set for each version
   */
  public List<CheckpointSet> write(String name, int ranks, int bytes, int versions, long seed)
      throws IOException {
    Simulation simulation =
        Objects.requireNonNull(Simulation.all().get(name), name)
            .apply(new Size(ranks, bytes, seed));
    List<CheckpointSet> sets = new ArrayList<>();
    for (int version = 1; version <= versions; version++) {
      if (version > 1) {
        simulation.advance();
      }
      List<Path> files = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        files.add(
            write("%s-%d-%d-%d.chk".formatted(name, bytes, version, rank), simulation.state(rank)));
      }
      sets.add(new CheckpointSet(name, files, settings()));
    }
    return sets;
  }

  private PackSettings settings() {
    PackSettings usual = PackSettings.usual();
    return usual.with(NAMES).with(usual.rules(), Locators.installed().after(this));
  }

  private Path write(String name, List<StateArray> state) throws IOException {
    Path file = folder.resolve(name);
    List<Extent> layout = new ArrayList<>();
    long offset = 0;
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (StateArray array : state) {
        long length = array.bytes().remaining();
        layout.add(Extent.whole(array.variable(), offset, length));
        offset += length;
        while (array.bytes().hasRemaining()) {
          channel.write(array.bytes());
        }
      }
    }
    layouts.put(name, layout);
    return file;
  }

  @Override
  public String format() {
    return "simulation";
  }

  @Override
  public boolean recognises(ByteSource file) {
    return layouts.containsKey(file.name());
  }

  @Override
  public void locate(ByteSource file, Hints hints) {
    for (Extent extent : layouts.getOrDefault(file.name(), List.of())) {
      hints.step();
      hints.extent(extent);
    }
  }
}
