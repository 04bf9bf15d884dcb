// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.IntFunction;
import org.cairn.comm.SizeAgreement.Kind;
import org.cairn.supply.Supply;

/**
 * Collectives made of messages, the same for all transports.
 *
 * <p>Each kind has a tag of its own, and every receive names its source. As all ranks call
 * collectives in the same order, and messages with one tag between two ranks keep their order, no
 * collective can take a message of another.
 *
 * <p>Ranks first agree that their sizes fit together, see {@link SizeAgreement}, so that a mistake
 * of one rank is an error of all, and nobody waits for bytes that do not come. Then
 *
 * <ul>
 *   <li>a barrier disseminates: in round k, a rank tells the one 2<sup>k</sup> further;
 *   <li>a broadcast follows a binomial tree;
 *   <li>a reduction climbs the binomial tree of rank 0, in which a rank only ever combines its own
 *       range of ranks with the range right after it: the order of ranks, whoever is the root;
 *   <li>an all-gather disseminates too: in round k a rank has what 2<sup>k</sup> ranks gave, and
 *       gets as much again from the one 2<sup>k</sup> further, so that thousands of ranks need a
 *       dozen rounds (Bruck et al., 1997). What is large goes around a ring, which needs no memory
 *       beside the result;
 *   <li>bytes of one rank for all follow the tree if they are few; else the tree hands out one part
 *       to each rank, and the parts are gathered everywhere: no rank sends them more than twice
 *       (van de Geijn);
 *   <li>a gather, a scatter and an all-to-all meet each other rank in turn.
 * </ul>
 */
final class Collectives {
  /** Reductions go up in pieces: less memory, and ranks along the tree work at the same time. */
  private static final int PIECE = 1 << 20;

  /** All-gathers of more bytes than this go around a ring. */
  private static final long MOST_DISSEMINATED = 16L << 20;

  /** More bytes of one rank than this are handed out in parts. */
  private static final int MOST_WHOLE = 1024;

  private final Communicator ranks;
  private final int rank;
  private final int size;

  Collectives(Communicator ranks) {
    this.ranks = ranks;
    this.rank = ranks.rank();
    this.size = ranks.size();
  }

  void barrier() {
    MemorySegment nothing = MemorySegment.ofArray(new byte[0]);
    for (int distance = 1; distance < size; distance *= 2) {
      Request sent = ranks.startSend(nothing, after(distance), Kind.BARRIER.tag());
      ranks.receive(nothing, before(distance), Kind.BARRIER.tag());
      sent.await();
    }
  }

  void broadcast(MemorySegment data, int root) {
    Arguments.checkRank(ranks, root);
    agree(Kind.BROADCAST, data.byteSize());
    spread(Kind.BROADCAST, data, root);
  }

  private void spread(Kind kind, MemorySegment data, int root) {
    int position = Math.floorMod(rank - root, size);
    int distance = Integer.highestOneBit(Math.max(1, size - 1));
    if (position > 0) {
      distance = Integer.lowestOneBit(position);
      receiveAll(kind, data, Math.floorMod(rank - distance, size));
      distance /= 2;
    }
    List<Request> sends = new ArrayList<>();
    for (; distance > 0; distance /= 2) {
      if (position + distance < size) {
        sends.add(ranks.startSend(data, after(distance), kind.tag()));
      }
    }
    sends.forEach(Request::await);
  }

  void reduce(MemorySegment values, ValueLayout type, Reduction reduction, int root) {
    Arguments.checkRank(ranks, root);
    Reducer reducer = Reducer.of(type, reduction);
    agree(Kind.REDUCE, reducer.checkedSize(values));
    climb(values, reducer, root);
  }

  void allReduce(MemorySegment values, ValueLayout type, Reduction reduction) {
    Reducer reducer = Reducer.of(type, reduction);
    agree(Kind.REDUCE, reducer.checkedSize(values));
    climb(values, reducer, 0);
    spread(Kind.REDUCE, values, 0);
  }

  /** Where sizes cannot differ, nobody needs to agree on them. */
  void allReduceAlike(MemorySegment values, ValueLayout type, Reduction reduction) {
    climb(values, Reducer.of(type, reduction), 0);
    spread(Kind.REDUCE, values, 0);
  }

  private void climb(MemorySegment values, Reducer reducer, int root) {
    int largest = (int) Math.min(PIECE, values.byteSize());
    MemorySegment mine = MemorySegment.ofArray(new byte[largest]);
    MemorySegment theirs = MemorySegment.ofArray(new byte[largest]);
    for (long from = 0; from < values.byteSize(); from += PIECE) {
      long length = Math.min(PIECE, values.byteSize() - from);
      climb(values.asSlice(from, length), mine.asSlice(0, length), theirs, reducer, root);
    }
  }

