// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Slot → place, stored length, codec and digest of one version.
 *
 * <p>Takes 24 bytes a block that has bytes in the file, 28 where neighbouring blocks are of
 * different stored lengths, and next to nothing for blocks of zeros: a run of them, wherever it
 * begins and ends and however long it is, costs some hundred bytes and at most some thousand steps.
 * So a file cannot make a reader allocate, or do, what it merely claims.
 *
 * <p>Slots are grouped in leaves of 64, leaves in chunks of 64, chunks in groups of 512. What is
 * alike all over a leaf, chunk or group is said once; one object may then stand for many, and is
 * replaced, never changed, when one of them becomes different.
 *
 * <p>Many threads may read while nobody changes the map.
 */
public final class BlockMap implements MapRecord.Visitor {
  /** The place of a slot that no dataset uses. */
  static final long ABSENT = -1;

  /** The place of a block of zeros, of which nothing is stored. */
  public static final long ZERO = -2;

  private static final int GROUP_BITS = 21;
  private static final int GROUP_SLOTS = 1 << GROUP_BITS;
  private static final int GROUP_MASK = GROUP_SLOTS - 1;
  private static final int CHUNKS = GROUP_SLOTS / BlockChunk.SLOTS;

  private static final int LENGTH_BITS = 24;
  private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;

  /** Null where a whole group is absent. */
  private @Nullable BlockChunk[] @Nullable [] groups = new BlockChunk[1][];

  /** The groups that are alike all over: their chunks are one, and other groups may share them. */
  private final BitSet uniform = new BitSet();

  /** How much memory the map may take, and has taken, at least, while it was built. */
  private long most;

  private long taken;

  /** A map that takes as much memory as it needs. */
  public BlockMap() {
    this(Long.MAX_VALUE);
  }

  /** A map that takes only so much memory: for whoever does not know what it will be told. */
  public BlockMap(long most) {
    this.most = most;
  }

  /** From now on it takes as much memory as it needs: what is told next comes from this program. */
  public void lift() {
    most = Long.MAX_VALUE;
  }

