// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemoryLayout;
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
  void reduce(MemorySegment values, MemoryLayout type, Operation operation, int root);

  /** See {@link Communicator#allReduce}. */
  void allReduce(MemorySegment values, MemoryLayout type, Operation operation);

  /** See {@link Communicator#scan}. */
  void scan(MemorySegment values, MemoryLayout type, Operation operation);

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
  default void reduce(int[] values, Operation operation, int root) {
    reduce(MemorySegment.ofArray(values), ValueLayout.JAVA_INT, operation, root);
  }

  /** Combines the arrays of all ranks, element by element, into that of {@code root}. */
  default void reduce(long[] values, Operation operation, int root) {
    reduce(MemorySegment.ofArray(values), ValueLayout.JAVA_LONG, operation, root);
  }

  /** Combines the arrays of all ranks, element by element, into that of {@code root}. */
  default void reduce(float[] values, Operation operation, int root) {
    reduce(MemorySegment.ofArray(values), ValueLayout.JAVA_FLOAT, operation, root);
  }

  /** Combines the arrays of all ranks, element by element, into that of {@code root}. */
  default void reduce(double[] values, Operation operation, int root) {
    reduce(MemorySegment.ofArray(values), ValueLayout.JAVA_DOUBLE, operation, root);
  }

  /** Combines the arrays of all ranks, element by element, into that of every rank. */
  default void allReduce(int[] values, Operation operation) {
    allReduce(MemorySegment.ofArray(values), ValueLayout.JAVA_INT, operation);
  }

  /** Combines the arrays of all ranks, element by element, into that of every rank. */
  default void allReduce(long[] values, Operation operation) {
    allReduce(MemorySegment.ofArray(values), ValueLayout.JAVA_LONG, operation);
  }

  /** Combines the arrays of all ranks, element by element, into that of every rank. */
  default void allReduce(float[] values, Operation operation) {
    allReduce(MemorySegment.ofArray(values), ValueLayout.JAVA_FLOAT, operation);
  }

  /** Combines the arrays of all ranks, element by element, into that of every rank. */
  default void allReduce(double[] values, Operation operation) {
    allReduce(MemorySegment.ofArray(values), ValueLayout.JAVA_DOUBLE, operation);
  }

  /**
   * Combines the arrays of this rank and all before it, element by element, into that of this rank.
   */
  default void scan(int[] values, Operation operation) {
    scan(MemorySegment.ofArray(values), ValueLayout.JAVA_INT, operation);
  }

  /**
   * Combines the arrays of this rank and all before it, element by element, into that of this rank.
   */
  default void scan(long[] values, Operation operation) {
    scan(MemorySegment.ofArray(values), ValueLayout.JAVA_LONG, operation);
  }

  /**
   * Combines the arrays of this rank and all before it, element by element, into that of this rank.
   */
  default void scan(float[] values, Operation operation) {
    scan(MemorySegment.ofArray(values), ValueLayout.JAVA_FLOAT, operation);
  }

  /**
   * Combines the arrays of this rank and all before it, element by element, into that of this rank.
   */
  default void scan(double[] values, Operation operation) {
    scan(MemorySegment.ofArray(values), ValueLayout.JAVA_DOUBLE, operation);
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
  default void gather(float[] mine, float[] all, int root) {
    gather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all), root);
  }

  /** Collects arrays of the same length everywhere; {@code all} gets them by rank. */
  default void allGather(float[] mine, float[] all) {
    allGather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all));
  }

  /** Hands out {@code all} of {@code root} in equal parts, by rank. */
  default void scatter(float[] all, float[] mine, int root) {
    scatter(MemorySegment.ofArray(all), MemorySegment.ofArray(mine), root);
  }

  /** Sends the k-th of as many equal parts as ranks to rank k, and receives such parts by rank. */
  default void allToAll(float[] outgoing, float[] incoming) {
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
