// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.cairn.Compression;
import org.cairn.frame.Chooser;
import org.cairn.frame.DecodingLine;
import org.cairn.frame.EncodingLine;
import org.cairn.frame.FrameInfo;
import org.cairn.frame.FrameOrder;
import org.cairn.frame.FrameOrder.Part;
import org.cairn.frame.FramePlan;
import org.cairn.frame.Piece;
import org.cairn.frame.TypedBytes;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.transform.Transform;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints and restarts of a set through a store, in one of the configurations of the paper's
 * Table 5. Choices and the bandwidth that was measured are remembered from one to the next, as in a
 * program that goes on. For one thread.
 */
public final class StoreRun implements AutoCloseable {
  private static final int AGNOSTIC_LEVEL = 3;

  private final LoadedSet set;
  private final Configuration configuration;
  private final int threads;
  private final @Nullable Chooser chooser;
  private final FrameOrder.Sizes sizes;
  private final List<Frame> frames = new ArrayList<>();

  /** How ranks save themselves. */
  @SuppressWarnings("ImmutableEnumChecker") // a compression has a copy of its list
  public enum Configuration {
    /** A file for each rank, as it is. */
    NOC_NOAGG("NoC + NoAgg", Compression.none(), false, false),
    /** A file for each rank, zstd −3. */
    C_NOAGG("C + NoAgg", null, false, false),
    /** One file, as it is. */
    NOC_AGG("NoC + Agg", Compression.none(), true, false),
    /** One file, rank after rank, zstd −3. */
    AGNOSTIC_AGG("Agnostic + Agg", null, true, false),
    /** One file, class after class, the lowest level. */
    AWARE_FAST("Aware + Agg, fast", Compression.fast(), true, true),
    /** One file, class after class, level 6. */
    AWARE_SMALL("Aware + Agg, small", Compression.small(), true, true),
    /** One file, class after class, what takes the least time. */
    AWARE_AUTO("Aware + Agg, auto", Compression.auto(), true, true);

    private final String label;
    private final @Nullable Compression compression;
    private final boolean aggregates;
    private final boolean aware;

    Configuration(
        String label, @Nullable Compression compression, boolean aggregates, boolean aware) {
      this.label = label;
      this.compression = compression;
      this.aggregates = aggregates;
      this.aware = aware;
    }

    /** As the paper writes it. */
    public String label() {
      return label;
    }
  }

  /**
   * Seconds of a checkpoint, as the thread sees them that leads it.
   *
   * @param fetch to bring data of ranks together
   * @param choose to choose transforms and levels
   * @param encode that it waited for frames to be encoded, while nothing was stored
   * @param store to store
   */
  public record Checkpoint(
      double fetch, double choose, double encode, double store, double all, long stored) {}

  /**
   * Seconds of a restart.
   *
   * @param read to read
   * @param decode that it waited for frames to be decoded and given to ranks
   */
  public record Restart(double read, double decode, double all) {}

  private record Frame(String file, long offset, FrameInfo info, List<Part> parts) {}

  /** A program that saves itself in this configuration. */
  public StoreRun(LoadedSet set, Configuration configuration, int threads) {
    this.set = set;
    this.configuration = configuration;
    this.threads = threads;
    this.chooser =
        configuration.compression == null ? null : new Chooser(configuration.compression);
    this.sizes =
        new FrameOrder.Sizes(
            configuration.aggregates ? set.size() : 1,
            FrameOrder.Sizes.FRAME,
            FrameOrder.Sizes.FRAME);
  }

  /** How it saves itself. */
  public Configuration configuration() {
    return configuration;
  }

  /** What takes time in a thread. */
  private static final class Watch {
    private long last = System.nanoTime();
    private final long start = last;

    double lap() {
      long now = System.nanoTime();
      double seconds = (now - last) * 1e-9;
      last = now;
      return seconds;
    }

    double all() {
      return (System.nanoTime() - start) * 1e-9;
    }
  }

  /** One checkpoint on its way. */
  private final class Writing implements AutoCloseable {
    private final Store store;
    private final Watch watch = new Watch();
    private @Nullable StoreFile file;
    private long position;
    private long stored;
    private double fetching;
    private double choosing;
    private double encoding;
    private double storing;

    Writing(Store store) {
      this.store = store;
    }

    void take(int group, List<Part> parts, FrameInfo info, MemorySegment bytes) throws IOException {
      encoding += watch.lap();
      String name = "group" + group;
      StoreFile current = file;
      if (current == null || !current.name().equals(name)) {
        close();
        current = store.open(name, Store.Access.CREATE);
        file = current;
        position = 0;
      }
      current.write(position, bytes);
      frames.add(new Frame(name, position, info, parts));
      position += bytes.byteSize();
      stored += bytes.byteSize();
      storing += watch.lap();
    }

