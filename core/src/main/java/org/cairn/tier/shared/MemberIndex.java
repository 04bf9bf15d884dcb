// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.CorruptContainerException;
import org.cairn.record.Digest;
import org.cairn.record.Field;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * What one rank has in a version: its catalog, and for every block where it lies; or, with a {@link
 * Link}, for those blocks that an older index has elsewhere. {@link MemberChain} puts such ones
 * together.
 *
 * <p>Kept in runs, in files and in memory: blocks that lie side by side share all but their
 * digests, and blocks of zeros share everything. An index takes some 16 bytes a block. Immutable.
 */
public final class MemberIndex {

  private static final int RANK = 1;
  private static final int SEGMENTS = 2;
  private static final int CATALOG = 3;
  private static final int BLOCKS = 4;
  private static final int RUNS = 5;
  private static final int ROOT = 6;
  private static final int TAKEN_AT = 7;
  private static final int VERIFICATION = 8;
  private static final int FRAMED_CATALOG = 0x800A; // in place of the catalog
  private static final int LINK = 0x8009; // who does not know it must not take the rest for all

  private final int rank;
  private final List<String> segments;
  private final byte[] catalog;
  private final boolean hasFramedCatalog;
  private final State state;
  private final List<Run> runs;
  private final int[] firstBlocks;
  private final int blocks;

  /**
   * What the blocks are together.
   *
   * @param root the root digest
   * @param takenAt when the checkpoint was taken
   * @param verification when they were verified; null if nobody says
   * @param link what this is a change to; null if it says all
   */
  private record State(
      Digest root, Instant takenAt, @Nullable Verification verification, @Nullable Link link) {}

  private MemberIndex(
      int rank,
      List<String> segments,
      byte[] catalog,
      boolean hasFramedCatalog,
      State state,
      List<Run> runs,
      int blocks) {
    this.rank = rank;
    this.segments = List.copyOf(segments);
    this.catalog = catalog;
    this.hasFramedCatalog = hasFramedCatalog;
    this.state = state;
    this.runs = runs;
    this.firstBlocks = new int[runs.size()];
    for (int i = 1; i < firstBlocks.length; i++) {
      firstBlocks[i] = firstBlocks[i - 1] + runs.get(i - 1).count();
    }
    this.blocks = blocks;
  }

  /** The rank whose blocks these are. */
  public int rank() {
    return rank;
  }

  /** The names of the segments that entries refer to. */
  public List<String> segments() {
    return segments;
  }

  /** What the caller gave as catalog. */
  public byte[] catalog() {
    return catalog.clone();
  }

  /** How many blocks there are. */
  public int blocks() {
    return blocks;
  }

  /** Where a block lies, by its place in the order in which blocks were added. */
  public BlockEntry entry(int block) {
    int run = runOf(block);
    return runs.get(run).entry(block - firstBlocks[run]);
  }

  /** What this is a change to; empty if it says all. */
  Optional<Link> link() {
    return Optional.ofNullable(state.link);
  }

  /** 0 for one that says all, else how many flushes ago such a one was written. */
  int number() {
    return state.link == null ? 0 : state.link.number();
  }

  List<Run> runs() {
    return runs;
  }

  /** How many blocks from this one on are zeros of one run; 0 if this one is not. */
  int zerosFrom(int block) {
    int run = runOf(block);
    return runs.get(run).isZeros() ? runs.get(run).count() - (block - firstBlocks[run]) : 0;
  }

  /** The first block of a run. */
  int firstBlock(int run) {
    return firstBlocks[run];
  }

  /** The run that a block is in. */
  int runOf(int block) {
    if (block < 0 || block >= blocks) {
      throw new IndexOutOfBoundsException("block " + block + " of " + blocks);
    }
    int at = Arrays.binarySearch(firstBlocks, block);
    return at >= 0 ? at : -at - 2;
  }

  /** The names of the segments in which blocks lie in frames. */
  Set<String> segmentsWithFrames() {
    Set<String> found = new TreeSet<>();
    for (Run run : runs) {
      if (run.isStored() && SegmentFormat.isFramed(run.codec())) {
        found.add(segments.get(run.segment()));
      }
    }
    return found;
  }

  /** The bytes of the blocks it tells of in each of the segments, by their names. */
  public Map<String, Long> liveBytes() {
    Map<String, Long> live = new LinkedHashMap<>();
    segments.forEach(segment -> live.put(segment, 0L));
    for (Run run : runs) {
      if (run.isStored()) {
        live.merge(segments.get(run.segment()), run.storedBytes(), Long::sum);
      }
    }
    return live;
  }

  /** The root digest of the rank's state. */
  public Digest root() {
    return state.root;
  }

  /** When the checkpoint was taken, by the clock of its rank. */
  public Instant takenAt() {
    return state.takenAt;
  }

  /** When those blocks were verified that were not for the longest time; empty if unknown. */
  public Optional<Instant> oldestVerification() {
    return Optional.ofNullable(state.verification).map(Verification::oldest);
  }

