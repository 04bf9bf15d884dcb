// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.cairn.hash.SecondOpinion;
import org.cairn.hash.Xxh3;
import org.cairn.record.Digest;
import org.cairn.record.RecordWriter;

/**
 * The digest of a whole state, to agree on: equal states have equal root digests, wherever their
 * blocks lie and in whatever order they were saved. It tells equal states from different ones, not
 * friend from foe: each block is verified by its own digest.
 *
 * <p>It is a sum modulo 2^128, so that a checkpoint updates it by what it changed:
 *
 * <pre>
 * RootDigest = Σ D(dataset) + Σ B(block)
 *
 * D(dataset) = XXH3-128 of
 *              type:u32 algorithm:u32 blockSize:u32 axes:u32 byteLength:u64 extent:u64{axes} name:text
 *              and the fields of its entry that are needed to read it, as they are in the file
 * K          = XXH3-128 of  blockSize:u32 algorithm:u32 name (UTF-8)      of the block's dataset
 *
 * B(block i with digest d)  = high·2^64 + low, where all is modulo 2^64 and
 *              p    = (i + 1) · 0x9E3779B97F4A7C15
 *              a    = mix(d.low ^ mix(K.low + p))
 *              high = mix((d.high ^ mix(K.high + p)) + a)
 *              low  = a + mix(high)
 * B(block i of zeros)       = (i + 1) · Z,  Z = mix(K.high)·2^64 + (mix(K.low) | 1)
 *
 * mix(x): x = (x ^ x>>>30) · 0xBF58476D1CE4E5B9;  x = (x ^ x>>>27) · 0x94D049BB133111EB;  x ^ x>>>31
 * </pre>
 *
 * <p>Why so: the term of a dataset makes those of length 0 count, and fixes how many blocks there
 * are. The key K makes a rename, another block size or another algorithm a removal and an addition,
 * whatever the digests. For one block, digests and terms are in one-to-one correspondence: two
 * states that differ in one block never have the same root digest, unless the block has the same
 * digest. Blocks of zeros count, although they follow from the others, so that a map that lacks one
 * is noticed; they are linear in their number, so that a run costs one step however long it is: a
 * file of a few bytes may claim a billion of them.
 *
 * <p>Not in it: places, slots, codecs, checksums of records, what a version is called and when it
 * was taken, and fields that a reader may pass over.
 */
public final class RootDigest {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private long low;
  private long high;

  /** Whether what of it is XXH3 is computed by the twin; see {@link SecondOpinion}. */
  private final boolean again;

  /** The digest of a state without datasets. */
  public RootDigest() {
    this(false);
  }

  private RootDigest(boolean again) {
    this.again = again;
  }

  /** The digest of a version, to be changed by what follows it. */
  public RootDigest(VersionInfo version) {
    this(false);
    low = version.digestLow();
    high = version.digestHigh();
  }

  /** A digest that is known, to be changed by what follows. */
  public static RootDigest of(Digest root) {
    RootDigest digest = new RootDigest();
    digest.low = root.low();
    digest.high = root.high();
    return digest;
  }

  /** Computes the root digest of a version from scratch. */
  public static RootDigest of(VersionMap version) {
    RootDigest digest = new RootDigest();
    digest.add(version);
    return digest;
  }

  /**
   * Whether a state has the root digest that is told of it; computed twice before the answer is no.
   *
   * @param state puts all its datasets and blocks into a digest
   */
  public static boolean holds(Consumer<RootDigest> state, Digest told) {
    RootDigest found = new RootDigest();
    state.accept(found);
    if (found.is(told)) {
      return true;
    }
    RootDigest twin = new RootDigest(true);
    state.accept(twin);
    if (found.low != twin.low || found.high != twin.high) {
      SecondOpinion.warn(
          "a root digest came out as %s, and as %s when computed again".formatted(found, twin));
    }
    return twin.is(told);
  }

  /** Puts in all that a version has. */
  public void add(VersionMap version) {
    long[] digests = new long[2 * BlockLeaf.SLOTS];
    for (DatasetEntry dataset : version.datasets()) {
      add(dataset.spec());
      addBlocks(version, dataset, digests);
    }
  }

  private void addBlocks(VersionMap version, DatasetEntry dataset, long[] digests) {
    Key key = key(dataset.spec());
    int block = 0;
    while (block < dataset.blocks()) {
      int zeros = version.zerosFrom(dataset, block);
      if (zeros > 0) {
        addZeros(key, block, zeros);
        block += zeros;
      } else {
        int some = version.digestsFrom(dataset, block, digests);
        for (int i = 0; i < some; i++) {
          add(key, block + i, digests[2 * i], digests[2 * i + 1]);
        }
        block += some;
      }
    }
  }

  /** The lower half. */
  public long low() {
    return low;
  }

