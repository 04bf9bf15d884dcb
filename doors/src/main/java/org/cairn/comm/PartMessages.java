// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;

/**
 * Messages whose memory is a part of an array: {@code count} elements from index {@code offset} on.
 * For other methods see {@link ArrayPart}.
 */
public interface PartMessages {

  /** Starts to send; see {@link Communicator#startSend}. */
  Request startSend(MemorySegment data, int to, int tag);

  /** Starts to receive; see {@link Communicator#startReceive}. */
  Request startReceive(MemorySegment target, int from, int tag);

  /** Sends; see {@link Communicator#send}. */
  void send(MemorySegment data, int to, int tag);

  /** Receives; see {@link Communicator#receive}. */
  Message receive(MemorySegment target, int from, int tag);

  /** Starts to send a part of an array. */
  default Request startSend(byte[] data, int offset, int count, int to, int tag) {
    return startSend(ArrayPart.of(data, offset, count), to, tag);
  }

  /** Starts to send a part of an array. */
  default Request startSend(short[] data, int offset, int count, int to, int tag) {
    return startSend(ArrayPart.of(data, offset, count), to, tag);
  }

  /** Starts to send a part of an array. */
  default Request startSend(char[] data, int offset, int count, int to, int tag) {
    return startSend(ArrayPart.of(data, offset, count), to, tag);
  }

  /** Starts to send a part of an array. */
  default Request startSend(int[] data, int offset, int count, int to, int tag) {
    return startSend(ArrayPart.of(data, offset, count), to, tag);
  }

  /** Starts to send a part of an array. */
  default Request startSend(long[] data, int offset, int count, int to, int tag) {
    return startSend(ArrayPart.of(data, offset, count), to, tag);
  }

  /** Starts to send a part of an array. */
  default Request startSend(float[] data, int offset, int count, int to, int tag) {
    return startSend(ArrayPart.of(data, offset, count), to, tag);
  }

  /** Starts to send a part of an array. */
  default Request startSend(double[] data, int offset, int count, int to, int tag) {
    return startSend(ArrayPart.of(data, offset, count), to, tag);
  }

  /** Starts to receive into a part of an array. */
  default Request startReceive(byte[] target, int offset, int count, int from, int tag) {
    return startReceive(ArrayPart.of(target, offset, count), from, tag);
  }

  /** Starts to receive into a part of an array. */
  default Request startReceive(short[] target, int offset, int count, int from, int tag) {
    return startReceive(ArrayPart.of(target, offset, count), from, tag);
  }

  /** Starts to receive into a part of an array. */
  default Request startReceive(char[] target, int offset, int count, int from, int tag) {
    return startReceive(ArrayPart.of(target, offset, count), from, tag);
  }

  /** Starts to receive into a part of an array. */
  default Request startReceive(int[] target, int offset, int count, int from, int tag) {
    return startReceive(ArrayPart.of(target, offset, count), from, tag);
  }

  /** Starts to receive into a part of an array. */
  default Request startReceive(long[] target, int offset, int count, int from, int tag) {
    return startReceive(ArrayPart.of(target, offset, count), from, tag);
  }

  /** Starts to receive into a part of an array. */
  default Request startReceive(float[] target, int offset, int count, int from, int tag) {
    return startReceive(ArrayPart.of(target, offset, count), from, tag);
  }

  /** Starts to receive into a part of an array. */
  default Request startReceive(double[] target, int offset, int count, int from, int tag) {
    return startReceive(ArrayPart.of(target, offset, count), from, tag);
  }

  /** Sends a part of an array. */
  default void send(byte[] data, int offset, int count, int to, int tag) {
    send(ArrayPart.of(data, offset, count), to, tag);
  }

  /** Sends a part of an array. */
  default void send(short[] data, int offset, int count, int to, int tag) {
    send(ArrayPart.of(data, offset, count), to, tag);
  }

  /** Sends a part of an array. */
  default void send(char[] data, int offset, int count, int to, int tag) {
    send(ArrayPart.of(data, offset, count), to, tag);
  }

  /** Sends a part of an array. */
  default void send(int[] data, int offset, int count, int to, int tag) {
    send(ArrayPart.of(data, offset, count), to, tag);
  }

  /** Sends a part of an array. */
  default void send(long[] data, int offset, int count, int to, int tag) {
    send(ArrayPart.of(data, offset, count), to, tag);
  }

  /** Sends a part of an array. */
  default void send(float[] data, int offset, int count, int to, int tag) {
    send(ArrayPart.of(data, offset, count), to, tag);
  }

  /** Sends a part of an array. */
  default void send(double[] data, int offset, int count, int to, int tag) {
    send(ArrayPart.of(data, offset, count), to, tag);
  }

  /** Receives into a part of an array. */
  default Message receive(byte[] target, int offset, int count, int from, int tag) {
    return receive(ArrayPart.of(target, offset, count), from, tag);
  }

  /** Receives into a part of an array. */
  default Message receive(short[] target, int offset, int count, int from, int tag) {
    return receive(ArrayPart.of(target, offset, count), from, tag);
  }

  /** Receives into a part of an array. */
  default Message receive(char[] target, int offset, int count, int from, int tag) {
    return receive(ArrayPart.of(target, offset, count), from, tag);
  }

  /** Receives into a part of an array. */
  default Message receive(int[] target, int offset, int count, int from, int tag) {
    return receive(ArrayPart.of(target, offset, count), from, tag);
  }

  /** Receives into a part of an array. */
  default Message receive(long[] target, int offset, int count, int from, int tag) {
    return receive(ArrayPart.of(target, offset, count), from, tag);
  }

  /** Receives into a part of an array. */
  default Message receive(float[] target, int offset, int count, int from, int tag) {
    return receive(ArrayPart.of(target, offset, count), from, tag);
  }

  /** Receives into a part of an array. */
  default Message receive(double[] target, int offset, int count, int from, int tag) {
    return receive(ArrayPart.of(target, offset, count), from, tag);
  }
}
