// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

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
 *       memory that receives it is an error for the receiver; a smaller one is fine, and {@link
 *       Message#bytes} tells.
 *   <li><b>Memory.</b> Native and heap segments are taken alike; read-only ones can be sent.
 *   <li><b>Tags.</b> A program uses tags from 0 to {@link #MAX_TAG}. Negative ones below {@link
 *       #ANY_TAG} are for the collectives of this package; {@link #ANY_TAG} does not match them.
 *   <li><b>Collectives</b> are called by all ranks, in the same order. They do not disturb messages
 *       of the program.
 *   <li><b>Threads.</b> If {@link #isConcurrent}, many threads may call at once; collectives on one
 *       communicator still one at a time ({@link #duplicate} gives a thread its own).
 * </ul>
 *
 * <p>A transport implements the methods without a body; the others are made of them.
 */
public interface Communicator extends AutoCloseable {
  /** Receives from whichever rank sends first. */
  int ANY_SOURCE = -1;

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

  /** Whether many threads may use this communicator at once. */
  boolean isConcurrent();

  /** Starts to send; the memory must not change until the request is complete. */
  Request startSend(MemorySegment data, int to, int tag);

  /** Starts to receive; {@code from} and {@code tag} may be wildcards. */
  Request startReceive(MemorySegment target, int from, int tag);

  /** Looks for a message that could be received now, without receiving it and without waiting. */
  Optional<Message> poll(int from, int tag);

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

  /** Lets go of the communicator. Not collective; closing twice is fine. */
  @Override
  void close();
}