  private void climb(
      MemorySegment values, MemorySegment mine, MemorySegment theirs, Reducer reducer, int root) {
    mine.copyFrom(values);
    reducer.prepare(mine);
    MemorySegment next = theirs.asSlice(0, mine.byteSize());
    int distance = 1;
    for (; distance < size && (rank & distance) == 0; distance *= 2) {
      if (rank + distance < size) {
        receiveAll(Kind.REDUCE, next, rank + distance);
        reducer.combine(mine, next);
      }
    }
    if (rank != 0) {
      ranks.send(mine, rank - distance, Kind.REDUCE.tag());
    }
    if (rank == 0 && root != 0) {
      ranks.send(mine, root, Kind.REDUCE.tag());
    } else if (rank == root) {
      if (root != 0) {
        receiveAll(Kind.REDUCE, mine, 0);
      }
      values.copyFrom(mine);
    }
  }

  void gather(MemorySegment mine, MemorySegment all, int root) {
    Arguments.checkRank(ranks, root);
    long bytes = mine.byteSize();
    agree(Kind.GATHER, rank == root ? fitting(bytes, all) : bytes);
    if (rank != root) {
      ranks.send(mine, root, Kind.GATHER.tag());
      return;
    }
    part(all, root).copyFrom(mine);
    List<Request> receives = new ArrayList<>();
    for (int from = 0; from < size; from++) {
      if (from != root) {
        receives.add(ranks.startReceive(part(all, from), from, Kind.GATHER.tag()));
      }
    }
    receives.forEach(Request::await);
  }

  List<byte[]> gather(byte[] mine, int root) {
    Arguments.checkRank(ranks, root);
    if (rank != root) {
      startSendBlock(Kind.GATHER, mine, root).forEach(Request::await);
      return List.of();
    }
    List<byte[]> all = new ArrayList<>();
    for (int from = 0; from < size; from++) {
      all.add(from == root ? mine.clone() : receiveBlock(Kind.GATHER, from));
    }
    return all;
  }

  void allGather(MemorySegment mine, MemorySegment all) {
    agree(Kind.ALL_GATHER, fitting(mine.byteSize(), all));
    part(all, rank).copyFrom(mine);
    gatherParts(new Parts(all, equalOffsets(mine.byteSize())));
  }

  List<byte[]> allGather(byte[] mine) {
    int[] lengths = new int[size];
    lengths[rank] = mine.length;
    disseminate(Kind.ALL_GATHER, new Parts(MemorySegment.ofArray(lengths), equalOffsets(4)), rank);
    long[] offsets = new long[size + 1];
    for (int i = 0; i < size; i++) {
      offsets[i + 1] = offsets[i] + lengths[i];
    }
    List<byte[]> blocks = new ArrayList<>(size);
    if (offsets[size] > MOST_DISSEMINATED) {
      for (int i = 0; i < size; i++) {
        blocks.add(i == rank ? mine.clone() : new byte[lengths[i]]);
      }
      circulate(i -> MemorySegment.ofArray(blocks.get(i)));
      return blocks;
    }
    Parts parts = new Parts(MemorySegment.ofArray(new byte[(int) offsets[size]]), offsets);
    parts.of(rank, 1).copyFrom(MemorySegment.ofArray(mine));
    disseminate(Kind.ALL_GATHER, parts, rank);
    for (int i = 0; i < size; i++) {
      blocks.add(parts.of(i, 1).toArray(ValueLayout.JAVA_BYTE));
    }
    return blocks;
  }

  private void gatherParts(Parts parts) {
    if (parts.memory.byteSize() > MOST_DISSEMINATED) {
      circulate(i -> parts.of(i, 1));
    } else {
      disseminate(Kind.ALL_GATHER, parts, rank);
    }
  }

  /** Everything passes by everybody: one message for each other rank. */
  private void circulate(IntFunction<MemorySegment> parts) {
    for (int step = 0; step < size - 1; step++) {
      MemorySegment known = parts.apply(before(step));
      Request sent = ranks.startSend(known, after(1), Kind.ALL_GATHER.tag());
      receiveAll(Kind.ALL_GATHER, parts.apply(before(step + 1)), before(1));
      sent.await();
    }
  }

