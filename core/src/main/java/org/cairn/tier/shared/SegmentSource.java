// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.cairn.CorruptContainerException;
import org.cairn.record.Digest;
import org.cairn.store.Store;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;

/**
 * What one rank saved in a version, read straight from the segments it lies in: no container is
 * made, and no byte is read that nobody wants. Safe for use by many threads.
 */
public final class SegmentSource implements VersionSource, Closeable {
  private final OpenSegments segments;
  private final MemberState state;

  /** By which number the index knows the first block of each dataset. */
  private final Map<DatasetEntry, Integer> firstBlocks = new IdentityHashMap<>();

  private SegmentSource(OpenSegments segments, MemberState state) {
    this.segments = segments;
    this.state = state;
    int first = 0;
    for (DatasetEntry dataset : state.head().datasets()) {
      firstBlocks.put(dataset, first);
      first += dataset.blocks();
    }
  }

  /**
   * Opens the state of a rank; its index has the root digest that was told when it is returned.
   *
   * @throws IOException if the version is not there, or its index is damaged; the message names the
   *     file
   */
  public static SegmentSource open(Store shared, VersionId version, int rank) throws IOException {
    return new SharedDirectory(shared).reading(version, manifest -> open(shared, manifest, rank));
  }

  static SegmentSource open(Store shared, Manifest manifest, int rank) throws IOException {
    OpenSegments segments = new OpenSegments(shared, manifest.references());
    try {
      MemberChain.Resolved resolved =
          MemberChain.read(segments, manifest.groupOf(rank).segment(), rank, manifest.rootOf(rank));
      return new SegmentSource(segments, resolved.state());
    } catch (IOException | RuntimeException | Error e) {
      segments.close();
      throw e;
    }
  }

  @Override
  public VersionInfo info() {
    return state.head().info();
  }

  @Override
  public Collection<DatasetEntry> datasets() {
    return state.head().datasets();
  }

  @Override
  public Optional<DatasetEntry> find(String name) {
    return datasets().stream().filter(dataset -> dataset.name().equals(name)).findFirst();
  }

  /** The number of a block in the index. */
  int number(DatasetEntry dataset, int block) {
    Integer first = firstBlocks.get(dataset);
    if (first == null) {
      throw new IllegalArgumentException("not a dataset of this version: " + dataset);
    }
    return first + block;
  }

  MemberIndex index() {
    return state.index();
  }

  /** The segment that a run of blocks lies in. */
  SegmentReader segment(int number) throws IOException {
    return segments.open(index().segments().get(number));
  }

  /** Is told of frames. */
  interface FrameVisitor {
    /**
     * A frame in which there are blocks of this state.
     *
     * @param offset where it lies in the segment
     */
    void frame(String segment, long offset);
  }

  /** Tells of each frame in which there are blocks, perhaps more than once. */
  void forEachFrame(FrameVisitor visitor) {
    for (Run run : index().runs()) {
      if (run.isStored() && SegmentFormat.isFramed(run.codec())) {
        String name = index().segments().get(run.segment());
        try {
          SegmentFrames frames = segments.open(name).frames();
          frames.overlapping(
              run.offset(), run.storedBytes(), frame -> visitor.frame(name, frame.offset()));
        } catch (IOException e) {
          // Whoever reads the blocks will be told.
        }
      }
    }
  }

  /**
   * The stored bytes of a frame, not verified.
   *
   * @throws IOException also if the version of this state has nothing to do with it
   */
  byte[] readStored(String segment, long offset) throws IOException {
    SegmentReader reader = segments.open(segment);
    for (SegmentFrames.Frame frame : reader.frames().all()) {
      if (frame.offset() == offset) {
        frame.info().check(reader.location(), offset);
        byte[] stored = Supply.bytes((int) frame.info().storedLength());
        reader.read(frame, MemorySegment.ofArray(stored));
        return stored;
      }
    }
    throw new IOException("%s has no frame at %d".formatted(reader.location(), offset));
  }

