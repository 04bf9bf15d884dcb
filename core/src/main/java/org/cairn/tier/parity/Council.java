// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.parity;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.jspecify.annotations.Nullable;

/**
 * The members of a group doing one thing after another, each told how it went with the others. A
 * failure of one is a value that all get: so all go on, begin again or throw alike.
 */
final class Council {
  private static final byte WELL = 0;
  private static final byte AGAIN = 1;
  private static final byte FAILED = 2;

  private final Communicator comm;
  private final List<Integer> ranks;
  private final Consumer<DamagedBaseException> onDamage;
  private long bytesSent;

  /** What one member does, and what it has to say to the others. */
  interface Part {
    byte[] run() throws IOException;
  }

  /** All members have to begin again: something they built on is damaged. */
  static final class BeginAgainException extends IOException {
    private static final long serialVersionUID = 1;

    BeginAgainException(String why) {
      super(why);
    }
  }

  /**
   * A council.
   *
   * @param ranks what the members are called in messages
   * @param onDamage is told what this member must not build on any more
   */
  Council(Communicator comm, List<Integer> ranks, Consumer<DamagedBaseException> onDamage) {
    this.comm = comm;
    this.ranks = ranks;
    this.onDamage = onDamage;
  }

  long bytesSent() {
    return bytesSent;
  }

  /** Does a part, and returns what all members say, by member. */
  List<byte[]> together(Part part) throws IOException {
    byte state = WELL;
    Throwable failure = null;
    byte[] say = {};
    try {
      say = part.run();
    } catch (DamagedBaseException e) {
      onDamage.accept(e);
      state = AGAIN;
      failure = e;
    } catch (CommunicationException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      state = FAILED;
      failure = e;
    }
    RecordWriter message = RecordWriter.onHeap().putByte(state);
    message.putBytes(failure == null ? say : text(failure));
    byte[] mine = message.toArray();
    bytesSent += (long) mine.length * (comm.size() - 1);
    return heard(comm.allGather(mine), failure);
  }

  private static byte[] text(Throwable failure) {
    return RecordWriter.onHeap().putText(String.valueOf(failure.getMessage())).toArray();
  }

  private List<byte[]> heard(List<byte[]> all, @Nullable Throwable own) throws IOException {
    List<byte[]> said = new ArrayList<>();
    String again = null;
    for (int member = 0; member < all.size(); member++) {
      byte[] message = all.get(member);
      byte[] rest = java.util.Arrays.copyOfRange(message, 1, message.length);
      if (message[0] == FAILED) {
        throw new IOException(reason(member, rest), own);
      }
      if (message[0] == AGAIN) {
        again = reason(member, rest);
      }
      said.add(rest);
    }
    if (again != null) {
      throw new BeginAgainException(again);
    }
    return said;
  }

  private String reason(int member, byte[] text) throws IOException {
    return "rank "
        + ranks.get(member)
        + ": "
        + RecordReader.parse(text, "a reason", RecordReader::getText);
  }
}