  /**
   * Completes parts of which every rank has its own: in each round a rank has twice as many,
   * counted cyclically from its own.
   *
   * @param own which part is that of this rank; the others follow in the order of ranks
   */
  private void disseminate(Kind kind, Parts parts, int own) {
    for (int known = 1; known < size; known *= 2) {
      int count = Math.min(known, size - known);
      MemorySegment held = parts.copy(own, count);
      Request sent = ranks.startSend(held, before(known), kind.tag());
      int next = (own + known) % size;
      if (next + count <= size) {
        receiveAll(kind, parts.of(next, count), after(known));
      } else {
        MemorySegment wrapped = MemorySegment.ofArray(new byte[(int) parts.bytes(next, count)]);
        receiveAll(kind, wrapped, after(known));
        parts.set(next, count, wrapped);
      }
      sent.await();
    }
  }

  /** Memory with a part for each rank; ranges of parts may go over the end. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Parts(MemorySegment memory, long[] offsets) {
    private int size() {
      return offsets.length - 1;
    }

    /** Parts side by side. */
    MemorySegment of(int first, int count) {
      return memory.asSlice(offsets[first], offsets[first + count] - offsets[first]);
    }

    private int beforeEnd(int first, int count) {
      return Math.min(count, size() - first);
    }

    long bytes(int first, int count) {
      int straight = beforeEnd(first, count);
      return of(first, straight).byteSize() + of(0, count - straight).byteSize();
    }

    /** The parts as one piece of memory, copied if they go over the end. */
    MemorySegment copy(int first, int count) {
      int straight = beforeEnd(first, count);
      if (straight == count) {
        return of(first, count);
      }
      MemorySegment copy = MemorySegment.ofArray(new byte[(int) bytes(first, count)]);
      MemorySegment head = of(first, straight);
      copy.asSlice(0, head.byteSize()).copyFrom(head);
      copy.asSlice(head.byteSize()).copyFrom(of(0, count - straight));
      return copy;
    }

