// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;

/**
 * The one door to other ranks: messages between the {@link #size} ranks of a parallel program.
 *
 * <p>What a communicator promises, every implementation proves by inheriting {@code
 * BaseCommunicatorTest}:
 *
 * <ul>
 *   <li><b>Order.</b> Messages from one rank to another with the same tag are received in the order
 *       in which they were sent, also through wildcards.
 *   <li><b>Fairness.</b> Receiving from {@link #ANY_SOURCE} again and again does not starve a rank.
 *   <li><b>Sizes.</b> A message may be empty or larger than 2 GiB. One that is larger than the
 *       memory that receives it is an error for the receiver, and is gone: its sender does not
 *       wait. A smaller one is fine, and {@link Message#bytes} tells.
 *   <li><b>Memory.</b> Native and heap segments are taken alike; read-only ones can be sent.
 *   <li><b>Tags.</b> A program uses tags from 0 to {@link #MAX_TAG}. Negative ones below {@link
 *       #ANY_TAG} are for the collectives of this package; {@link #ANY_TAG} does not match them.
 *   <li><b>Collectives</b> are called by all ranks, in the same order. They do not disturb messages
 *       of the program. Where sizes of different ranks do not fit together, all ranks get the same
 *       {@link CommunicationException}, which names them.
 *   <li><b>Threads.</b> If {@link #isConcurrent}, many threads may call one communicator at once;
 *       collectives on it still one at a time ({@link #duplicate} gives a thread its own). If
 *       {@link #isIndependent}, threads may at least use different ones at once.
 * </ul>
 *
 * <p>A transport implements the methods without a body; the others are made of them. Forms for
 * arrays are in {@link ArrayMessages}, {@link PartMessages}, {@link ArrayCollectives} and {@link
 * CountedArrays}. Ranks that are neighbours are found with a {@link CartesianGrid}.
 */
