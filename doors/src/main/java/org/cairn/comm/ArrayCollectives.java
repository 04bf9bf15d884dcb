// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Collectives whose memory is an array: what {@link Communicator} offers for memory segments, in
 * the words of programs.
 */
public interface ArrayCollectives {

  /** See {@link Communicator#broadcast}. */
  void broadcast(MemorySegment data, int root);

  /** See {@link Communicator#reduce}. */
  void reduce(MemorySegment values, ValueLayout type, Reduction reduction, int root);

  /** See {@link Communicator#allReduce}. */
  void allReduce(MemorySegment values, ValueLayout type, Reduction reduction);

  /** See {@link Communicator#gather}. */
  void gather(MemorySegment mine, MemorySegment all, int root);

  /** See {@link Communicator#allGather}. */
  void allGather(MemorySegment mine, MemorySegment all);

  /** See {@link Communicator#scatter}. */
  void scatter(MemorySegment all, MemorySegment mine, int root);

  /** See {@link Communicator#allToAll}. */
  void allToAll(MemorySegment outgoing, MemorySegment incoming);

  /** Gives the array of {@code root} to all; all have the same length. */
  default void broadcast(byte[] data, int root) {
    broadcast(MemorySegment.ofArray(data), root);
  }

  /** Gives the array of {@code root} to all; all have the same length. */
  default void broadcast(short[] data, int root) {
    broadcast(MemorySegment.ofArray(data), root);
  }

  /** Gives the array of {@code root} to all; all have the same length. */
  default void broadcast(char[] data, int root) {
    broadcast(MemorySegment.ofArray(data), root);
  }

  /** Gives the array of {@code root} to all; all have the same length. */
  default void broadcast(int[] data, int root) {
    broadcast(MemorySegment.ofArray(data), root);
  }

  /** Gives the array of {@code root} to all; all have the same length. */
  default void broadcast(long[] data, int root) {
    broadcast(MemorySegment.ofArray(data), root);
  }

  /** Gives the array of {@code root} to all; all have the same length. */
  default void broadcast(float[] data, int root) {
    broadcast(MemorySegment.ofArray(data), root);
  }

  /** Gives the array of {@code root} to all; all have the same length. */
  default void broadcast(double[] data, int root) {
    broadcast(MemorySegment.ofArray(data), root);
  }

  /** Combines the arrays of all ranks, element by element, into that of {@code root}. */
  default void reduce(int[] values, Reduction reduction, int root) {
    reduce(MemorySegment.ofArray(values), ValueLayout.JAVA_INT, reduction, root);
  }

  /** Combines the arrays of all ranks, element by element, into that of {@code root}. */
  default void reduce(long[] values, Reduction reduction, int root) {
    reduce(MemorySegment.ofArray(values), ValueLayout.JAVA_LONG, reduction, root);
  }

  /** Combines the arrays of all ranks, element by element, into that of {@code root}. */
  default void reduce(float[] values, Reduction reduction, int root) {
    reduce(MemorySegment.ofArray(values), ValueLayout.JAVA_FLOAT, reduction, root);
  }

  /** Combines the arrays of all ranks, element by element, into that of {@code root}. */
  default void reduce(double[] values, Reduction reduction, int root) {
    reduce(MemorySegment.ofArray(values), ValueLayout.JAVA_DOUBLE, reduction, root);
  }

  /** Combines the arrays of all ranks, element by element, into that of every rank. */
  default void allReduce(int[] values, Reduction reduction) {
    allReduce(MemorySegment.ofArray(values), ValueLayout.JAVA_INT, reduction);
  }

  /** Combines the arrays of all ranks, element by element, into that of every rank. */
  default void allReduce(long[] values, Reduction reduction) {
    allReduce(MemorySegment.ofArray(values), ValueLayout.JAVA_LONG, reduction);
  }

  /** Combines the arrays of all ranks, element by element, into that of every rank. */
  default void allReduce(float[] values, Reduction reduction) {
    allReduce(MemorySegment.ofArray(values), ValueLayout.JAVA_FLOAT, reduction);
  }

  /** Combines the arrays of all ranks, element by element, into that of every rank. */
  default void allReduce(double[] values, Reduction reduction) {
    allReduce(MemorySegment.ofArray(values), ValueLayout.JAVA_DOUBLE, reduction);
  }

  /** Collects arrays of the same length at {@code root}, where {@code all} gets them by rank. */
  default void gather(int[] mine, int[] all, int root) {
    gather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all), root);
  }

  /** Collects arrays of the same length everywhere; {@code all} gets them by rank. */
  default void allGather(int[] mine, int[] all) {
    allGather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all));
  }

  /** Hands out {@code all} of {@code root} in equal parts, by rank. */
  default void scatter(int[] all, int[] mine, int root) {
    scatter(MemorySegment.ofArray(all), MemorySegment.ofArray(mine), root);
  }

  /** Sends the k-th of as many equal parts as ranks to rank k, and receives such parts by rank. */
  default void allToAll(int[] outgoing, int[] incoming) {
    allToAll(MemorySegment.ofArray(outgoing), MemorySegment.ofArray(incoming));
  }

  /** Collects arrays of the same length at {@code root}, where {@code all} gets them by rank. */
  default void gather(long[] mine, long[] all, int root) {
    gather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all), root);
  }

  /** Collects arrays of the same length everywhere; {@code all} gets them by rank. */
  default void allGather(long[] mine, long[] all) {
    allGather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all));
  }

  /** Hands out {@code all} of {@code root} in equal parts, by rank. */
  default void scatter(long[] all, long[] mine, int root) {
    scatter(MemorySegment.ofArray(all), MemorySegment.ofArray(mine), root);
  }

  /** Sends the k-th of as many equal parts as ranks to rank k, and receives such parts by rank. */
  default void allToAll(long[] outgoing, long[] incoming) {
    allToAll(MemorySegment.ofArray(outgoing), MemorySegment.ofArray(incoming));
  }

  /** Collects arrays of the same length at {@code root}, where {@code all} gets them by rank. */
  default void gather(double[] mine, double[] all, int root) {
    gather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all), root);
  }

  /** Collects arrays of the same length everywhere; {@code all} gets them by rank. */
  default void allGather(double[] mine, double[] all) {
    allGather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all));
  }

  /** Hands out {@code all} of {@code root} in equal parts, by rank. */
  default void scatter(double[] all, double[] mine, int root) {
    scatter(MemorySegment.ofArray(all), MemorySegment.ofArray(mine), root);
  }

  /** Sends the k-th of as many equal parts as ranks to rank k, and receives such parts by rank. */
  default void allToAll(double[] outgoing, double[] incoming) {
    allToAll(MemorySegment.ofArray(outgoing), MemorySegment.ofArray(incoming));
  }
}