    void set(int first, int count, MemorySegment bytes) {
      int straight = beforeEnd(first, count);
      MemorySegment head = of(first, straight);
      head.copyFrom(bytes.asSlice(0, head.byteSize()));
      of(0, count - straight).copyFrom(bytes.asSlice(head.byteSize()));
    }
  }

  private long[] equalOffsets(long bytes) {
    long[] offsets = new long[size + 1];
    for (int i = 0; i < size; i++) {
      offsets[i + 1] = offsets[i] + bytes;
    }
    return offsets;
  }

  byte[] announce(byte[] words, int root) {
    Arguments.checkRank(ranks, root);
    long[] length = {words.length};
    spread(Kind.BROADCAST, MemorySegment.ofArray(length), root);
    byte[] heard = rank == root ? words.clone() : new byte[Math.toIntExact(length[0])];
    MemorySegment memory = MemorySegment.ofArray(heard);
    if (heard.length <= MOST_WHOLE) {
      spread(Kind.BROADCAST, memory, root);
    } else {
      int position = Math.floorMod(rank - root, size);
      Parts parts = new Parts(memory, evenOffsets(heard.length));
      handOut(parts, position);
      disseminate(Kind.BROADCAST, parts, position);
    }
    return heard;
  }

  private long[] evenOffsets(long bytes) {
    long[] offsets = new long[size + 1];
    for (int i = 1; i <= size; i++) {
      offsets[i] = bytes * i / size;
    }
    return offsets;
  }

  /** Along the binomial tree, each rank gets the parts of those below it, and its own. */
  private void handOut(Parts parts, int position) {
    int distance = Integer.highestOneBit(Math.max(1, size - 1));
    if (position > 0) {
      distance = Integer.lowestOneBit(position);
      receiveAll(Kind.BROADCAST, below(parts, position, distance), before(distance));
      distance /= 2;
    }
    List<Request> sends = new ArrayList<>();
    for (; distance > 0; distance /= 2) {
      if (position + distance < size) {
        MemorySegment theirs = below(parts, position + distance, distance);
        sends.add(ranks.startSend(theirs, after(distance), Kind.BROADCAST.tag()));
      }
    }
    sends.forEach(Request::await);
  }

  private MemorySegment below(Parts parts, int position, int count) {
    return parts.of(position, Math.min(count, size - position));
  }

  byte[] allMerge(byte[] mine, BinaryOperator<byte[]> merge) {
    byte[] merged = mine;
    int distance = 1;
    for (; distance < size && (rank & distance) == 0; distance *= 2) {
      if (rank + distance < size) {
        merged = merge.apply(merged, receiveBlock(Kind.REDUCE, rank + distance));
      }
    }
    if (rank != 0) {
      startSendBlock(Kind.REDUCE, merged, rank - distance).forEach(Request::await);
    }
    return announce(merged, 0);
  }

  void scatter(MemorySegment all, MemorySegment mine, int root) {
    Arguments.checkRank(ranks, root);
    long bytes = mine.byteSize();
    agree(Kind.SCATTER, rank == root ? fitting(bytes, all) : bytes);
    if (rank != root) {
      receiveAll(Kind.SCATTER, mine, root);
      return;
    }
    List<Request> sends = new ArrayList<>();
    for (int to = 0; to < size; to++) {
      if (to != root) {
        sends.add(ranks.startSend(part(all, to), to, Kind.SCATTER.tag()));
      }
    }
    mine.copyFrom(part(all, root));
    sends.forEach(Request::await);
  }

  byte[] scatter(List<byte[]> all, int root) {
    Arguments.checkRank(ranks, root);
    SizeAgreement.onCount(ranks, Kind.SCATTER, rank == root ? all.size() : size);
    if (rank != root) {
      return receiveBlock(Kind.SCATTER, root);
    }
    List<Request> sends = new ArrayList<>();
    for (int to = 0; to < size; to++) {
      if (to != root) {
        sends.addAll(startSendBlock(Kind.SCATTER, all.get(to), to));
      }
    }
    sends.forEach(Request::await);
    return all.get(root).clone();
  }

  void allToAll(MemorySegment outgoing, MemorySegment incoming) {
    agree(Kind.ALL_TO_ALL, fitting(outgoing.byteSize() / size, outgoing, incoming));
    part(incoming, rank).copyFrom(part(outgoing, rank));
    for (int step = 1; step < size; step++) {
      MemorySegment data = part(outgoing, after(step));
      Request sent = ranks.startSend(data, after(step), Kind.ALL_TO_ALL.tag());
      receiveAll(Kind.ALL_TO_ALL, part(incoming, before(step)), before(step));
      sent.await();
    }
  }

  List<byte[]> allToAll(List<byte[]> outgoing) {
    SizeAgreement.onCount(ranks, Kind.ALL_TO_ALL, outgoing.size());
    byte[][] incoming = new byte[size][];
    incoming[rank] = outgoing.get(rank).clone();
    for (int step = 1; step < size; step++) {
      List<Request> sent = startSendBlock(Kind.ALL_TO_ALL, outgoing.get(after(step)), after(step));
      incoming[before(step)] = receiveBlock(Kind.ALL_TO_ALL, before(step));
      sent.forEach(Request::await);
    }
    return new ArrayList<>(Arrays.asList(incoming));
  }

  // Parts.

  private int after(int distance) {
    return Math.floorMod(rank + distance, size);
  }

  private int before(int distance) {
    return Math.floorMod(rank - distance, size);
  }

  private MemorySegment part(MemorySegment all, int of) {
    long bytes = all.byteSize() / size;
    return all.asSlice(of * bytes, bytes);
  }

  private void agree(Kind kind, long bytes) {
    SizeAgreement.onBytes(ranks, kind, bytes);
  }

  /** The size to agree on: {@code bytes}, unless the memory has no room for it once per rank. */
  private long fitting(long bytes, MemorySegment... memory) {
    for (MemorySegment all : memory) {
      if (all.byteSize() != size * bytes) {
        return SizeAgreement.misfit(all.byteSize());
      }
    }
    return bytes;
  }

  private void receiveAll(Kind kind, MemorySegment target, int from) {
    Message message = ranks.receive(target, from, kind.tag());
    if (message.bytes() != target.byteSize()) {
      throw new CommunicationException(
          "%s: rank %d sent %d bytes to rank %d, which expected %d"
              .formatted(kind, from, message.bytes(), rank, target.byteSize()));
    }
  }

  /** Sends the length ahead: who receives cannot know it. */
  private List<Request> startSendBlock(Kind kind, byte[] block, int to) {
    Request length = ranks.startSend(new long[] {block.length}, to, kind.tag());
    return List.of(length, ranks.startSend(block, to, kind.tag()));
  }

  private byte[] receiveBlock(Kind kind, int from) {
    long[] length = new long[1];
    receiveAll(kind, MemorySegment.ofArray(length), from);
    byte[] block = Supply.bytes(Math.toIntExact(length[0]));
    receiveAll(kind, MemorySegment.ofArray(block), from);
    return block;
  }
}