public interface Communicator
    extends ArrayMessages, PartMessages, ArrayCollectives, CountedArrays, AutoCloseable {
  /** Receives from whichever rank sends first. */
  int ANY_SOURCE = -1;

  /**
   * No rank: who is beyond the open boundary of a {@link CartesianGrid}. Only {@link #sendReceive}
   * takes it.
   */
  int NOBODY = -2;

  /** Receives a message of any tag from 0 on. */
  int ANY_TAG = -1;

  /** The largest tag of a program. */
  int MAX_TAG = (1 << 20) - 1;

  /** The smallest tag, reserved like all below {@link #ANY_TAG}. */
  int MIN_TAG = -(1 << 20);

  /** Which of the ranks this is, from 0. */
  int rank();

  /** How many ranks there are. */
  int size();

  /**
   * What fails together with a rank: the name of its host, unless one was configured. Known to all
   * ranks alike.
   */
  String domain(int rank);

  /**
   * How many ranks share the cores and the memory of the machine that this one runs on, itself
   * included: those of its domain, unless the transport knows better.
   */
  default int ranksOnHost() {
    String mine = domain(rank());
    int count = 0;
    for (int other = 0; other < size(); other++) {
      count += domain(other).equals(mine) ? 1 : 0;
    }
    return count;
  }

  /** Whether many threads may use this communicator at once. */
  boolean isConcurrent();

  /**
   * Whether different communicators, those that were split off this one or are its duplicates, may
   * be used by different threads at once. Each then serves one thread at a time: calls of it and of
   * its requests must not overlap, whichever threads they come from. Closing is free to all.
   *
   * <p>What serves many threads does that, too. Checkpoints go to their tiers in the background if
   * the transport has this, and while the program waits if it has not.
   */
  default boolean isIndependent() {
    return isConcurrent();
  }

  /** Whether a rank is a process of its own, and not a thread that shares one with others. */
  default boolean isProcess() {
    return true;
  }

  // Messages.

  /** Starts to send; the memory must not change until the request is complete. */
  @Override
  Request startSend(MemorySegment data, int to, int tag);

  /** Starts to receive; {@code from} and {@code tag} may be wildcards. */
  @Override
  Request startReceive(MemorySegment target, int from, int tag);

  /** Looks for a message that could be received now, without receiving it and without waiting. */
  Optional<Message> poll(int from, int tag);

  /**
   * Sends, and returns when the memory may be changed again. A large message may have to wait for
   * its receiver.
   */
  @Override
  default void send(MemorySegment data, int to, int tag) {
    startSend(data, to, tag).await();
  }

  /** Waits for a message and receives it; {@code from} and {@code tag} may be wildcards. */
  @Override
  default Message receive(MemorySegment target, int from, int tag) {
    return startReceive(target, from, tag).await();
  }

  /**
   * Sends and receives at once, and returns when both are done. Never waits for the other side to
   * receive first: all ranks may call it together, in rings and with themselves, however large the
   * messages are.
   *
   * @param data must not share memory with {@code target}
   * @param to whom to send to; {@link #NOBODY} to send nothing
   * @param from whom to receive from, perhaps {@link #ANY_SOURCE}; {@link #NOBODY} to receive
   *     nothing, and then {@code target} stays as it is
   * @param tag of both messages
   * @return what was received; of {@link #NOBODY} a message of 0 bytes
   */
  @Override
  default Message sendReceive(MemorySegment data, int to, MemorySegment target, int from, int tag) {
    return new SendReceive(this, tag).run(data, to, target, from);
  }

  /** Waits for a message that could be received, without receiving it. */
  default Message probe(int from, int tag) {
    Backoff backoff = new Backoff("a message");
    while (true) {
      Optional<Message> message = poll(from, tag);
      if (message.isPresent()) {
        return message.get();
      }
      backoff.pause();
    }
  }

  // Collectives.

  /** Returns when all ranks have called it. */
  default void barrier() {
    new Collectives(this).barrier();
  }

  /** Gives the bytes of {@code root} to all; all have memory of the same size. */
  @Override
  default void broadcast(MemorySegment data, int root) {
    new Collectives(this).broadcast(data, root);
  }

  /**
   * Combines the values of all ranks, element by element, in the order of ranks: neighbours first,
   * then pairs of neighbours and so on, so that the same number of ranks gives the same bits
   * whichever is the root. The memory of the root gets the result; that of others is unchanged.
   *
   * @param type of the elements: int, long, float or double in the byte order of the machine, or
   *     any layout for {@link Operation#ofElements}
   * @throws IllegalArgumentException for an operation that is not for such elements, a bitwise one
   *     of floating-point numbers for example
   */
  @Override
  default void reduce(MemorySegment values, MemoryLayout type, Operation operation, int root) {
    new Collectives(this).reduce(values, type, operation, root);
  }

  /** Like {@link #reduce}, and all ranks get the result, bit for bit the same. */
  @Override
  default void allReduce(MemorySegment values, MemoryLayout type, Operation operation) {
    new Collectives(this).allReduce(values, type, operation);
  }

  /** Combines one value of each rank. */
  default long allReduce(long value, Operation operation) {
    long[] values = {value};
    new Collectives(this)
        .allReduceAlike(MemorySegment.ofArray(values), ValueLayout.JAVA_LONG, operation);
    return values[0];
  }

  /** Combines one value of each rank. */
  default double allReduce(double value, Operation operation) {
    double[] values = {value};
    new Collectives(this)
        .allReduceAlike(MemorySegment.ofArray(values), ValueLayout.JAVA_DOUBLE, operation);
    return values[0];
  }

  /**
   * Combines the values of this rank and of all before it, element by element: rank 0 keeps its
   * own, and the last gets what a {@link #reduce} would give. (MPI calls it an inclusive scan.) The
   * bits at a rank are those of a reduction over it and the ranks before it alone.
   *
   * @param type as for {@link #reduce}
   */
  @Override
  default void scan(MemorySegment values, MemoryLayout type, Operation operation) {
    new Collectives(this).scan(values, type, operation);
  }

  /** Combines one value of this rank and of each before it. */
  default long scan(long value, Operation operation) {
    long[] values = {value};
    new Collectives(this)
        .scanAlike(MemorySegment.ofArray(values), ValueLayout.JAVA_LONG, operation);
    return values[0];
  }

  /** Combines one value of this rank and of each before it. */
  default double scan(double value, Operation operation) {
    double[] values = {value};
    new Collectives(this)
        .scanAlike(MemorySegment.ofArray(values), ValueLayout.JAVA_DOUBLE, operation);
    return values[0];
  }

  /**
   * Finds the smallest or largest value of all ranks and where it is, for all. Of equal values the
   * smallest location counts.
   *
   * @param location of the value: its rank, or an index that means something to all ranks
   * @param extreme {@link Reduction#MIN} or {@link Reduction#MAX}
   */
  default LocatedLong locate(long value, long location, Reduction extreme) {
    long[] found = Locations.ofLongs(this, extreme).find(value, location);
    return new LocatedLong(found[0], found[1]);
  }

  /**
   * Finds the smallest or largest value of all ranks and where it is, for all. Of equal values the
   * smallest location counts. As for {@link Math#min} and {@link Math#max}, one that is not a
   * number wins, and -0.0 is less than 0.0.
   *
   * @param location of the value: its rank, or an index that means something to all ranks
   * @param extreme {@link Reduction#MIN} or {@link Reduction#MAX}
   */
  default LocatedDouble locate(double value, long location, Reduction extreme) {
    long[] found = Locations.ofDoubles(this, extreme).find(Locations.bits(value), location);
    return new LocatedDouble(Locations.value(found[0]), found[1]);
  }

  /**
   * Like {@link #locate(long, long, Reduction)}, element by element: the arrays get the extremes
   * and their locations. All ranks have as many.
   */
  default void locate(long[] values, long[] locations, Reduction extreme) {
    Locations.ofLongs(this, extreme).find(values, locations);
  }

  /**
   * Like {@link #locate(double, long, Reduction)}, element by element: the arrays get the extremes
   * and their locations. All ranks have as many.
   */
  default void locate(double[] values, long[] locations, Reduction extreme) {
    long[] bits = Arrays.stream(values).mapToLong(Locations::bits).toArray();
    Locations.ofDoubles(this, extreme).find(bits, locations);
    Arrays.setAll(values, i -> Locations.value(bits[i]));
  }

  /**
   * Collects the bytes of all ranks at {@code root}; all give equally many.
   *
   * @param all gets them by rank; used at the root only
   */
  @Override
  default void gather(MemorySegment mine, MemorySegment all, int root) {
    new Collectives(this).gather(mine, all, root);
  }

  /**
   * Collects the bytes of all ranks at {@code root}, which knows how many each gives.
   *
   * @param all gets them by rank, side by side; used at the root only
   * @param bytes of each rank, which fill {@code all}; used at the root only
   */
  @Override
  default void gather(MemorySegment mine, MemorySegment all, long[] bytes, int root) {
    new CountedParts(this).gather(mine, all, bytes, root);
  }

  /** Collects the bytes of all ranks, by rank, however many; other ranks than the root get none. */
  default List<byte[]> gather(byte[] mine, int root) {
    return new Collectives(this).gather(mine, root);
  }

  /** Collects the bytes of all ranks everywhere, by rank; all give equally many. */
  @Override
  default void allGather(MemorySegment mine, MemorySegment all) {
    new Collectives(this).allGather(mine, all);
  }

  /**
   * Collects the bytes of all ranks everywhere; all know how many each gives.
   *
   * @param all gets them by rank, side by side
   * @param bytes of each rank, which fill {@code all}
   */
  @Override
  default void allGather(MemorySegment mine, MemorySegment all, long[] bytes) {
    new CountedParts(this).allGather(mine, all, bytes);
  }

  /** Collects the bytes of all ranks everywhere, by rank, however many. */
  default List<byte[]> allGather(byte[] mine) {
    return new Collectives(this).allGather(mine);
  }

  /**
   * Gives bytes of {@code root} to all, however many.
   *
   * @param words used at the root only
   */
  default byte[] announce(byte[] words, int root) {
    return new Collectives(this).announce(words, root);
  }

  /**
   * Merges the bytes of all ranks, however many, and gives the result to all. Ranges of ranks are
   * merged with the range right after them, as in {@link #reduce}: where many have the same to say,
   * it is said once, and no rank gets more than the result is long.
   *
   * @param merge of what a range of ranks says, and the range right after it
   */
  default byte[] allMerge(byte[] mine, BinaryOperator<byte[]> merge) {
    return new Collectives(this).allMerge(mine, merge);
  }

  /**
   * Hands out the bytes of {@code root} in equal parts, by rank.
   *
   * @param all used at the root only
   */
  @Override
  default void scatter(MemorySegment all, MemorySegment mine, int root) {
    new Collectives(this).scatter(all, mine, root);
  }

  /**
   * Hands out bytes of {@code root}, which knows how many each rank gets.
   *
   * @param all the parts by rank, side by side; used at the root only
   * @param bytes of each rank, which fill {@code all}; used at the root only
   * @param mine gets the part of this rank, and has its size
   */
  @Override
  default void scatter(MemorySegment all, long[] bytes, MemorySegment mine, int root) {
    new CountedParts(this).scatter(all, bytes, mine, root);
  }

  /**
   * Hands out bytes of {@code root}, however many to each.
   *
   * @param all as many as ranks; used at the root only
   * @return what is for this rank
   */
  default byte[] scatter(List<byte[]> all, int root) {
    return new Collectives(this).scatter(all, root);
  }

  /** Sends the k-th of as many equal parts as ranks to rank k, and receives such parts by rank. */
  @Override
  default void allToAll(MemorySegment outgoing, MemorySegment incoming) {
    new Collectives(this).allToAll(outgoing, incoming);
  }

  /**
   * Sends a part to every rank and receives one of each, of sizes that both sides know.
   *
   * @param outgoing the parts by rank, side by side
   * @param outgoingBytes of the part for each rank, which fill {@code outgoing}
   * @param incoming gets the parts by rank, side by side
   * @param incomingBytes of the part from each rank, which fill {@code incoming}
   */
  @Override
  default void allToAll(
      MemorySegment outgoing, long[] outgoingBytes, MemorySegment incoming, long[] incomingBytes) {
    new CountedParts(this).allToAll(outgoing, outgoingBytes, incoming, incomingBytes);
  }

  /**
   * Sends bytes to every rank, however many.
   *
   * @param outgoing as many as ranks; the k-th is for rank k
   * @return what this rank was sent, by rank
   */
  default List<byte[]> allToAll(List<byte[]> outgoing) {
    return new Collectives(this).allToAll(outgoing);
  }

  // More and fewer ranks.

  /**
   * Divides the ranks; collective. Ranks of the same {@code color} get a communicator with each
   * other, ordered by {@code key}, and by rank where keys are equal.
   *
   * @param color from 0 on
   */
  Communicator split(int color, int key);

  /** The same ranks in a communicator of its own, whose messages do not mix; collective. */
  default Communicator duplicate() {
    return split(0, rank());
  }

  /**
   * Ends all ranks at once, also those of other communicators, and does not return. For a program
   * that cannot go on, in a place where it cannot tell the others.
   *
   * <p>Ranks that are processes end, whatever they do; a launcher sees to the others. Ranks that
   * are threads get a {@link RankLostException} with an {@link AbortedException} as its cause, this
   * one now, the others from the call they wait in or the next one.
   *
   * @param status what processes exit with, from 1 to 125
   */
  default void abort(int status) {
    Arguments.checkStatus(status);
    Runtime.getRuntime().exit(status);
  }

  /** Lets go of the communicator. Not collective; any thread may, and closing twice is fine. */
  @Override
  void close();
}
