// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.cairn.HashAlgorithm;
import org.cairn.frame.Chooser;
import org.cairn.frame.EncodingLine;
import org.cairn.frame.FrameOrder;
import org.cairn.frame.FramePlan;
import org.cairn.frame.TypedBytes;
import org.cairn.hash.BlockHasher;
import org.cairn.hash.Hashers;
import org.cairn.supply.Workspace;
import org.cairn.tier.shared.Reference;
import org.cairn.tier.shared.SegmentWriter;
import org.jspecify.annotations.Nullable;

/**
 * Reads files in the order of frames, and writes frames of what is not stored yet.
 *
 * <p>What would be a frame is read and hashed together. Blocks of zeros are left out; so are those
 * that the version before has, and those that were in this pack before, once their bytes have been
 * compared. What is left fills a frame; if that is less than half of one, more comes into it.
 *
 * <p>What the version before has may lie in frames of many segments, each of which has a little of
 * all files. So as much is read as there is room for before it is compared, old frame by old frame.
 */
final class FrameWriter implements AutoCloseable {
  /** To tell where a shorter block lies would cost about as much as to compress it again. */
  private static final int SHORTEST_SHARED = 512;

  private static final int MOST_PIECES = 1 << 15;

  /** How many bytes are read before they are compared with the version before. */
  private static final long WINDOW = 32 << 20;

  private final List<SourceFile> files;
  private final List<MemberWriter> members;
  private final SegmentWriter writer;
  private final PackSettings settings;
  private final Chooser chooser;
  private final Optional<BaseVersion> base;
  private final LongConsumer progress;
  private final BlockHasher hasher = Hashers.of(HashAlgorithm.XXH3_128);
  private final Workspace space = new Workspace();
  private final List<MemorySegment> staged = new ArrayList<>();
  private final MemorySegment compared;
  private final long largest;
  private final EncodingLine line;
  private final KnownBlocks known = new KnownBlocks();
  private final Set<String> declared = new HashSet<>();

  /** The frame that is being filled. */
  private final List<TypedBytes> pieces = new ArrayList<>();

  private final List<Owner> owners = new ArrayList<>();
  private @Nullable Block last;
  private long filled;
  private boolean leftOut;

  /** How many plain bytes came into frames. */
  private long address;

  private long sharedBytes;
  private int frames;
  private long read;

  /** Whose bytes are in a frame. */
  private record Owner(int member, long length) {}

  /** A block of what was read together. */
  private record Block(int piece, FrameOrder.Part part, int number, MemorySegment bytes) {}

  /**
   * What would be a frame.
   *
   * @param zeros whether there are blocks of zeros beside these
   * @param shared which of them the version before has
   * @param alone whether it has a large variable of one file, and nothing of others
   */
  private record Taken(
      List<TypedBytes> plain, List<Block> blocks, boolean zeros, BitSet shared, boolean alone) {
    /** Whether so many bytes of it are enough for a frame that has nothing of other files. */
    boolean isMostly(long bytes) {
      return alone && 2 * bytes >= plain.stream().mapToLong(one -> one.bytes().byteSize()).sum();
    }
  }

  FrameWriter(
      List<SourceFile> files,
      List<MemberWriter> members,
      SegmentWriter writer,
      PackSettings settings,
      Chooser chooser,
      Optional<BaseVersion> base,
      LongConsumer progress) {
    this.files = files;
    this.members = members;
    this.writer = writer;
    this.settings = settings;
    this.chooser = chooser;
    this.base = base;
    this.progress = progress;
    this.largest = FrameReading.largest(settings);
    this.line = new EncodingLine(settings.threads(), settings.budget(), largest);
    this.compared = space.atLeast(MemorySegment.NULL, Stream.BLOCK);
  }