  /** The upper half. */
  public long high() {
    return high;
  }

  /** Whether it is this one. */
  public boolean is(Digest root) {
    return low == root.low() && high == root.high();
  }

  /** Whether a version says that this is its root digest. */
  public boolean isOf(VersionInfo version) {
    return low == version.digestLow() && high == version.digestHigh();
  }

  /** What the blocks of a dataset have in common: K and Z above. */
  public static final class Key {
    private final long low;
    private final long high;
    private final long zeroLow;
    private final long zeroHigh;

    private Key(long low, long high) {
      this.low = low;
      this.high = high;
      zeroLow = mix(low) | 1;
      zeroHigh = mix(high);
    }

    /** The key of a dataset. */
    public static Key of(DatasetSpec dataset) {
      return of(dataset, false);
    }

    private static Key of(DatasetSpec dataset, boolean again) {
      RecordWriter out = RecordWriter.onHeap();
      out.putInt(dataset.blockSize()).putInt(dataset.algorithm().id());
      out.putBytes(dataset.name().getBytes(StandardCharsets.UTF_8));
      long[] digest = hash(out, again);
      return new Key(digest[0], digest[1]);
    }
  }

  /** The key of a dataset whose blocks are put in or taken out. */
  public Key key(DatasetSpec dataset) {
    return Key.of(dataset, again);
  }

  private static long[] hash(RecordWriter record, boolean again) {
    long[] digest = new long[2];
    if (again) {
      SecondOpinion.xxh3(record.bytes(), 0, record.position(), digest);
    } else {
      Xxh3.digest(record.bytes(), 0, record.position(), digest, 0);
    }
    return digest;
  }

  private long[] term(DatasetSpec dataset) {
    RecordWriter out = RecordWriter.onHeap();
    out.putInt(dataset.type().id()).putInt(dataset.algorithm().id());
    out.putInt(dataset.blockSize()).putInt(dataset.shape().size());
    out.putLong(dataset.byteLength());
    dataset.shape().forEach(out::putLong);
    return hash(out.putText(dataset.name()), again);
  }

  /** Puts in a dataset, not its blocks. */
  public void add(DatasetSpec dataset) {
    long[] term = term(dataset);
    plus(term[0], term[1]);
  }

  /** Takes out a dataset, not its blocks. */
  public void remove(DatasetSpec dataset) {
    long[] term = term(dataset);
    minus(term[0], term[1]);
  }

  /** Puts in a block that is not of zeros. */
  public void add(Key key, int block, long digestLow, long digestHigh) {
    long a = first(key, block, digestLow);
    long b = second(key, block, digestHigh, a);
    plus(a + mix(b), b);
  }

  /** Takes out a block that is not of zeros. */
  public void remove(Key key, int block, long digestLow, long digestHigh) {
    long a = first(key, block, digestLow);
    long b = second(key, block, digestHigh, a);
    minus(a + mix(b), b);
  }

  /** Puts in blocks of zeros. */
  public void addZeros(Key key, int firstBlock, int count) {
    long factor = sumOfNumbers(firstBlock, count);
    plus(key.zeroLow * factor, zerosHigh(key, factor));
  }

  /** Takes out blocks of zeros. */
  public void removeZeros(Key key, int firstBlock, int count) {
    long factor = sumOfNumbers(firstBlock, count);
    minus(key.zeroLow * factor, zerosHigh(key, factor));
  }

  private static long first(Key key, int block, long digestLow) {
    return mix(digestLow ^ mix(key.low + (block + 1L) * GOLDEN));
  }

  private static long second(Key key, int block, long digestHigh, long a) {
    return mix((digestHigh ^ mix(key.high + (block + 1L) * GOLDEN)) + a);
  }

  /** Of (i + 1) for all blocks i of a run; below 2^63, as there are fewer than 2^31 blocks. */
  private static long sumOfNumbers(long firstBlock, long count) {
    return count * firstBlock + count * (count + 1) / 2;
  }

  private static long zerosHigh(Key key, long factor) {
    return key.zeroHigh * factor + Math.unsignedMultiplyHigh(key.zeroLow, factor);
  }

  private void plus(long termLow, long termHigh) {
    low += termLow;
    high += termHigh + (Long.compareUnsigned(low, termLow) < 0 ? 1 : 0);
  }

  private void minus(long termLow, long termHigh) {
    high -= termHigh + (Long.compareUnsigned(low, termLow) < 0 ? 1 : 0);
    low -= termLow;
  }

  /** The finalizer of SplitMix64: one-to-one, and every bit of the input moves about half. */
  public static long mix(long value) {
    long x = value;
    x = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
    x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
    return x ^ (x >>> 31);
  }

  @Override
  public String toString() {
    return "%016x%016x".formatted(high, low);
  }
}