  /** A map would take more memory than it may. */
  public static final class TooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooLargeException(long most) {
      super("a map of more than " + most + " bytes of memory");
    }
  }

  private void take(long bytes) {
    taken += bytes;
    if (taken > most) {
      throw new TooLargeException(most);
    }
  }

  /** A stored length and the codec it was made with, as one number. */
  public static int stored(int codec, int length) {
    assert codec >= 0 && (length & ~LENGTH_MASK) == 0 : "codec " + codec + ", " + length + " bytes";
    return codec << LENGTH_BITS | length;
  }

  /** The length in what {@link #stored(int, int)} made. */
  public static int storedLength(int stored) {
    return stored & LENGTH_MASK;
  }

  /** The codec in what {@link #stored(int, int)} made. */
  public static int storedCodec(int stored) {
    return stored >>> LENGTH_BITS;
  }

  /** Where the block of a slot lies in the file; {@link #ZERO}, or negative where there is none. */
  public long place(int slot) {
    BlockChunk chunk = chunkAt(slot);
    BlockLeaf leaf = chunk == null ? null : chunk.leafOf(slot);
    if (leaf != null) {
      return leaf.place(slot & BlockLeaf.MASK);
    }
    return chunk == null ? ABSENT : chunk.everywhere;
  }

  /** Codec and stored length, see {@link #stored(int, int)}; the block length if it is zero. */
  public int stored(int slot) {
    BlockChunk chunk = chunkAt(slot);
    BlockLeaf leaf = chunk == null ? null : chunk.leafOf(slot);
    if (leaf != null) {
      return leaf.stored(slot & BlockLeaf.MASK);
    }
    return chunk == null ? 0 : chunk.length;
  }

  /** Whether the block of a slot has bytes, and this is their digest; looked up once. */
  public boolean hasDigest(int slot, long low, long high) {
    BlockLeaf leaf = leafAt(slot);
    return leaf != null && leaf.hasDigest(slot & BlockLeaf.MASK, low, high);
  }

  /**
   * Whether the blocks of consecutive slots have bytes, and these digests.
   *
   * @param digests low and high halves in turn, those of the first block from {@code at} on
   */
  public boolean haveDigests(int first, int count, long[] digests, int at) {
    int slot = first;
    int end = first + count;
    while (slot < end) {
      BlockLeaf leaf = leafAt(slot);
      int some = Math.min(end - slot, BlockLeaf.SLOTS - (slot & BlockLeaf.MASK));
      if (leaf == null || !leaf.haveDigests(slots(slot, some), digests, at + 2 * (slot - first))) {
        return false;
      }
      slot += some;
    }
    return true;
  }

  /**
   * Which of at most 64 consecutive slots have bytes, and these digests: a bit each, that of the
   * first slot is the lowest.
   *
   * @param digests low and high halves in turn, those of the first block from {@code at} on
   */
  public long whichHaveDigests(int first, int count, long[] digests, int at) {
    return inLeaves(
        first, count, (leaf, slots, done) -> leaf.whichHaveDigests(slots, digests, at + 2 * done));
  }

  /** Which of at most 64 consecutive slots have bytes in places like that: a bit each. */
  public long whichLie(int first, int count, ExtentFilter filter) {
    return inLeaves(first, count, (leaf, slots, done) -> leaf.whichLie(slots, filter));
  }

  /** Asks for some places in the file. */
  public interface ExtentFilter {
    boolean accepts(long place, long length);
  }

  private interface OfLeaf {
    long slots(BlockLeaf leaf, long slots, int done);
  }

  /** What leaves say of up to 64 slots: two of them, where the first is not that of a leaf. */
  private long inLeaves(int first, int count, OfLeaf question) {
    assert count > 0 && count <= Long.SIZE : count + " slots";
    long found = 0;
    int done = 0;
    while (done < count) {
      int slot = first + done;
      BlockLeaf leaf = leafAt(slot);
      int some = Math.min(count - done, BlockLeaf.SLOTS - (slot & BlockLeaf.MASK));
      if (leaf != null) {
        long answer = question.slots(leaf, slots(slot, some), done);
        found |= answer >>> (slot & BlockLeaf.MASK) << done;
      }
      done += some;
    }
    return found;
  }

  /** The lower half of the digest; 0 for blocks of zeros. */
  public long low(int slot) {
    BlockLeaf leaf = leafAt(slot);
    return leaf == null ? 0 : leaf.digest(slot & BlockLeaf.MASK, 0);
  }

  /** The upper half of the digest of the block in a slot. */
  public long high(int slot) {
    BlockLeaf leaf = leafAt(slot);
    return leaf == null ? 0 : leaf.digest(slot & BlockLeaf.MASK, 1);
  }

  /**
   * Copies digests of consecutive slots, as many as fit and not more than are said, up to the first
   * that has none; says how many. It may stop earlier.
   */
  public int digestsFrom(int slot, int most, long[] digests) {
    BlockLeaf leaf = leafAt(slot);
    int count = Math.min(most, digests.length / 2);
    return leaf == null ? 0 : leaf.digestsFrom(slot & BlockLeaf.MASK, count, digests);
  }

  /**
   * How many consecutive slots, at most so many, have bytes that are stored in one way, side by
   * side from a place on. It may stop earlier.
   */
  public int sideBySideFrom(int slot, int most, int stored, long place) {
    BlockLeaf leaf = leafAt(slot);
    return leaf == null ? 0 : leaf.sideBySideFrom(slot & BlockLeaf.MASK, most, stored, place);
  }

  private @Nullable BlockLeaf leafAt(int slot) {
    BlockChunk chunk = chunkAt(slot);
    return chunk == null ? null : chunk.leafOf(slot);
  }

  private @Nullable BlockChunk chunkAt(int slot) {
    int index = slot >>> GROUP_BITS;
    @Nullable BlockChunk[] group = index < groups.length ? groups[index] : null;
    return group == null ? null : group[(slot & GROUP_MASK) >>> BlockChunk.BITS];
  }

  @Override
  public void block(int slot, int blockLength, int stored, long place, long low, long high) {
    BlockLeaf leaf = leafToChange(slot);
    long before = leaf.memoryBytes();
    leaf.set(slot & BlockLeaf.MASK, place, stored, low, high);
    take(leaf.memoryBytes() - before);
  }

  @Override
  public void blocks(int first, int count, int blockLength, long place, long[] digests) {
    BlockLeaf leaf = leafToChange(first);
    long before = leaf.memoryBytes();
    leaf.setAll(first & BlockLeaf.MASK, count, place, blockLength, digests);
    take(leaf.memoryBytes() - before);
  }

  @Override
  public void zeros(int first, int count, int blockLength) {
    setRange(first, count, new Alike(ZERO, blockLength));
  }

  @Override
  public void released(int first, int count) {
    setRange(first, count, new Alike(ABSENT, 0));
  }

  /** What stands for many slots that are alike, made when it is first needed. */
  private static final class Alike {
    final long place;
    final int length;
    private @Nullable BlockLeaf leaf;
    private @Nullable BlockChunk chunk;
    private @Nullable BlockChunk @Nullable [] group;

    Alike(long place, int length) {
      this.place = place;
      this.length = length;
    }

    BlockLeaf leaf() {
      BlockLeaf made = leaf == null ? new BlockLeaf(place, length, true) : leaf;
      leaf = made;
      return made;
    }

    @Nullable BlockChunk chunk() {
      chunk = chunk == null && place != ABSENT ? new BlockChunk(place, length) : chunk;
      return chunk;
    }

    @Nullable BlockChunk @Nullable [] group() {
      if (group == null && place != ABSENT) {
        @Nullable BlockChunk[] made = new BlockChunk[CHUNKS];
        Arrays.fill(made, chunk());
        group = made;
      }
      return group;
    }

    /** Whether a slot is so already, and all that is in no leaf with it. */
    boolean isAllOf(BlockChunk other, int slot) {
      return other.leafOf(slot) == null
          && other.everywhere == place
          && (place == ABSENT || other.length == length);
    }
  }

  private void setRange(int first, int count, Alike alike) {
    int slot = first;
    int end = first + count;
    while (slot < end) {
      int left = end - slot;
      if ((slot & GROUP_MASK) == 0 && left >= GROUP_SLOTS) {
        setGroup(slot, alike);
        slot += GROUP_SLOTS;
      } else if ((slot & BlockChunk.MASK) == 0 && left >= BlockChunk.SLOTS) {
        setChunk(slot, alike);
        slot += BlockChunk.SLOTS;
      } else {
        int some = Math.min(left, BlockLeaf.SLOTS - (slot & BlockLeaf.MASK));
        setInLeaf(slot, some, alike);
        slot += some;
      }
    }
  }

  private void setGroup(int slot, Alike alike) {
    int index = slot >>> GROUP_BITS;
    if (alike.place == ABSENT && index >= groups.length) {
      return;
    }
    reach(index);
    groups[index] = alike.group();
    uniform.set(index);
  }

  private void setChunk(int slot, Alike alike) {
    if (alike.place != ABSENT || chunkAt(slot) != null) {
      groupToChange(slot)[(slot & GROUP_MASK) >>> BlockChunk.BITS] = alike.chunk();
    }
  }

  private void setInLeaf(int slot, int count, Alike alike) {
    BlockChunk chunk = chunkAt(slot);
    if (chunk == null ? alike.place == ABSENT : alike.isAllOf(chunk, slot)) {
      return;
    }
    if (count == BlockLeaf.SLOTS) {
      leavesToChange(slot)[BlockChunk.leafIndex(slot)] = alike.leaf();
    } else {
      BlockLeaf leaf = leafToChange(slot);
      long before = leaf.memoryBytes();
      leaf.clear(slots(slot, count), alike.place, alike.length);
      take(leaf.memoryBytes() - before);
    }
  }

  /** Slots of a leaf, a bit each. */
  private static long slots(int slot, int count) {
    return (count == BlockLeaf.SLOTS ? -1L : (1L << count) - 1) << (slot & BlockLeaf.MASK);
  }

  private BlockLeaf leafToChange(int slot) {
    @Nullable BlockLeaf[] leaves = leavesToChange(slot);
    int index = BlockChunk.leafIndex(slot);
    BlockLeaf leaf = leaves[index];
    if (leaf == null || leaf.shared) {
      // What is shared is alike all over.
      leaf = new BlockLeaf(place(slot), stored(slot), false);
      leaves[index] = leaf;
      take(BlockLeaf.BYTES);
    }
    return leaf;
  }

  private @Nullable BlockLeaf[] leavesToChange(int slot) {
    @Nullable BlockChunk[] group = groupToChange(slot);
    int index = (slot & GROUP_MASK) >>> BlockChunk.BITS;
    BlockChunk chunk = group[index];
    if (chunk == null || chunk.leaves == null) {
      chunk = BlockChunk.like(chunk);
      group[index] = chunk;
      take(BlockChunk.BYTES);
    }
    @Nullable BlockLeaf[] leaves = chunk.leaves;
    if (leaves == null) {
      throw new AssertionError("a chunk to change has leaves");
    }
    return leaves;
  }

  private @Nullable BlockChunk[] groupToChange(int slot) {
    int index = slot >>> GROUP_BITS;
    reach(index);
    @Nullable BlockChunk[] group = groups[index];
    if (group == null) {
      group = new BlockChunk[CHUNKS];
    } else if (uniform.get(index)) {
      group = group.clone();
    }
    groups[index] = group;
    uniform.clear(index);
    return group;
  }

  private void reach(int group) {
    if (group >= groups.length) {
      groups = Arrays.copyOf(groups, Math.max(group + 1, groups.length * 2));
    }
  }

  /**
   * The first block of a dataset that this map does not have, or not with the length it must have;
   * -1 if all is well.
   */
  public int firstUnfit(DatasetEntry dataset) {
    int block = 0;
    while (block < dataset.blocks()) {
      int slot = dataset.slotOf(block);
      if (!fits(slot, dataset.blockLength(block))) {
        return block;
      }
      block += storedAlikeFrom(dataset, block);
    }
    return -1;
  }

  /** How many blocks from here on surely are there, and stored as this one is; at least one. */
  private int storedAlikeFrom(DatasetEntry dataset, int block) {
    int slot = dataset.slotOf(block);
    BlockLeaf leaf = leafAt(slot);
    if (leaf == null) {
      return alikeFrom(dataset, block);
    }
    int most = Math.min(dataset.slots().contiguousFrom(block), dataset.blocks() - 1 - block);
    return Math.clamp(most, 1, Math.max(1, leaf.alikeFrom(slot & BlockLeaf.MASK)));
  }

  private boolean fits(int slot, int blockLength) {
    int stored = stored(slot);
    return place(slot) != ABSENT
        && (storedCodec(stored) != 0 || storedLength(stored) == blockLength);
  }

  /** How many blocks from here on are surely as this one, zero and of one length; at least one. */
  private int alikeFrom(DatasetEntry dataset, int block) {
    int slot = dataset.slotOf(block);
    BlockLeaf leaf = leafAt(slot);
    if (leaf != null && leaf.lengths != null) {
      return 1;
    }
    // The last one may be shorter.
    return Math.clamp(dataset.blocks() - 1L - block, 1, Math.max(1, zerosFrom(dataset, block)));
  }

  /**
   * How many blocks of a dataset from here on are surely zero, at least; 0 if this one is not.
   * Whole groups of zeros are one step, however many blocks they claim to be.
   */
  public int zerosFrom(DatasetEntry dataset, int block) {
    int slot = dataset.slotOf(block);
    if (place(slot) != ZERO) {
      return 0;
    }
    return Math.min(sameFrom(slot), dataset.slots().contiguousFrom(block));
  }

  /**
   * How many slots from this one on are surely zero or absent as this one is; 1 if it is stored.
   */
  int sameFrom(int slot) {
    int index = slot >>> GROUP_BITS;
    @Nullable BlockChunk[] group = index < groups.length ? groups[index] : null;
    if (group == null || uniform.get(index)) {
      return GROUP_SLOTS - (slot & GROUP_MASK);
    }
    BlockChunk chunk = group[(slot & GROUP_MASK) >>> BlockChunk.BITS];
    if (chunk == null || chunk.leaves == null) {
      return BlockChunk.SLOTS - (slot & BlockChunk.MASK);
    }
    BlockLeaf leaf = chunk.leafOf(slot);
    if (leaf == null) {
      return BlockLeaf.SLOTS - (slot & BlockLeaf.MASK);
    }
    return Math.max(1, leaf.zerosFrom(slot & BlockLeaf.MASK));
  }

  /** The first slot from this one on that is not absent; -1 if there is none. */
  int nextPresent(int from) {
    long slot = from;
    long end = (long) groups.length << GROUP_BITS;
    while (slot < end) {
      if (place((int) slot) != ABSENT) {
        return (int) slot;
      }
      BlockLeaf leaf = leafAt((int) slot);
      slot += leaf == null ? sameFrom((int) slot) : leaf.absentFrom((int) slot & BlockLeaf.MASK);
    }
    return -1;
  }

  /** Calls for every extent that holds bytes of a block; where there are none it takes no time. */
  public void forEachExtent(ExtentVisitor visitor) {
    forEachLeaf(leaf -> leaf.forEachExtent(-1L, visitor));
  }

  /** The same, mostly once for what lies side by side. */
  public void forEachStretch(ExtentVisitor visitor) {
    forEachLeaf(leaf -> leaf.forEachStretch(visitor));
  }

  private void forEachLeaf(Consumer<BlockLeaf> visitor) {
    for (int index = 0; index < groups.length; index++) {
      @Nullable BlockChunk[] group = groups[index];
      if (group != null && !uniform.get(index)) {
        for (BlockChunk chunk : group) {
          if (chunk != null) {
            chunk.forEachLeaf(visitor);
          }
        }
      }
    }
  }

  /** Calls for every extent that holds bytes of a block in one of some slots. */
  public void forEachExtent(int first, int count, ExtentVisitor visitor) {
    int slot = first;
    int end = first + count;
    while (slot < end) {
      BlockLeaf leaf = leafAt(slot);
      int some = leaf == null ? sameFrom(slot) : BlockLeaf.SLOTS - (slot & BlockLeaf.MASK);
      some = Math.min(some, end - slot);
      if (leaf != null) {
        leaf.forEachExtent(slots(slot, some), visitor);
      }
      slot += some;
    }
  }

  /** Receives places in the file. */
  public interface ExtentVisitor {
    void extent(long place, long length);
  }

  /** Memory taken by the map, for reports. */
  public long memoryBytes() {
    long bytes = 8L * groups.length;
    for (int index = 0; index < groups.length; index++) {
      @Nullable BlockChunk[] group = groups[index];
      if (group != null && !uniform.get(index)) {
        bytes += 16 + 4L * CHUNKS;
        for (BlockChunk chunk : group) {
          bytes += chunk == null ? 0 : chunk.memoryBytes();
        }
      }
    }
    return bytes;
  }

  /** Says all that this map holds about the slots of a catalog, as a base record does. */
  public void describe(Catalog catalog, MapRecord.Visitor out) {
    for (DatasetEntry dataset : catalog.datasets()) {
      int block = 0;
      while (block < dataset.blocks()) {
        int slot = dataset.slotOf(block);
        int length = dataset.blockLength(block);
        int count = 1;
        if (place(slot) == ZERO) {
          count = alikeFrom(dataset, block);
          out.zeros(slot, count, length);
        } else if (place(slot) >= 0) {
          out.block(slot, length, stored(slot), place(slot), low(slot), high(slot));
        }
        block += count;
      }
    }
  }
}