  /** Reads all files, and writes all frames. */
  void write() throws IOException {
    Iterator<List<FrameOrder.Part>> order = FrameReading.order(files, settings);
    while (order.hasNext()) {
      List<Taken> window = takeSome(order);
      findInBase(window);
      for (Taken taken : window) {
        long before = address;
        store(taken);
        boolean enough = 2 * filled >= largest || taken.isMostly(address - before);
        if (filled > 0 && (!leftOut || enough)) {
          endFrame();
        }
      }
    }
    if (filled > 0) {
      endFrame();
    }
    line.finish();
  }

  /** How many frames were written. */
  int frames() {
    return frames;
  }

  /** How many bytes of files were not stored again, because they are stored already. */
  long sharedBytes() {
    return sharedBytes;
  }

  /** Without a version before there is nothing to compare with, and one is enough. */
  private List<Taken> takeSome(Iterator<List<FrameOrder.Part>> order) throws IOException {
    List<Taken> window = new ArrayList<>();
    long most = base.isEmpty() ? 1 : Math.max(1, WINDOW / largest);
    while (order.hasNext() && window.size() < most) {
      if (staged.size() == window.size()) {
        staged.add(space.atLeast(MemorySegment.NULL, largest));
      }
      window.add(take(order.next(), staged.get(window.size())));
    }
    return window;
  }

  private Taken take(List<FrameOrder.Part> parts, MemorySegment memory) throws IOException {
    List<TypedBytes> plain = FrameReading.fill(files, parts, memory);
    List<Block> blocks = new ArrayList<>();
    boolean zeros = false;
    for (int i = 0; i < parts.size(); i++) {
      FrameOrder.Part part = parts.get(i);
      MemberWriter member = members.get(part.member());
      member.hash(part, plain.get(i).bytes(), hasher);
      zeros |= cut(i, part, plain.get(i).bytes(), blocks);
      read += part.length();
    }
    progress.accept(read);
    return new Taken(plain, blocks, zeros, new BitSet(), isAlone(parts));
  }

  private boolean isAlone(List<FrameOrder.Part> parts) {
    int member = parts.getFirst().member();
    List<Stream> streams = files.get(member).streams();
    return parts.stream().allMatch(part -> part.member() == member)
        && parts.stream()
            .anyMatch(part -> streams.get(part.variable()).places().length() >= FrameOrder.LARGE);
  }

  private void store(Taken taken) throws IOException {
    leftOut |= taken.zeros;
    last = null;
    for (int i = 0; i < taken.blocks.size(); i++) {
      Block block = taken.blocks.get(i);
      if (taken.shared.get(i) || isInPack(block)) {
        leftOut = true;
        sharedBytes += block.bytes.byteSize();
      } else {
        place(block, taken.plain.get(block.piece));
      }
    }
  }

  /** The blocks of a part that are not zeros; whether there are such that are. */
  private boolean cut(int piece, FrameOrder.Part part, MemorySegment bytes, List<Block> blocks) {
    MemberWriter member = members.get(part.member());
    boolean zeros = false;
    for (long at = 0; at < part.length(); at += Stream.BLOCK) {
      int number = Math.toIntExact((part.from() + at) / Stream.BLOCK);
      if (member.isZero(part.variable(), number)) {
        zeros = true;
      } else {
        int length = member.blockLength(part.variable(), number);
        blocks.add(new Block(piece, part, number, bytes.asSlice(at, length)));
      }
    }
    return zeros;
  }

  // ---------------------------------------------------------------- what is stored already

  /** A block that is like one of the version before, if their bytes are the same. */
  private record Candidate(Taken taken, int block, int known) {}

  /** In the order of where they lie, so that each frame is decoded once. */
  private void findInBase(List<Taken> window) throws IOException {
    if (base.isEmpty()) {
      return;
    }
    BaseVersion before = base.get();
    KnownBlocks there = before.known();
    List<Candidate> candidates = new ArrayList<>();
    for (Taken taken : window) {
      for (int i = 0; i < taken.blocks.size(); i++) {
        int found = find(there, taken.blocks.get(i));
        if (found >= 0) {
          candidates.add(new Candidate(taken, i, found));
        }
      }
    }
    candidates.sort(
        Comparator.comparingInt((Candidate one) -> there.segment(one.known))
            .thenComparingLong(one -> there.address(one.known)));
    for (Candidate one : candidates) {
      Block block = one.taken.blocks.get(one.block);
      if (before.isSame(one.known, block.bytes)) {
        refer(block, before, one.known);
        one.taken.shared.set(one.block);
      }
    }
  }

