// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BinaryOperator;
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
 *       dozen rounds (Bruck et al., 1997). A round is one message; what is large is not copied for
 *       that, but sent from where it is, in a message for each piece;
 *   <li>a scan lets ranks whose numbers differ in one bit exchange what their ranges have come to,
 *       bit by bit: log P rounds, and at each rank the bits of a reduction over it and those
 *       before;
 *   <li>bytes of one rank for all follow the tree if they are few; else the tree hands out one part
 *       to each rank, and the parts are gathered everywhere: no rank sends them more than twice
 *       (van de Geijn);
 *   <li>a gather, a scatter and an all-to-all meet each other rank in turn.
 * </ul>
 */
final class Collectives {
  /** Reductions go up in pieces: less memory, and ranks along the tree work at the same time. */
  private static final int PIECE = 1 << 20;

  /** More bytes than this are not put together to make one message of several. */
  private static final long MOST_JOINED = 1 << 20;

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
    Request.awaitAll(sends);
  }

  void reduce(MemorySegment values, MemoryLayout type, Operation operation, int root) {
    Arguments.checkRank(ranks, root);
    Reducer reducer = Reducer.of(type, operation);
    agree(Kind.REDUCE, reducer.checkedSize(values));
    climb(values, reducer, root);
  }

  void allReduce(MemorySegment values, MemoryLayout type, Operation operation) {
    Reducer reducer = Reducer.of(type, operation);
    agree(Kind.REDUCE, reducer.checkedSize(values));
    climb(values, reducer, 0);
    spread(Kind.REDUCE, values, 0);
  }

  /** Where sizes cannot differ, nobody needs to agree on them. */
  void allReduceAlike(MemorySegment values, MemoryLayout type, Operation operation) {
    climb(values, Reducer.of(type, operation), 0);
    spread(Kind.REDUCE, values, 0);
  }

  private void climb(MemorySegment values, Reducer reducer, int root) {
    int largest = Math.toIntExact(Math.min(reducer.wholeElements(PIECE), values.byteSize()));
    MemorySegment mine = MemorySegment.ofArray(new byte[largest]);
    MemorySegment theirs = MemorySegment.ofArray(new byte[largest]);
    for (MemorySegment piece : pieces(values, reducer)) {
      climb(piece, mine.asSlice(0, piece.byteSize()), theirs, reducer, root);
    }
  }

  private static List<MemorySegment> pieces(MemorySegment values, Reducer reducer) {
    long step = reducer.wholeElements(PIECE);
    List<MemorySegment> pieces = new ArrayList<>();
    for (long from = 0; from < values.byteSize(); from += step) {
      pieces.add(values.asSlice(from, Math.min(step, values.byteSize() - from)));
    }
    return pieces;
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

  void scan(MemorySegment values, MemoryLayout type, Operation operation) {
    Reducer reducer = Reducer.of(type, operation);
    agree(Kind.SCAN, reducer.checkedSize(values));
    pieces(values, reducer).forEach(piece -> scanPiece(piece, reducer));
  }

  /** Where sizes cannot differ, nobody needs to agree on them. */
  void scanAlike(MemorySegment values, MemoryLayout type, Operation operation) {
    scanPiece(values, Reducer.of(type, operation));
  }

  /**
   * After the round of a distance, {@code range} is the result of all ranks whose numbers differ
   * from this one below it only, and {@code upToMe} that of those among them that are not after
   * this one. The last range may lack ranks; but it is never before another.
   */
  private void scanPiece(MemorySegment values, Reducer reducer) {
    MemorySegment upToMe = copyOf(values);
    reducer.prepare(upToMe);
    MemorySegment range = copyOf(upToMe);
    MemorySegment theirs = copyOf(range);
    for (int distance = 1; distance < size; distance *= 2) {
      int partner = rank ^ distance;
      if (partner >= size) {
        continue;
      }
      ranks.sendReceive(range, partner, theirs, partner, Kind.SCAN.tag());
      if (partner > rank) {
        reducer.combine(range, theirs);
      } else {
        MemorySegment before = copyOf(theirs);
        reducer.combine(before, upToMe);
        upToMe = before;
        reducer.combine(theirs, range);
        range.copyFrom(theirs);
      }
    }
    values.copyFrom(upToMe);
  }

  private static MemorySegment copyOf(MemorySegment memory) {
    return MemorySegment.ofArray(memory.toArray(ValueLayout.JAVA_BYTE));
  }

  void gather(MemorySegment mine, MemorySegment all, int root) {
    Arguments.checkRank(ranks, root);
    long bytes = mine.byteSize();
    agree(Kind.GATHER, rank == root ? fitting(bytes, all) : bytes);
    gather(mine, Parts.equal(all, size), root);
  }

  /** The parts of all ranks come to the root. */
  void gather(MemorySegment mine, Parts all, int root) {
    if (rank != root) {
      ranks.send(mine, root, Kind.GATHER.tag());
      return;
    }
    all.of(root).copyFrom(mine);
    List<Request> receives = new ArrayList<>();
    for (int from = 0; from < size; from++) {
      if (from != root) {
        receives.add(ranks.startReceive(all.of(from), from, Kind.GATHER.tag()));
      }
    }
    Request.awaitAll(receives);
  }

  List<byte[]> gather(byte[] mine, int root) {
    Arguments.checkRank(ranks, root);
    if (rank != root) {
      Request.awaitAll(startSendBlock(Kind.GATHER, mine, root));
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
    allGather(mine, Parts.equal(all, size));
  }

  List<byte[]> allGather(byte[] mine) {
    List<byte[]> blocks = new ArrayList<>(size);
    for (long length : lengths(mine.length)) {
      blocks.add(new byte[Math.toIntExact(length)]);
    }
    allGather(
        MemorySegment.ofArray(mine),
        Parts.apart(blocks.stream().map(MemorySegment::ofArray).toList()));
    return blocks;
  }

  /** A number of each rank, by rank. */
  long[] lengths(long mine) {
    long[] lengths = new long[size];
    MemorySegment all = MemorySegment.ofArray(lengths);
    allGather(MemorySegment.ofArray(new long[] {mine}), Parts.equal(all, size));
    return lengths;
  }

  void allGather(MemorySegment mine, Parts all) {
    all.of(rank).copyFrom(mine);
    disseminate(Kind.ALL_GATHER, all, rank);
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
      List<MemorySegment> held = parts.range(own, count);
      List<MemorySegment> missing = parts.range((own + known) % size, count);
      List<Request> sends = startSendPieces(kind, held, before(known));
      receivePieces(kind, missing, after(known));
      Request.awaitAll(sends);
    }
  }

  // Both sides know the pieces of a range, and so how many messages they are.

  private List<Request> startSendPieces(Kind kind, List<MemorySegment> pieces, int to) {
    if (pieces.size() > 1 && bytes(pieces) <= MOST_JOINED) {
      MemorySegment joined = MemorySegment.ofArray(new byte[(int) bytes(pieces)]);
      long at = 0;
      for (MemorySegment piece : pieces) {
        joined.asSlice(at, piece.byteSize()).copyFrom(piece);
        at += piece.byteSize();
      }
      return List.of(ranks.startSend(joined, to, kind.tag()));
    }
    return pieces.stream().map(piece -> ranks.startSend(piece, to, kind.tag())).toList();
  }

  private void receivePieces(Kind kind, List<MemorySegment> pieces, int from) {
    if (pieces.size() > 1 && bytes(pieces) <= MOST_JOINED) {
      MemorySegment joined = MemorySegment.ofArray(new byte[(int) bytes(pieces)]);
      receiveAll(kind, joined, from);
      long at = 0;
      for (MemorySegment piece : pieces) {
        piece.copyFrom(joined.asSlice(at, piece.byteSize()));
        at += piece.byteSize();
      }
    } else {
      pieces.forEach(piece -> receiveAll(kind, piece, from));
    }
  }

  private static long bytes(List<MemorySegment> pieces) {
    return pieces.stream().mapToLong(MemorySegment::byteSize).sum();
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
      Parts parts = Parts.even(memory, size);
      handOut(parts, position);
      disseminate(Kind.BROADCAST, parts, position);
    }
    return heard;
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
    Request.awaitAll(sends);
  }

  private MemorySegment below(Parts parts, int position, int count) {
    return parts.range(position, Math.min(count, size - position)).getFirst();
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
      Request.awaitAll(startSendBlock(Kind.REDUCE, merged, rank - distance));
    }
    return announce(merged, 0);
  }

  void scatter(MemorySegment all, MemorySegment mine, int root) {
    Arguments.checkRank(ranks, root);
    long bytes = mine.byteSize();
    agree(Kind.SCATTER, rank == root ? fitting(bytes, all) : bytes);
    scatter(Parts.equal(all, size), mine, root);
  }

  /** Every rank gets its part from the root. */
  void scatter(Parts all, MemorySegment mine, int root) {
    if (rank != root) {
      receiveAll(Kind.SCATTER, mine, root);
      return;
    }
    List<Request> sends = new ArrayList<>();
    for (int to = 0; to < size; to++) {
      if (to != root) {
        sends.add(ranks.startSend(all.of(to), to, Kind.SCATTER.tag()));
      }
    }
    mine.copyFrom(all.of(root));
    Request.awaitAll(sends);
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
    Request.awaitAll(sends);
    return all.get(root).clone();
  }

  void allToAll(MemorySegment outgoing, MemorySegment incoming) {
    agree(Kind.ALL_TO_ALL, fitting(outgoing.byteSize() / size, outgoing, incoming));
    allToAll(Parts.equal(outgoing, size), Parts.equal(incoming, size));
  }

  /** Every rank gets a part from every other. */
  void allToAll(Parts outgoing, Parts incoming) {
    incoming.of(rank).copyFrom(outgoing.of(rank));
    for (int step = 1; step < size; step++) {
      MemorySegment data = outgoing.of(after(step));
      Request sent = ranks.startSend(data, after(step), Kind.ALL_TO_ALL.tag());
      receiveAll(Kind.ALL_TO_ALL, incoming.of(before(step)), before(step));
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
      Request.awaitAll(sent);
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
