// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.tier.erasure.Situation.Making;

/**
 * The maps of members, for those who do not know them: who rebuilds a state, and who reads one
 * whose parity is not read in the same process.
 *
 * <pre>Message → (member:u32 map:counted)*</pre>
 */
final class Lessons {
  private final Seats seats;
  private final int me;
  private final Holdings mine;
  private final Holdings.Damaged damaged;
  private final Making making;
  private final List<byte[]> said;

  private Lessons(
      Seats seats,
      int me,
      Holdings mine,
      Holdings.Damaged damaged,
      Making making,
      List<byte[]> said) {
    this.seats = seats;
    this.me = me;
    this.mine = mine;
    this.damaged = damaged;
    this.making = making;
    this.said = said;
  }

  /** Tells the others what they do not know, and hears them; all processes. */
  static Lessons exchange(
      Council council,
      Seats seats,
      int me,
      Holdings mine,
      Holdings.Damaged damaged,
      Making making,
      BitSet lost)
      throws IOException {
    Lessons own = new Lessons(seats, me, mine, damaged, making, List.of());
    List<byte[]> said = council.together(() -> own.teach(lost));
    return new Lessons(seats, me, mine, damaged, making, said);
  }

  private byte[] teach(BitSet lost) throws IOException {
    RecordWriter out = RecordWriter.onHeap();
    for (int member = 0; member < seats.size(); member++) {
      boolean asked = isAsked(member, lost);
      if (asked && teacher(member) == me) {
        out.putInt(member).putCounted(read(member).write());
      }
    }
    return out.toArray();
  }

  /** Whether somebody needs a map that he cannot read himself. */
  private boolean isAsked(int member, BitSet lost) {
    int pupil = (lost.get(member) ? seats.wanting() : seats.states()).get(member);
    return pupil != Seats.NOBODY && pupil != teacher(member);
  }

  /** The process that reads the parity in which the map of a member is. */
  private int teacher(int member) {
    return seats.parities().get(making.teacherOf(member).orElseThrow());
  }

  private MemberMap read(int member) throws IOException {
    int keeper = making.teacherOf(member).orElseThrow();
    return damaged.noting(keeper, () -> read(keeper, member));
  }

  private MemberMap read(int keeper, int member) throws IOException {
    try {
      int rank = making.layout().members().get(member).rank();
      return ParityFile.readMap(mine.parity(keeper), rank);
    } catch (IOException e) {
      throw new DamagedBaseException(true, making.version(), e);
    }
  }

  /** The map of a member that this process reads or rebuilds. */
  MemberMap map(int member) throws IOException {
    int teacher = teacher(member);
    if (teacher == me) {
      return read(member);
    }
    String origin = "the map of rank " + seats.members().get(member);
    if (MapMessage.read(find(said.get(teacher), member), origin) instanceof MemberMap map) {
      return map;
    }
    throw new IOException(origin + " is not whole");
  }

  private byte[] find(byte[] lesson, int wanted) throws IOException {
    return RecordReader.parse(
        lesson,
        "a lesson",
        in -> {
          while (in.remaining() > 0) {
            int member = in.getInt();
            byte[] map = in.getCounted();
            if (member == wanted) {
              return map;
            }
          }
          throw new IOException("nobody has the map of rank " + seats.members().get(wanted));
        });
  }
}
