// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;

/**
 * Collectives whose memory is an array, and whose parts may have different lengths: the k-th count
 * is the number of elements of the part of rank k. Parts lie side by side, by rank, and fill the
 * array.
 *
 * <p>Counts may be 0. Where what one rank counts is not what another gives, all ranks get the same
 * {@link CommunicationException}, which names both.
 */
public interface CountedArrays {

  /** See {@link Communicator#gather(MemorySegment, MemorySegment, long[], int)}. */
  void gather(MemorySegment mine, MemorySegment all, long[] bytes, int root);

  /** See {@link Communicator#allGather(MemorySegment, MemorySegment, long[])}. */
  void allGather(MemorySegment mine, MemorySegment all, long[] bytes);

  /** See {@link Communicator#scatter(MemorySegment, long[], MemorySegment, int)}. */
  void scatter(MemorySegment all, long[] bytes, MemorySegment mine, int root);

  /** See {@link Communicator#allToAll(MemorySegment, long[], MemorySegment, long[])}. */
  void allToAll(
      MemorySegment outgoing, long[] outgoingBytes, MemorySegment incoming, long[] incomingBytes);

  private static long[] bytes(int[] counts, int width) {
    long[] bytes = new long[counts.length];
    for (int i = 0; i < counts.length; i++) {
      bytes[i] = (long) width * counts[i];
    }
    return bytes;
  }

  /**
   * Collects arrays at {@code root}.
   *
   * @param all gets them by rank; used at the root only, as the counts are
   */
  default void gather(int[] mine, int[] all, int[] counts, int root) {
    gather(
        MemorySegment.ofArray(mine),
        MemorySegment.ofArray(all),
        bytes(counts, Integer.BYTES),
        root);
  }

  /** Collects arrays everywhere; {@code all} gets them by rank. All ranks have the same counts. */
  default void allGather(int[] mine, int[] all, int[] counts) {
    allGather(
        MemorySegment.ofArray(mine), MemorySegment.ofArray(all), bytes(counts, Integer.BYTES));
  }

  /**
   * Hands out the parts of an array of {@code root}, by rank.
   *
   * @param all used at the root only, as the counts are
   */
  default void scatter(int[] all, int[] counts, int[] mine, int root) {
    scatter(
        MemorySegment.ofArray(all),
        bytes(counts, Integer.BYTES),
        MemorySegment.ofArray(mine),
        root);
  }

  /**
   * Sends the k-th part to rank k, and receives such parts by rank.
   *
   * @param incomingCounts what each rank sends to this one
   */
  default void allToAll(
      int[] outgoing, int[] outgoingCounts, int[] incoming, int[] incomingCounts) {
    allToAll(
        MemorySegment.ofArray(outgoing),
        bytes(outgoingCounts, Integer.BYTES),
        MemorySegment.ofArray(incoming),
        bytes(incomingCounts, Integer.BYTES));
  }

  /**
   * Collects arrays at {@code root}.
   *
   * @param all gets them by rank; used at the root only, as the counts are
   */
  default void gather(long[] mine, long[] all, int[] counts, int root) {
    gather(
        MemorySegment.ofArray(mine), MemorySegment.ofArray(all), bytes(counts, Long.BYTES), root);
  }

  /** Collects arrays everywhere; {@code all} gets them by rank. All ranks have the same counts. */
  default void allGather(long[] mine, long[] all, int[] counts) {
    allGather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all), bytes(counts, Long.BYTES));
  }

  /**
   * Hands out the parts of an array of {@code root}, by rank.
   *
   * @param all used at the root only, as the counts are
   */
  default void scatter(long[] all, int[] counts, long[] mine, int root) {
    scatter(
        MemorySegment.ofArray(all), bytes(counts, Long.BYTES), MemorySegment.ofArray(mine), root);
  }

  /**
   * Sends the k-th part to rank k, and receives such parts by rank.
   *
   * @param incomingCounts what each rank sends to this one
   */
  default void allToAll(
      long[] outgoing, int[] outgoingCounts, long[] incoming, int[] incomingCounts) {
    allToAll(
        MemorySegment.ofArray(outgoing),
        bytes(outgoingCounts, Long.BYTES),
        MemorySegment.ofArray(incoming),
        bytes(incomingCounts, Long.BYTES));
  }

  /**
   * Collects arrays at {@code root}.
   *
   * @param all gets them by rank; used at the root only, as the counts are
   */
  default void gather(float[] mine, float[] all, int[] counts, int root) {
    gather(
        MemorySegment.ofArray(mine), MemorySegment.ofArray(all), bytes(counts, Float.BYTES), root);
  }

  /** Collects arrays everywhere; {@code all} gets them by rank. All ranks have the same counts. */
  default void allGather(float[] mine, float[] all, int[] counts) {
    allGather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all), bytes(counts, Float.BYTES));
  }

  /**
   * Hands out the parts of an array of {@code root}, by rank.
   *
   * @param all used at the root only, as the counts are
   */
  default void scatter(float[] all, int[] counts, float[] mine, int root) {
    scatter(
        MemorySegment.ofArray(all), bytes(counts, Float.BYTES), MemorySegment.ofArray(mine), root);
  }

  /**
   * Sends the k-th part to rank k, and receives such parts by rank.
   *
   * @param incomingCounts what each rank sends to this one
   */
  default void allToAll(
      float[] outgoing, int[] outgoingCounts, float[] incoming, int[] incomingCounts) {
    allToAll(
        MemorySegment.ofArray(outgoing),
        bytes(outgoingCounts, Float.BYTES),
        MemorySegment.ofArray(incoming),
        bytes(incomingCounts, Float.BYTES));
  }

  /**
   * Collects arrays at {@code root}.
   *
   * @param all gets them by rank; used at the root only, as the counts are
   */
  default void gather(double[] mine, double[] all, int[] counts, int root) {
    gather(
        MemorySegment.ofArray(mine), MemorySegment.ofArray(all), bytes(counts, Double.BYTES), root);
  }

  /** Collects arrays everywhere; {@code all} gets them by rank. All ranks have the same counts. */
  default void allGather(double[] mine, double[] all, int[] counts) {
    allGather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all), bytes(counts, Double.BYTES));
  }

  /**
   * Hands out the parts of an array of {@code root}, by rank.
   *
   * @param all used at the root only, as the counts are
   */
  default void scatter(double[] all, int[] counts, double[] mine, int root) {
    scatter(
        MemorySegment.ofArray(all), bytes(counts, Double.BYTES), MemorySegment.ofArray(mine), root);
  }

  /**
   * Sends the k-th part to rank k, and receives such parts by rank.
   *
   * @param incomingCounts what each rank sends to this one
   */
  default void allToAll(
      double[] outgoing, int[] outgoingCounts, double[] incoming, int[] incomingCounts) {
    allToAll(
        MemorySegment.ofArray(outgoing),
        bytes(outgoingCounts, Double.BYTES),
        MemorySegment.ofArray(incoming),
        bytes(incomingCounts, Double.BYTES));
  }
}
