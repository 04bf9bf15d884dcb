// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.record.Field;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What a run makes durable about itself before it takes its first version. It never changes.
 *
 * <pre>
 * RunInfo → length:u32 Fields
 *   1 run:u64     2 began:u64 (ms)     3 ranks:u32     4 continues:VersionId (absent: from nothing)
 *   5 chosen:u8 (1 if a person said so)     6 VersionId*, left behind
 *   7 follows:u64, a run (absent: none)
 * </pre>
 *
 * @param began when it began, by its own clock
 * @param ranks how many ranks it had
 * @param continues the version whose state it began with; empty if it began from nothing
 * @param chosen whether a person chose that, against what else there was
 * @param leftBehind of every other run whose versions it saw, the newest: those up to it are past
 * @param follows the run whose life it goes on with; it may continue a version from before that run
 * @param unknown fields of later releases
 */
public record RunInfo(
    RunId id,
    Instant began,
    int ranks,
    Optional<VersionId> continues,
    boolean chosen,
    List<VersionId> leftBehind,
    Optional<RunId> follows,
    List<Field> unknown) {
  /** How many versions a run can leave behind: one of each other run that is remembered. */
  public static final int MAX_LEFT_BEHIND = 1000;

  private static final int RUN = 1;
  private static final int BEGAN = 2;
  private static final int RANKS = 3;
  private static final int CONTINUES = 4;
  private static final int CHOSEN = 5;
  private static final int LEFT_BEHIND = 6;
  private static final int FOLLOWS = 7;

  /**
   * Keeps the time as files do, so that a run equals itself after it was read back; refuses more
   * left behind than {@link #MAX_LEFT_BEHIND}.
   */
  public RunInfo {
    if (leftBehind.size() > MAX_LEFT_BEHIND) {
      throw new IllegalArgumentException(
          "run %s leaves %d versions behind; at most %d can be told"
              .formatted(id, leftBehind.size(), MAX_LEFT_BEHIND));
    }
    began = began.truncatedTo(ChronoUnit.MILLIS);
    leftBehind = List.copyOf(leftBehind);
    unknown = List.copyOf(unknown);
  }

  /** A run of this release. */
  public static RunInfo of(
      RunId id,
      Instant began,
      int ranks,
      Optional<VersionId> continues,
      boolean chosen,
      List<VersionId> leftBehind,
      Optional<RunId> follows) {
    return new RunInfo(id, began, ranks, continues, chosen, leftBehind, follows, List.of());
  }

  void write(RecordWriter out) {
    long start = out.begin();
    out.putLongField(RUN, id.bits());
    out.putLongField(BEGAN, began.toEpochMilli());
    out.putIntField(RANKS, ranks);
    if (continues.isPresent()) {
      long field = out.beginField(CONTINUES);
      continues.get().write(out);
      out.end(field);
    }
    out.putShort(CHOSEN).putInt(1).putByte(chosen ? 1 : 0);
    long field = out.beginField(LEFT_BEHIND);
    leftBehind.forEach(version -> version.write(out));
    out.end(field);
    follows.ifPresent(run -> out.putLongField(FOLLOWS, run.bits()));
    out.putFields(unknown);
    out.end(start);
  }

  static RunInfo read(RecordReader in) throws IOException {
    Fields fields = Fields.read(in.getCountedRecord());
    RunId id = new RunId(fields.get(RUN, "run").getLong());
    Instant began = Instant.ofEpochMilli(fields.get(BEGAN, "time").getLong());
    int ranks = fields.get(RANKS, "number of ranks").getNumber("a number of ranks");
    Optional<RecordReader> continued = fields.find(CONTINUES);
    Optional<VersionId> continues =
        continued.isEmpty() ? Optional.empty() : Optional.of(VersionId.read(continued.get()));
    boolean chosen = fields.get(CHOSEN, "choice").getByte() != 0;
    List<VersionId> leftBehind = new ArrayList<>();
    RecordReader left = fields.get(LEFT_BEHIND, "list of what was left behind");
    while (left.remaining() > 0) {
      if (leftBehind.size() == MAX_LEFT_BEHIND) {
        throw left.corrupt("more than " + MAX_LEFT_BEHIND + " versions left behind");
      }
      leftBehind.add(VersionId.read(left));
    }
    Optional<RecordReader> followed = fields.find(FOLLOWS);
    Optional<RunId> follows =
        followed.isEmpty() ? Optional.empty() : Optional.of(new RunId(followed.get().getLong()));
    return new RunInfo(
        id,
        began,
        ranks,
        continues,
        chosen,
        leftBehind,
        follows,
        fields.unknown(RUN, BEGAN, RANKS, CONTINUES, CHOSEN, LEFT_BEHIND, FOLLOWS));
  }
}
