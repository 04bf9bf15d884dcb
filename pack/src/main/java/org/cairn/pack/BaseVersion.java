// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.cairn.CorruptContainerException;
import org.cairn.record.Digest;
import org.cairn.tier.shared.Manifest;
import org.cairn.tier.shared.Reference;
import org.cairn.tier.shared.SegmentBlocks;
import org.cairn.version.DatasetEntry;

/**
 * The version before, of which a new one need not store what it has, too.
 *
 * <p>Blocks in segments that are to be emptied do not count, nor do those in frames of which less
 * than half is needed: they are stored again, so that old segments become free, and a reader never
 * decodes much more than it wants. For one thread.
 */
final class BaseVersion implements AutoCloseable {
  private final Pack pack;
  private final Map<String, Reference> references = new HashMap<>();
  private final List<String> segments = new ArrayList<>();
  private final KnownBlocks known = new KnownBlocks();

  /** Of each known block how many bytes are stored for it. */
  private double[] stored = new double[0];

  /** Those that the new version needs, each counted once. */
  private final BitSet used = new BitSet();

  private final SegmentBlocks blocks;

  /** Whether a block was not what its digest says, here or in the files. */
  private boolean differs;

  /** What was found to have decayed first. */
  private Optional<String> damage = Optional.empty();

  private BaseVersion(Pack pack, Manifest manifest, SegmentBlocks blocks) {
    this.pack = pack;
    this.blocks = blocks;
    manifest.references().forEach(one -> references.put(one.segment(), one));
  }

  /**
   * Reads where everything is.
   *
   * @param pack the version, which is closed with this
   * @param emptied segments whose blocks do not count
   */
  static BaseVersion of(Pack pack, Manifest manifest, Set<String> emptied) throws IOException {
    BaseVersion base = new BaseVersion(pack, manifest, new SegmentBlocks());
    NeededFrames frames = NeededFrames.of(pack);
    List<Double> shares = new ArrayList<>();
    for (int member = 0; member < pack.members().size(); member++) {
      base.learn(member, frames, emptied, shares);
    }
    base.stored = shares.stream().mapToDouble(share -> share).toArray();
    return base;
  }

  private void learn(int member, NeededFrames frames, Set<String> emptied, List<Double> shares)
      throws IOException {
    Pack.Member one = pack.members().get(member);
    Map<DatasetEntry, Integer> numbers = one.streamNumbers();
    one.source()
        .forEachStored(
            (dataset, block, segment, entry) -> {
              NeededFrames.Needed frame = frames.of(segment, entry);
              if (emptied.contains(segment) || !frame.isHalfLive()) {
                return;
              }
              int before = known.size();
              known.add(
                  entry.digestLow(),
                  entry.digestHigh(),
                  entry.blockLength(),
                  member,
                  Objects.requireNonNull(numbers.get(dataset)),
                  block,
                  number(segment),
                  entry.offset());
              if (known.size() > before) {
                shares.add(frame.share(entry.blockLength()));
              }
            });
  }

  private int number(String segment) {
    int at = segments.lastIndexOf(segment);
    if (at < 0) {
      segments.add(segment);
      at = segments.size() - 1;
    }
    return at;
  }

  KnownBlocks known() {
    return known;
  }

  /** What a manifest says of the segment that a known block lies in. */
  Reference reference(int number) {
    String segment = segments.get(known.segment(number));
    return Objects.requireNonNull(references.get(segment), segment);
  }

  /** How many bytes are stored for a known block; 0 if it was asked for before. */
  double use(int number) {
    boolean first = !used.get(number);
    used.set(number);
    return first ? stored[number] : 0;
  }

  /** Whether a known block has just these bytes. One that has decayed is like none. */
  boolean isSame(int number, MemorySegment bytes) throws IOException {
    Pack.Member member = pack.members().get(known.member(number));
    DatasetEntry stream = member.streams().get(known.stream(number));
    try {
      MemorySegment there = blocks.read(member.source(), stream, known.block(number));
      boolean same = there.mismatch(bytes) < 0;
      differs |= !same;
      return same;
    } catch (CorruptContainerException e) {
      differs = true;
      if (damage.isEmpty()) {
        damage = Optional.of(String.valueOf(e.getMessage()));
      }
      return false;
    }
  }

  /** What has decayed of it, as far as it was read; empty if nothing has. */
  Optional<String> damage() {
    return damage;
  }

  /**
   * Whether it has just these files, and no block that was compared was another one.
   *
   * @param roots their root digests
   */
  boolean has(List<SourceFile> files, List<Digest> roots) {
    Map<PackName, Pack.Member> members = new HashMap<>();
    pack.members().forEach(member -> members.put(member.file().name(), member));
    if (differs || members.size() != files.size() || !pack.lost().isEmpty()) {
      return false;
    }
    for (int i = 0; i < files.size(); i++) {
      Pack.Member member = members.get(files.get(i).name());
      if (member == null
          || !member.file().tiles().equals(files.get(i).toPacked().tiles())
          || !member.root().equals(roots.get(i))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    blocks.close();
    pack.close();
  }
}
