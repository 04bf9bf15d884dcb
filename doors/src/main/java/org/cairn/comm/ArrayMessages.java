// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;

/**
 * Messages whose memory is an array. All of it is sent; for a part see {@link PartMessages}.
 * Elements travel in the byte order of the machine.
 */
public interface ArrayMessages {

  /** Starts to send; see {@link Communicator#startSend}. */
  Request startSend(MemorySegment data, int to, int tag);

  /** Starts to receive; see {@link Communicator#startReceive}. */
  Request startReceive(MemorySegment target, int from, int tag);

  /** Sends; see {@link Communicator#send}. */
  void send(MemorySegment data, int to, int tag);

  /** Receives; see {@link Communicator#receive}. */
  Message receive(MemorySegment target, int from, int tag);

  /** Sends and receives at once; see {@link Communicator#sendReceive}. */
  Message sendReceive(MemorySegment data, int to, MemorySegment target, int from, int tag);

  /** Starts to send an array. */
  default Request startSend(byte[] data, int to, int tag) {
    return startSend(MemorySegment.ofArray(data), to, tag);
  }

  /** Starts to send an array. */
  default Request startSend(short[] data, int to, int tag) {
    return startSend(MemorySegment.ofArray(data), to, tag);
  }

  /** Starts to send an array. */
  default Request startSend(char[] data, int to, int tag) {
    return startSend(MemorySegment.ofArray(data), to, tag);
  }

  /** Starts to send an array. */
  default Request startSend(int[] data, int to, int tag) {
    return startSend(MemorySegment.ofArray(data), to, tag);
  }

  /** Starts to send an array. */
  default Request startSend(long[] data, int to, int tag) {
    return startSend(MemorySegment.ofArray(data), to, tag);
  }

  /** Starts to send an array. */
  default Request startSend(float[] data, int to, int tag) {
    return startSend(MemorySegment.ofArray(data), to, tag);
  }

  /** Starts to send an array. */
  default Request startSend(double[] data, int to, int tag) {
    return startSend(MemorySegment.ofArray(data), to, tag);
  }

  /** Starts to receive into an array. */
  default Request startReceive(byte[] target, int from, int tag) {
    return startReceive(MemorySegment.ofArray(target), from, tag);
  }

  /** Starts to receive into an array. */
  default Request startReceive(short[] target, int from, int tag) {
    return startReceive(MemorySegment.ofArray(target), from, tag);
  }

  /** Starts to receive into an array. */
  default Request startReceive(char[] target, int from, int tag) {
    return startReceive(MemorySegment.ofArray(target), from, tag);
  }

  /** Starts to receive into an array. */
  default Request startReceive(int[] target, int from, int tag) {
    return startReceive(MemorySegment.ofArray(target), from, tag);
  }

  /** Starts to receive into an array. */
  default Request startReceive(long[] target, int from, int tag) {
    return startReceive(MemorySegment.ofArray(target), from, tag);
  }

  /** Starts to receive into an array. */
  default Request startReceive(float[] target, int from, int tag) {
    return startReceive(MemorySegment.ofArray(target), from, tag);
  }

  /** Starts to receive into an array. */
  default Request startReceive(double[] target, int from, int tag) {
    return startReceive(MemorySegment.ofArray(target), from, tag);
  }

  /** Sends an array. */
  default void send(byte[] data, int to, int tag) {
    send(MemorySegment.ofArray(data), to, tag);
  }

  /** Sends an array. */
  default void send(short[] data, int to, int tag) {
    send(MemorySegment.ofArray(data), to, tag);
  }

  /** Sends an array. */
  default void send(char[] data, int to, int tag) {
    send(MemorySegment.ofArray(data), to, tag);
  }

  /** Sends an array. */
  default void send(int[] data, int to, int tag) {
    send(MemorySegment.ofArray(data), to, tag);
  }

  /** Sends an array. */
  default void send(long[] data, int to, int tag) {
    send(MemorySegment.ofArray(data), to, tag);
  }

  /** Sends an array. */
  default void send(float[] data, int to, int tag) {
    send(MemorySegment.ofArray(data), to, tag);
  }

  /** Sends an array. */
  default void send(double[] data, int to, int tag) {
    send(MemorySegment.ofArray(data), to, tag);
  }

  /** Receives into an array. */
  default Message receive(byte[] target, int from, int tag) {
    return receive(MemorySegment.ofArray(target), from, tag);
  }

  /** Receives into an array. */
  default Message receive(short[] target, int from, int tag) {
    return receive(MemorySegment.ofArray(target), from, tag);
  }

  /** Receives into an array. */
  default Message receive(char[] target, int from, int tag) {
    return receive(MemorySegment.ofArray(target), from, tag);
  }

  /** Receives into an array. */
  default Message receive(int[] target, int from, int tag) {
    return receive(MemorySegment.ofArray(target), from, tag);
  }

  /** Receives into an array. */
  default Message receive(long[] target, int from, int tag) {
    return receive(MemorySegment.ofArray(target), from, tag);
  }

  /** Receives into an array. */
  default Message receive(float[] target, int from, int tag) {
    return receive(MemorySegment.ofArray(target), from, tag);
  }

  /** Receives into an array. */
  default Message receive(double[] target, int from, int tag) {
    return receive(MemorySegment.ofArray(target), from, tag);
  }

  /** Sends an array and receives another at once. */
  default Message sendReceive(byte[] data, int to, byte[] target, int from, int tag) {
    return sendReceive(MemorySegment.ofArray(data), to, MemorySegment.ofArray(target), from, tag);
  }

  /** Sends an array and receives another at once. */
  default Message sendReceive(short[] data, int to, short[] target, int from, int tag) {
    return sendReceive(MemorySegment.ofArray(data), to, MemorySegment.ofArray(target), from, tag);
  }

  /** Sends an array and receives another at once. */
  default Message sendReceive(char[] data, int to, char[] target, int from, int tag) {
    return sendReceive(MemorySegment.ofArray(data), to, MemorySegment.ofArray(target), from, tag);
  }

  /** Sends an array and receives another at once. */
  default Message sendReceive(int[] data, int to, int[] target, int from, int tag) {
    return sendReceive(MemorySegment.ofArray(data), to, MemorySegment.ofArray(target), from, tag);
  }

  /** Sends an array and receives another at once. */
  default Message sendReceive(long[] data, int to, long[] target, int from, int tag) {
    return sendReceive(MemorySegment.ofArray(data), to, MemorySegment.ofArray(target), from, tag);
  }

  /** Sends an array and receives another at once. */
  default Message sendReceive(float[] data, int to, float[] target, int from, int tag) {
    return sendReceive(MemorySegment.ofArray(data), to, MemorySegment.ofArray(target), from, tag);
  }

  /** Sends an array and receives another at once. */
  default Message sendReceive(double[] data, int to, double[] target, int from, int tag) {
    return sendReceive(MemorySegment.ofArray(data), to, MemorySegment.ofArray(target), from, tag);
  }
}