    @Override
    public void close() throws IOException {
      if (file != null) {
        file.close();
      }
    }
  }

  /** Saves all ranks. */
  public Checkpoint checkpoint(Store store) throws IOException {
    frames.clear();
    Iterator<List<Part>> order =
        set.frames(configuration.aware ? FrameOrder.AWARE : FrameOrder.AGNOSTIC, sizes);
    if (chooser != null) {
      chooser.beginSet();
    }
    try (Writing writing = new Writing(store);
        EncodingLine line = new EncodingLine(threads, EncodingLine.BUDGET, sizes.frame())) {
      while (order.hasNext()) {
        List<Part> parts = order.next();
        MemorySegment memory = line.memory();
        writing.encoding += writing.watch.lap();
        List<TypedBytes> pieces = fetch(parts, memory);
        writing.fetching += writing.watch.lap();
        encode(line, parts, pieces, writing);
      }
      line.finish();
      writing.encoding += writing.watch.lap();
      Checkpoint done =
          new Checkpoint(
              writing.fetching,
              writing.choosing,
              writing.encoding,
              writing.storing,
              writing.watch.all(),
              writing.stored);
      if (chooser != null) {
        chooser.store(done.stored / Math.max(1e-9, done.store), threads);
      }
      return done;
    }
  }

  private void encode(EncodingLine line, List<Part> parts, List<TypedBytes> pieces, Writing writing)
      throws IOException {
    int group = parts.getFirst().member() / sizes.group();
    if (chooser == null) {
      List<Piece> plain =
          pieces.stream().map(piece -> new Piece(piece.bytes(), Transform.NONE)).toList();
      line.encode(plain, AGNOSTIC_LEVEL, (info, bytes) -> writing.take(group, parts, info, bytes));
    } else {
      FramePlan plan = chooser.plan(pieces);
      writing.choosing += writing.watch.lap();
      line.encode(
          plan.pieces(),
          plan.level(),
          (info, bytes) -> {
            writing.take(group, parts, info, bytes);
            chooser.stored(plan, info);
          });
    }
  }

  private List<TypedBytes> fetch(List<Part> parts, MemorySegment memory) {
    List<TypedBytes> pieces = new ArrayList<>(parts.size());
    long at = 0;
    for (Part part : parts) {
      TypedBytes own = set.typed(part);
      MemorySegment here = memory.asSlice(at, part.length());
      here.copyFrom(own.bytes());
      pieces.add(new TypedBytes(own.key(), own.elements(), own.shape(), here, own.coded()));
      at += part.length();
    }
    return pieces;
  }

  /**
   * Brings back what the last checkpoint saved.
   *
   * @param check whether to compare it with what the ranks have, which takes time
   */
  public Restart restart(Store store, boolean check) throws IOException {
    Watch watch = new Watch();
    double reading = 0;
    double decoding = 0;
    try (Arena arena = Arena.ofShared();
        DecodingLine line = new DecodingLine(threads, EncodingLine.BUDGET, sizes.frame())) {
      MemorySegment ranks = arena.allocate(set.bytes(), Long.BYTES);
      watch.lap();
      long at = 0;
      for (Frame frame : frames) {
        MemorySegment memory = line.memory(frame.info);
        decoding += watch.lap();
        try (StoreFile file = store.open(frame.file, Store.Access.READ)) {
          file.read(frame.offset, memory);
        }
        reading += watch.lap();
        MemorySegment own = ranks.asSlice(at, frame.info.plainLength());
        at += frame.info.plainLength();
        line.decode(
            frame.info, frame.file, frame.offset, decoder -> decoder.read(0, own), () -> {});
      }
      line.finish();
      decoding += watch.lap();
      Restart done = new Restart(reading, decoding, reading + decoding);
      if (check) {
        compare(ranks);
      }
      return done;
    }
  }

  private void compare(MemorySegment ranks) {
    long at = 0;
    for (Frame frame : frames) {
      for (Part part : frame.parts) {
        MemorySegment own = set.typed(part).bytes();
        if (own.mismatch(ranks.asSlice(at, part.length())) != -1) {
          throw new IllegalStateException("%s: other bytes came back".formatted(part));
        }
        at += part.length();
      }
    }
  }

  @Override
  public void close() {
    if (chooser != null) {
      chooser.close();
    }
  }
}