  private int find(KnownBlocks among, Block block) {
    MemberWriter member = members.get(block.part.member());
    int stream = block.part.variable();
    return among.find(
        member.low(stream, block.number),
        member.high(stream, block.number),
        (int) block.bytes.byteSize());
  }

  private void refer(Block block, BaseVersion before, int number) {
    Reference reference = before.reference(number);
    if (declared.add(reference.segment())) {
      writer.reference(reference);
    }
    members
        .get(block.part.member())
        .put(
            block.part.variable(),
            block.number,
            reference.segment(),
            before.known().address(number),
            before.use(number));
  }

  /** Compares with the file that the other one came from, which nobody may have changed. */
  private boolean isInPack(Block block) throws IOException {
    long length = block.bytes.byteSize();
    int found = length < SHORTEST_SHARED ? -1 : find(known, block);
    if (found < 0) {
      return false;
    }
    MemorySegment other = compared.asSlice(0, length);
    files
        .get(known.member(found))
        .read(known.stream(found), (long) known.block(found) * Stream.BLOCK, other);
    if (other.mismatch(block.bytes) >= 0) {
      return false;
    }
    members.get(block.part.member()).put(block.part.variable(), block.number, known.address(found));
    return true;
  }

  // ---------------------------------------------------------------- what is stored now

  /** Puts a block behind those before it. */
  private void place(Block block, TypedBytes plain) throws IOException {
    long length = block.bytes.byteSize();
    if (filled + length > largest || pieces.size() == MOST_PIECES) {
      endFrame();
    }
    MemorySegment memory = line.memory();
    MemorySegment.copy(block.bytes, 0, memory, filled, length);
    Block before = last;
    boolean follows =
        before != null && before.piece == block.piece && before.number + 1 == block.number;
    long from = follows ? filled - pieces.removeLast().bytes().byteSize() : filled;
    pieces.add(
        new TypedBytes(
            plain.key(),
            plain.elements(),
            plain.shape(),
            memory.asSlice(from, filled + length - from),
            plain.coded()));
    owners.add(new Owner(block.part.member(), length));
    learn(block);
    filled += length;
    address += length;
    last = block;
  }

  private void learn(Block block) {
    MemberWriter member = members.get(block.part.member());
    int stream = block.part.variable();
    member.put(stream, block.number, address);
    if (block.bytes.byteSize() >= SHORTEST_SHARED) {
      known.add(
          member.low(stream, block.number),
          member.high(stream, block.number),
          (int) block.bytes.byteSize(),
          block.part.member(),
          stream,
          block.number,
          0,
          address);
    }
  }

  private void endFrame() throws IOException {
    FramePlan plan = chooser.plan(List.copyOf(pieces));
    List<Owner> having = List.copyOf(owners);
    long plain = filled;
    line.encode(
        plan.pieces(),
        plan.level(),
        (info, stored) -> {
          writer.append(info, Optional.of(plan.effort()), stored);
          chooser.stored(plan, info);
          share(having, info.storedLength(), plain);
        });
    frames++;
    pieces.clear();
    owners.clear();
    filled = 0;
    leftOut = false;
    last = null;
  }

  /** What is stored of a frame is everybody's, by how much of it he has. */
  private void share(List<Owner> having, long stored, long plain) {
    for (Owner owner : having) {
      members.get(owner.member).addStored((double) stored * owner.length / plain);
    }
  }

  @Override
  public void close() {
    line.close();
    space.close();
  }
}
