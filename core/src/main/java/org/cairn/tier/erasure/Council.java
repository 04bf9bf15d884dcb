// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.jspecify.annotations.Nullable;

/**
 * The members of a group doing one thing after another, each told how it went with the others. A
 * failure of one is a value that all get: so all go on, begin again or throw alike.
 *
 * <pre>
 * Message → state:u8 (what the member says | reason:text)      state 0: well, 1: again, 2: failed
 * </pre>
 */
final class Council {
  private static final int WELL = 0;
  private static final int AGAIN = 1;
  private static final int FAILED = 2;

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

  /**
   * What came of something that all did.
   *
   * @param own what this member made
   * @param said what all say, by member
   */
  record Outcome<T>(T own, List<byte[]> said) {}

  /** Makes something of which the others have to know. */
  interface Maker<T> {
    T make() throws IOException;
  }

  /** Does a part, and returns what all members say, by member. */
  List<byte[]> together(Part part) throws IOException {
    return together(part::run, Function.identity()).said;
  }

  /** Makes something, and tells the others about it. */
  <T> Outcome<T> together(Maker<T> maker, Function<T, byte[]> teller) throws IOException {
    int state = WELL;
    Throwable failure = null;
    List<T> made = List.of();
    byte[] say = {};
    try {
      T own = maker.make();
      made = List.of(own);
      say = teller.apply(own);
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
    List<byte[]> said = heard(comm.allGather(mine), failure);
    // Whoever failed does not come here: it has told so, and heard it.
    return new Outcome<>(made.getFirst(), said);
  }

  private static byte[] text(Throwable failure) {
    return RecordWriter.onHeap().putText(String.valueOf(failure.getMessage())).toArray();
  }

  private List<byte[]> heard(List<byte[]> all, @Nullable Throwable own) throws IOException {
    List<byte[]> said = new ArrayList<>();
    String again = null;
    for (int member = 0; member < all.size(); member++) {
      String origin = "rank " + ranks.get(member);
      RecordReader in = RecordReader.of(all.get(member), origin);
      int state = in.getByte();
      switch (state) {
        case WELL -> said.add(in.getRest());
        case AGAIN -> again = origin + ": " + in.getText();
        case FAILED -> throw new IOException(origin + ": " + in.getText(), own);
        default -> throw in.corrupt("a message of kind " + state);
      }
    }
    if (again != null) {
      throw new BeginAgainException(again);
    }
    return said;
  }
}
