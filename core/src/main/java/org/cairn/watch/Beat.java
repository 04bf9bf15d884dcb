// SPDX-License-Identifier: Apache-2.0
package org.cairn.watch;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What a rank tells another from time to time. All times are ages in nanoseconds: clocks are never
 * compared.
 *
 * <pre>
 * Beat → Round, Activity, Leaving, Count, Absence*, Broken, [Rank, Reason].
 * Absence → Rank, Left, Age, ToldAge.
 * </pre>
 *
 * @param round of the sender
 * @param activity a number that grows as long as any rank is seen at work, as far as the sender
 *     knows
 * @param leaving whether the sender closes, and this is its last beat
 * @param absences what the sender has heard or seen itself
 * @param breakdown a rank that has left others in the middle of something
 */
record Beat(
    long round,
    long activity,
    boolean leaving,
    List<Absence> absences,
    Optional<Breakdown> breakdown) {

  /**
   * A rank that is gone or silent.
   *
   * @param left whether it said so itself
   * @param age since it was heard of
   * @param toldAge since this was last seen to be so
   */
  record Absence(int rank, boolean left, long age, long toldAge) {}

  /** A rank that cannot go on with the others, and why. */
  record Breakdown(int rank, String reason) {}

  byte[] toBytes() {
    RecordWriter out = RecordWriter.onHeap();
    out.putVarint(round).putVarint(activity).putByte(leaving ? 1 : 0).putVarint(absences.size());
    for (Absence absence : absences) {
      out.putVarint(absence.rank)
          .putByte(absence.left ? 1 : 0)
          .putVarint(absence.age)
          .putVarint(absence.toldAge);
    }
    out.putByte(breakdown.isPresent() ? 1 : 0);
    breakdown.ifPresent(one -> out.putVarint(one.rank).putText(one.reason));
    return out.toArray();
  }

  static Beat of(byte[] message, int from) throws IOException {
    return RecordReader.parse(message, "a beat of rank " + from, Beat::read);
  }

  private static Beat read(RecordReader in) throws IOException {
    long round = in.getVarint();
    long activity = in.getVarint();
    boolean leaving = in.getByte() != 0;
    int count = in.getSmallVarint("a number of absent ranks");
    List<Absence> absences = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      absences.add(
          new Absence(
              in.getSmallVarint("a rank"), in.getByte() != 0, in.getVarint(), in.getVarint()));
    }
    Optional<Breakdown> breakdown =
        in.getByte() == 0
            ? Optional.empty()
            : Optional.of(new Breakdown(in.getSmallVarint("a rank"), in.getText()));
    return new Beat(round, activity, leaving, absences, breakdown);
  }
}