  Optional<Verification> verification() {
    return Optional.ofNullable(state.verification);
  }

  /**
   * Puts the whole record into one that is empty so far.
   *
   * @throws IOException if it is larger than a reader takes
   */
  void write(RecordWriter out) throws IOException {
    long most = catalog.length;
    for (Run run : runs) {
      most += run.mostBytes();
    }
    if (most > SegmentFormat.MAX_INDEX_BYTES) {
      throw new IOException(
          "the index of the %d blocks of rank %d takes up to %d bytes, of %d that it can have; use larger blocks"
              .formatted(blocks, rank, most, SegmentFormat.MAX_INDEX_BYTES));
    }
    out.putInt(SegmentFormat.INDEX_TAG);
    long body = out.begin();
    out.putIntField(RANK, rank);
    long field = out.beginField(SEGMENTS);
    segments.forEach(out::putText);
    out.end(field);
    if (!hasFramedCatalog) {
      out.putFields(List.of(new Field(CATALOG, catalog)));
    }
    out.putIntField(BLOCKS, blocks);
    field = out.beginField(RUNS);
    runs.forEach(run -> run.write(out));
    out.end(field);
    field = out.beginField(ROOT);
    state.root.write(out);
    out.end(field);
    out.putLongField(TAKEN_AT, state.takenAt.toEpochMilli());
    Verification verification = state.verification;
    if (verification != null) {
      field = out.beginField(VERIFICATION);
      verification.write(out);
      out.end(field);
    }
    Link link = state.link;
    if (link != null) {
      field = out.beginField(LINK);
      link.write(out);
      out.end(field);
    }
    if (hasFramedCatalog) {
      out.putFields(List.of(new Field(FRAMED_CATALOG, FramedHead.write(catalog))));
    }
    out.end(body).seal();
  }

  /** Reads a record whose checksum was verified. */
  static MemberIndex read(RecordReader in) throws IOException {
    in.expectTag(SegmentFormat.INDEX_TAG, "a member index");
    Fields fields = Fields.read(in.getCountedRecord());
    in.expectEnd();
    fields.requireKnown(
        "a member index",
        RANK,
        SEGMENTS,
        CATALOG,
        BLOCKS,
        RUNS,
        ROOT,
        TAKEN_AT,
        VERIFICATION,
        LINK,
        FRAMED_CATALOG);
    int rank = fields.get(RANK, "rank").getNumber("rank");
    List<String> segments = readSegments(fields.get(SEGMENTS, "list of segments"));
    Optional<RecordReader> framed = fields.find(FRAMED_CATALOG);
    byte[] catalog =
        framed.isEmpty() ? fields.get(CATALOG, "catalog").getRest() : FramedHead.read(framed.get());
    int blocks = fields.get(BLOCKS, "number of blocks").getNumber("blocks");
    List<Run> runs = readRuns(fields.get(RUNS, "list of runs"), segments.size(), blocks);
    Optional<RecordReader> verification = fields.find(VERIFICATION);
    Optional<RecordReader> link = fields.find(LINK);
    if (link.isEmpty() && runs.stream().anyMatch(Run::isUnchanged)) {
      throw in.corrupt("expected a link to what is unchanged in a member index, found none");
    }
    State state =
        new State(
            Digest.read(fields.get(ROOT, "root digest")),
            Instant.ofEpochMilli(fields.get(TAKEN_AT, "time").getLongNumber("time")),
            verification.isEmpty() ? null : Verification.read(verification.get()),
            link.isEmpty() ? null : Link.read(link.get()));
    return new MemberIndex(rank, segments, catalog, framed.isPresent(), state, runs, blocks);
  }

  private static List<String> readSegments(RecordReader in) throws CorruptContainerException {
    List<String> segments = new ArrayList<>();
    while (in.remaining() > 0) {
      segments.add(Names.readCounted(in));
    }
    return segments;
  }

  private static List<Run> readRuns(RecordReader in, int segments, int blocks)
      throws CorruptContainerException {
    List<Run> runs = new ArrayList<>();
    long found = 0;
    while (in.remaining() > 0) {
      Run run = Run.read(in, segments);
      runs.add(run);
      found += run.count();
    }
    if (found != blocks) {
      throw in.corrupt("expected %d blocks in a member index, found %d".formatted(blocks, found));
    }
    return runs;
  }

  /** Collects the entries of one rank. Not for use by several threads. */
  public static final class Builder {
    private final int rank;
    private final Map<String, Integer> segments = new LinkedHashMap<>();
    private final List<Run> runs = new ArrayList<>();
    private int blocks;

    // The blocks since the last run, side by side.
    private int count;
    private int segment;
    private long offset;
    private long end;
    private int codec;
    private int blockLength;
    private long[] digests = new long[16];
    private long[] ends = new long[8];
    private boolean equal;

