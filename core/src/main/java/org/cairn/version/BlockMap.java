// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.util.Arrays;
import java.util.BitSet;
import org.cairn.supply.Supply;
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

  private static final int LEAF_BITS = 6;
  private static final int LEAF_SLOTS = 1 << LEAF_BITS;
  private static final int LEAF_MASK = LEAF_SLOTS - 1;

  private static final int CHUNK_BITS = 12;
  private static final int CHUNK_SLOTS = 1 << CHUNK_BITS;
  private static final int CHUNK_MASK = CHUNK_SLOTS - 1;
  private static final int LEAVES = CHUNK_SLOTS / LEAF_SLOTS;

  private static final int GROUP_BITS = 21;
  private static final int GROUP_SLOTS = 1 << GROUP_BITS;
  private static final int GROUP_MASK = GROUP_SLOTS - 1;
  private static final int CHUNKS = GROUP_SLOTS / CHUNK_SLOTS;

  /** What they take in a heap below 32 GiB. */
  private static final long LEAF_BYTES = 56;

  private static final long CHUNK_BYTES = 40 + 4L * LEAVES;

  private static final int LENGTH_BITS = 24;
  private static final int LENGTH_MASK = (1 << LENGTH_BITS) - 1;

  /** Null where a whole group is absent. */
  private @Nullable Chunk[] @Nullable [] groups = new Chunk[1][];

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

  /** Slots of one place, absent or zero, and one length; but for those that are in leaves. */
  private static final class Chunk {
    final long everywhere;
    final int length;

    /** Null if there is no leaf: then the chunk never changes, and may stand for many. */
    @Nullable Leaf @Nullable [] leaves;

    Chunk(long everywhere, int length) {
      this.everywhere = everywhere;
      this.length = length;
    }

    /** The same, to be changed. */
    static Chunk like(@Nullable Chunk other) {
      Chunk chunk =
          other == null ? new Chunk(ABSENT, 0) : new Chunk(other.everywhere, other.length);
      chunk.leaves = new Leaf[LEAVES];
      return chunk;
    }
  }

  /** Up to 64 slots; only those that have bytes take room for place and digest. */
  private static final class Leaf {
    /** Which slots are blocks with bytes, and which are blocks of zeros, a bit each. */
    long stored;

    long zeros;

    /** Of the blocks with bytes, in the order of their slots. */
    long[] places = NO_PLACES;

    long[] digests = NO_PLACES;

    /** Null if all slots have the stored length {@code common}. */
    int @Nullable [] lengths;

    int common;

    /** Whether this leaf stands for many, so that it must not change. */
    final boolean shared;

    private static final long[] NO_PLACES = {};

    Leaf(long place, int length, boolean shared) {
      zeros = place == ZERO ? -1L : 0;
      common = length;
      this.shared = shared;
    }

    boolean isStored(int index) {
      return (stored >>> index & 1) != 0;
    }

    /** How many slots before this one have bytes. */
    private int rank(int index) {
      return Long.bitCount(stored & ((1L << index) - 1));
    }

    long place(int index) {
      if (isStored(index)) {
        return places[rank(index)];
      }
      return (zeros >>> index & 1) != 0 ? ZERO : ABSENT;
    }

    long digest(int index, int half) {
      return isStored(index) ? digests[2 * rank(index) + half] : 0;
    }

    int stored(int index) {
      return lengths == null ? common : lengths[index];
    }

    void set(int index, long place, int how, long low, long high) {
      setLengths(1L << index, how);
      if (!isStored(index)) {
        insert(index);
      }
      int rank = rank(index);
      assert digests.length >= 2 * places.length : "a place without a digest";
      places[rank] = place;
      digests[2 * rank] = low;
      digests[2 * rank + 1] = high;
    }

    private void insert(int index) {
      int count = Long.bitCount(stored);
      if (count == places.length) {
        // Both, or none, where memory runs out.
        long[] more = Supply.copy(places, Math.max(1, 2 * count));
        digests = Supply.copy(digests, 2 * more.length);
        places = more;
      }
      int rank = rank(index);
      System.arraycopy(places, rank, places, rank + 1, count - rank);
      System.arraycopy(digests, 2 * rank, digests, 2 * rank + 2, 2 * (count - rank));
      stored |= 1L << index;
      zeros &= ~(1L << index);
    }

    /** Makes some slots, a bit each, zero or absent. */
    void clear(long slots, long place, int length) {
      if (place == ZERO) {
        setLengths(slots, length);
      }
      for (long left = stored & slots; left != 0; left &= left - 1) {
        remove(Long.numberOfTrailingZeros(left));
      }
      zeros = place == ZERO ? zeros | slots : zeros & ~slots;
    }

    private void remove(int index) {
      int count = Long.bitCount(stored);
      int rank = rank(index);
      System.arraycopy(places, rank + 1, places, rank, count - rank - 1);
      System.arraycopy(digests, 2 * rank + 2, digests, 2 * rank, 2 * (count - rank - 1));
      stored &= ~(1L << index);
    }

    /** What is absent may have any length: a table of lengths is made only if it has to be. */
    private void setLengths(long slots, int how) {
      if (((stored | zeros) & ~slots) == 0) {
        common = how;
        lengths = null;
      }
      if (lengths == null) {
        if (common == how) {
          return;
        }
        lengths = Supply.ints(LEAF_SLOTS);
        Arrays.fill(lengths, common);
      }
      for (long left = slots; left != 0; left &= left - 1) {
        lengths[Long.numberOfTrailingZeros(left)] = how;
      }
    }

    /** How many slots from this one on are zero. */
    int zerosFrom(int index) {
      return Long.numberOfTrailingZeros(~(zeros >>> index));
    }

    /** How many slots from this one on, up to the end of the leaf, are absent. */
    int absentFrom(int index) {
      return Math.min(LEAF_SLOTS - index, Long.numberOfTrailingZeros((stored | zeros) >>> index));
    }

    void forEachExtent(long slots, ExtentVisitor visitor) {
      int rank = Long.bitCount(stored & (Long.lowestOneBit(slots) - 1));
      for (long left = stored & slots; left != 0; left &= left - 1) {
        visitor.extent(places[rank++], storedLength(stored(Long.numberOfTrailingZeros(left))));
      }
    }

    long memoryBytes() {
      long bytes = LEAF_BYTES + 24L * places.length + (places.length == 0 ? 0 : 32);
      return lengths == null ? bytes : bytes + 16 + 4L * LEAF_SLOTS;
    }
  }

  /** Where the block of a slot lies in the file; {@link #ZERO}, or negative where there is none. */
  public long place(int slot) {
    Chunk chunk = chunkAt(slot);
    Leaf leaf = leafOf(chunk, slot);
    if (leaf != null) {
      return leaf.place(slot & LEAF_MASK);
    }
    return chunk == null ? ABSENT : chunk.everywhere;
  }

  /** Codec and stored length, see {@link #stored(int, int)}; the block length if it is zero. */
  public int stored(int slot) {
    Chunk chunk = chunkAt(slot);
    Leaf leaf = leafOf(chunk, slot);
    if (leaf != null) {
      return leaf.stored(slot & LEAF_MASK);
    }
    return chunk == null ? 0 : chunk.length;
  }

  /** The lower half of the digest; 0 for blocks of zeros. */
  public long low(int slot) {
    Leaf leaf = leafOf(chunkAt(slot), slot);
    return leaf == null ? 0 : leaf.digest(slot & LEAF_MASK, 0);
  }

  /** The upper half of the digest of the block in a slot. */
  public long high(int slot) {
    Leaf leaf = leafOf(chunkAt(slot), slot);
    return leaf == null ? 0 : leaf.digest(slot & LEAF_MASK, 1);
  }

  private static @Nullable Leaf leafOf(@Nullable Chunk chunk, int slot) {
    @Nullable Leaf[] leaves = chunk == null ? null : chunk.leaves;
    return leaves == null ? null : leaves[(slot & CHUNK_MASK) >>> LEAF_BITS];
  }

  private @Nullable Chunk chunkAt(int slot) {
    int index = slot >>> GROUP_BITS;
    @Nullable Chunk[] group = index < groups.length ? groups[index] : null;
    return group == null ? null : group[(slot & GROUP_MASK) >>> CHUNK_BITS];
  }

  @Override
  public void block(int slot, int blockLength, int stored, long place, long low, long high) {
    Leaf leaf = leafToChange(slot);
    long before = leaf.memoryBytes();
    leaf.set(slot & LEAF_MASK, place, stored, low, high);
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
    private @Nullable Leaf leaf;
    private @Nullable Chunk chunk;
    private @Nullable Chunk @Nullable [] group;

    Alike(long place, int length) {
      this.place = place;
      this.length = length;
    }

    Leaf leaf() {
      Leaf made = leaf == null ? new Leaf(place, length, true) : leaf;
      leaf = made;
      return made;
    }

    @Nullable Chunk chunk() {
      chunk = chunk == null && place != ABSENT ? new Chunk(place, length) : chunk;
      return chunk;
    }

    @Nullable Chunk @Nullable [] group() {
      if (group == null && place != ABSENT) {
        @Nullable Chunk[] made = new Chunk[CHUNKS];
        Arrays.fill(made, chunk());
        group = made;
      }
      return group;
    }

    boolean isAllOf(Chunk other) {
      return other.everywhere == place && (place == ABSENT || other.length == length);
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
      } else if ((slot & CHUNK_MASK) == 0 && left >= CHUNK_SLOTS) {
        setChunk(slot, alike);
        slot += CHUNK_SLOTS;
      } else {
        int some = Math.min(left, LEAF_SLOTS - (slot & LEAF_MASK));
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
      groupToChange(slot)[(slot & GROUP_MASK) >>> CHUNK_BITS] = alike.chunk();
    }
  }

  private void setInLeaf(int slot, int count, Alike alike) {
    Chunk chunk = chunkAt(slot);
    if (leafOf(chunk, slot) == null
        && (chunk == null ? alike.place == ABSENT : alike.isAllOf(chunk))) {
      return;
    }
    if (count == LEAF_SLOTS) {
      leavesToChange(slot)[(slot & CHUNK_MASK) >>> LEAF_BITS] = alike.leaf();
    } else {
      Leaf leaf = leafToChange(slot);
      long before = leaf.memoryBytes();
      leaf.clear(slots(slot, count), alike.place, alike.length);
      take(leaf.memoryBytes() - before);
    }
  }

  /** Slots of a leaf, a bit each. */
  private static long slots(int slot, int count) {
    return (count == LEAF_SLOTS ? -1L : (1L << count) - 1) << (slot & LEAF_MASK);
  }

  private Leaf leafToChange(int slot) {
    @Nullable Leaf[] leaves = leavesToChange(slot);
    int index = (slot & CHUNK_MASK) >>> LEAF_BITS;
    Leaf leaf = leaves[index];
    if (leaf == null || leaf.shared) {
      // What is shared is alike all over.
      leaf = new Leaf(place(slot), stored(slot), false);
      leaves[index] = leaf;
      take(LEAF_BYTES);
    }
    return leaf;
  }

  private @Nullable Leaf[] leavesToChange(int slot) {
    @Nullable Chunk[] group = groupToChange(slot);
    int index = (slot & GROUP_MASK) >>> CHUNK_BITS;
    Chunk chunk = group[index];
    if (chunk == null || chunk.leaves == null) {
      chunk = Chunk.like(chunk);
      group[index] = chunk;
      take(CHUNK_BYTES);
    }
    @Nullable Leaf[] leaves = chunk.leaves;
    if (leaves == null) {
      throw new AssertionError("a chunk to change has leaves");
    }
    return leaves;
  }

  private @Nullable Chunk[] groupToChange(int slot) {
    int index = slot >>> GROUP_BITS;
    reach(index);
    @Nullable Chunk[] group = groups[index];
    if (group == null) {
      group = new Chunk[CHUNKS];
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
      block += alikeFrom(dataset, block);
    }
    return -1;
  }

  private boolean fits(int slot, int blockLength) {
    int stored = stored(slot);
    return place(slot) != ABSENT
        && (storedCodec(stored) != 0 || storedLength(stored) == blockLength);
  }

  /** How many blocks from here on are surely as this one, zero and of one length; at least one. */
  private int alikeFrom(DatasetEntry dataset, int block) {
    int slot = dataset.slotOf(block);
    Leaf leaf = leafOf(chunkAt(slot), slot);
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
    @Nullable Chunk[] group = index < groups.length ? groups[index] : null;
    if (group == null || uniform.get(index)) {
      return GROUP_SLOTS - (slot & GROUP_MASK);
    }
    Chunk chunk = group[(slot & GROUP_MASK) >>> CHUNK_BITS];
    if (chunk == null || chunk.leaves == null) {
      return CHUNK_SLOTS - (slot & CHUNK_MASK);
    }
    Leaf leaf = leafOf(chunk, slot);
    if (leaf == null) {
      return LEAF_SLOTS - (slot & LEAF_MASK);
    }
    return Math.max(1, leaf.zerosFrom(slot & LEAF_MASK));
  }

  /** The first slot from this one on that is not absent; -1 if there is none. */
  int nextPresent(int from) {
    long slot = from;
    long end = (long) groups.length << GROUP_BITS;
    while (slot < end) {
      if (place((int) slot) != ABSENT) {
        return (int) slot;
      }
      Leaf leaf = leafOf(chunkAt((int) slot), (int) slot);
      slot += leaf == null ? sameFrom((int) slot) : leaf.absentFrom((int) slot & LEAF_MASK);
    }
    return -1;
  }

  /** Calls for every extent that holds bytes of a block; where there are none it takes no time. */
  public void forEachExtent(ExtentVisitor visitor) {
    for (int index = 0; index < groups.length; index++) {
      @Nullable Chunk[] group = groups[index];
      if (group != null && !uniform.get(index)) {
        for (Chunk chunk : group) {
          forEachExtent(chunk, visitor);
        }
      }
    }
  }

  private static void forEachExtent(@Nullable Chunk chunk, ExtentVisitor visitor) {
    if (chunk != null && chunk.leaves != null) {
      for (Leaf leaf : chunk.leaves) {
        if (leaf != null) {
          leaf.forEachExtent(-1L, visitor);
        }
      }
    }
  }

  /** Calls for every extent that holds bytes of a block in one of some slots. */
  public void forEachExtent(int first, int count, ExtentVisitor visitor) {
    int slot = first;
    int end = first + count;
    while (slot < end) {
      Leaf leaf = leafOf(chunkAt(slot), slot);
      int some = leaf == null ? sameFrom(slot) : LEAF_SLOTS - (slot & LEAF_MASK);
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
      @Nullable Chunk[] group = groups[index];
      if (group != null && !uniform.get(index)) {
        bytes += 16 + 4L * CHUNKS;
        for (Chunk chunk : group) {
          bytes += memoryBytes(chunk);
        }
      }
    }
    return bytes;
  }

  private static long memoryBytes(@Nullable Chunk chunk) {
    if (chunk == null || chunk.leaves == null) {
      return 0;
    }
    long bytes = CHUNK_BYTES;
    for (Leaf leaf : chunk.leaves) {
      bytes += leaf == null || leaf.shared ? 0 : leaf.memoryBytes();
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