  /** Somebody else has read a frame: these are its stored bytes. */
  void keep(String segment, long offset, byte[] stored) {
    try {
      segments.open(segment).keep(offset, stored);
    } catch (IOException e) {
      // Whoever reads blocks there will be told.
    }
  }

  MemberState state() {
    return state;
  }

  OpenSegments segments() {
    return segments;
  }

  /** Is told where blocks lie. */
  public interface Places {
    /** A block that is stored, not one of zeros. */
    void block(DatasetEntry dataset, int block, String segment, BlockEntry entry)
        throws IOException;
  }

  /** Tells where all stored blocks lie: those in frames at last, frame by frame. */
  public void forEachStored(Places places) throws IOException {
    state.forEach(
        new MemberState.Visitor() {
          @Override
          public void block(DatasetEntry dataset, int block, BlockEntry entry) throws IOException {
            places.block(dataset, block, index().segments().get(entry.segment()), entry);
          }

          @Override
          public void zeros(DatasetEntry dataset, int first, int count) {}
        });
  }

  /**
   * A segment in which blocks lie; it stays open as long as this source.
   *
   * @throws IOException if it is not there, or another one
   */
  public SegmentReader reader(String name) throws IOException {
    return segments.open(name);
  }

  @Override
  public boolean isZero(DatasetEntry dataset, int block) {
    return zerosFrom(dataset, block) > 0;
  }

  @Override
  public int zerosFrom(DatasetEntry dataset, int block) {
    return Math.min(index().zerosFrom(number(dataset, block)), dataset.blocks() - block);
  }

  @Override
  public long low(DatasetEntry dataset, int block) {
    return isZero(dataset, block) ? 0 : index().entry(number(dataset, block)).digestLow();
  }

  @Override
  public long high(DatasetEntry dataset, int block) {
    return isZero(dataset, block) ? 0 : index().entry(number(dataset, block)).digestHigh();
  }

  @Override
  public List<VersionSource.Damage> scan(
      Collection<Range> wanted, Workers workers, VersionSource.Sink sink, LongConsumer progress)
      throws IOException {
    List<Damaged> found =
        new SegmentScan(true, progress).run(List.of(new Wanted(this, wanted, sink)), workers);
    return found.stream().map(Damaged::damage).toList();
  }

  /**
   * What is wanted of one member, and by whom.
   *
   * @param sink receives each block that is as it was written
   */
  public record Wanted(SegmentSource source, Collection<Range> ranges, Sink sink) {}

  /** Something of a member that could not be read as it was written. */
  public record Damaged(Wanted wanted, VersionSource.Damage damage) {}

  /**
   * Reads what is wanted of several members of one file: frames in which many have blocks are
   * decoded once. Goes on after damage.
   *
   * @param all of sources that were {@link #openAll opened together}
   */
  public static List<Damaged> scan(Collection<Wanted> all, Workers workers, LongConsumer progress)
      throws IOException {
    return new SegmentScan(false, progress).run(all, workers);
  }

  /**
   * Opens all members of a segment, with what they have in older ones; closing any of them closes
   * all.
   *
   * @param damaged is told of members whose index is not as it was written; they are left out
   * @return the others, by their numbers
   * @throws IOException if an index needs what is not there
   */
  public static Map<Integer, SegmentSource> openAll(
      Store store, SegmentReader segment, BiConsumer<Integer, CorruptContainerException> damaged)
      throws IOException {
    OpenSegments segments = new OpenSegments(store, segment.references());
    Map<Integer, SegmentSource> all = new LinkedHashMap<>();
    try {
      for (int rank : segment.ranks()) {
        Digest root = segment.memberInfo(rank).root();
        try {
          MemberChain.Resolved resolved = MemberChain.read(segments, segment.name(), rank, root);
          all.put(rank, new SegmentSource(segments, resolved.state()));
        } catch (CorruptContainerException e) {
          damaged.accept(rank, e);
        }
      }
      return all;
    } catch (IOException | RuntimeException | Error e) {
      segments.close();
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    segments.close();
  }
}