    /** Whether blocks lie in frames: then the catalog is one, too, unless it is short. */
    private boolean framed;

    /** An index of this rank without blocks. */
    public Builder(int rank) {
      this.rank = rank;
    }

    /** The number by which entries refer to a segment. */
    public int segment(String name) {
      return segments.computeIfAbsent(name, _ -> segments.size());
    }

    /**
     * Adds the next block.
     *
     * @throws IllegalArgumentException if its segment was not named before
     */
    void add(BlockEntry entry) {
      if (entry.isZero()) {
        addZeros(1, entry.blockLength(), entry.digestLow(), entry.digestHigh());
      } else {
        add(
            entry.segment(),
            entry.offset(),
            entry.storedLength(),
            entry.codec(),
            entry.blockLength(),
            entry.digestLow(),
            entry.digestHigh());
      }
    }

    /** Adds the next block, which is not of zeros. */
    void add(
        int nextSegment,
        long nextOffset,
        int storedLength,
        int nextCodec,
        int nextLength,
        long low,
        long high) {
      if (nextSegment >= segments.size()) {
        throw new IllegalArgumentException("segment " + nextSegment + " of " + segments.size());
      }
      boolean follows =
          nextSegment == segment
              && nextOffset == end
              && nextCodec == codec
              && nextLength == blockLength;
      if (count > 0 && !follows) {
        endRun();
      }
      if (count == 0) {
        framed |= SegmentFormat.isFramed(nextCodec);
        segment = nextSegment;
        offset = nextOffset;
        codec = nextCodec;
        blockLength = nextLength;
        equal = true;
      }
      if (count == ends.length) {
        ends = Supply.copy(ends, 2 * count);
        digests = Supply.copy(digests, 4 * count);
      }
      end = nextOffset + storedLength;
      ends[count] = end - offset;
      equal &= ends[count] == (count + 1) * ends[0];
      digests[2 * count] = low;
      digests[2 * count + 1] = high;
      count++;
      blocks = Math.addExact(blocks, 1);
    }

    /**
     * Adds the next block, which lies in a frame of this segment.
     *
     * @param address of its first byte among the plain bytes of all frames
     */
    public void addFramed(int nextSegment, long address, int length, long low, long high) {
      add(nextSegment, address, length, SegmentFormat.FRAMED, length, low, high);
    }

    /** Adds so many blocks of zeros. */
    public void addZeros(int zeros, int length) {
      addZeros(zeros, length, 0, 0);
    }

    private void addZeros(int zeros, int length, long low, long high) {
      endRun();
      int before = 0;
      if (!runs.isEmpty() && runs.getLast().isZerosLike(length, low, high)) {
        before = runs.removeLast().count();
      }
      runs.add(Run.zeros(before + zeros, length, low, high));
      blocks = Math.addExact(blocks, zeros);
    }

    /** Adds so many blocks that are as the linked index has them. */
    void addUnchanged(int more) {
      endRun();
      int before = !runs.isEmpty() && runs.getLast().isUnchanged() ? runs.removeLast().count() : 0;
      runs.add(Run.unchanged(before + more));
      blocks = Math.addExact(blocks, more);
    }

    private void endRun() {
      if (count > 0) {
        runs.add(
            new Run(
                count,
                segment,
                offset,
                codec,
                blockLength,
                (int) ends[0],
                equal ? null : Supply.copy(ends, count),
                Supply.copy(digests, 2 * count)));
        count = 0;
      }
    }

    /**
     * The index of all blocks added so far.
     *
     * @param head of the version, as {@link org.cairn.version.VersionHead} writes it
     * @param root the root digest of the state
     * @param takenAt when the checkpoint was taken
     */
    public MemberIndex build(byte[] head, Digest root, Instant takenAt) {
      return build(head, root, takenAt, null);
    }

    /** The index of all blocks added so far, of a state that nobody knows the root of. */
    MemberIndex build(byte[] catalog) {
      return build(catalog, Digest.NONE, Instant.EPOCH, null);
    }

    /**
     * The index of all blocks added so far.
     *
     * @param root the root digest of the state
     * @param takenAt when the checkpoint was taken
     */
    MemberIndex build(
        byte[] catalog, Digest root, Instant takenAt, @Nullable Verification verification) {
      return build(catalog, root, takenAt, verification, null);
    }

    /**
     * The index of all blocks added so far.
     *
     * @param link what it is a change to; null if it says all
     */
    MemberIndex build(
        byte[] catalog,
        Digest root,
        Instant takenAt,
        @Nullable Verification verification,
        @Nullable Link link) {
      endRun();
      List<String> names = List.copyOf(segments.keySet());
      State state = new State(root, takenAt.truncatedTo(ChronoUnit.MILLIS), verification, link);
      return new MemberIndex(
          rank,
          names,
          catalog.clone(),
          framed && catalog.length >= FramedHead.SHORTEST,
          state,
          List.copyOf(runs),
          blocks);
    }
  }
}
