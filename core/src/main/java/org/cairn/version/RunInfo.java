// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.record.Digest;
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
 *   7 follows:u64, a run (absent: none)     8 Digest*, files of other releases left behind
 * </pre>
 *
 * @param began when it began, by its own clock
 * @param ranks how many ranks it had
 * @param continues the version whose state it began with; empty if it began from nothing
 * @param chosen whether a person chose that, against what else there was
 * @param leftBehind of every other run whose versions it saw, the newest: those up to it are past
 * @param follows the run whose life it goes on with; it may continue a version from before that run
 * @param leftFiles what tells apart, as they were, the files of other releases or machines that it
 *     saw and could not read: they are past until whoever can read them changes them
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
    List<Digest> leftFiles,
    List<Field> unknown) {
  /** How many versions a run can leave behind: one of each other run that is remembered. */
  public static final int MAX_LEFT_BEHIND = 1000;

  /** How many files of other releases a run can leave behind. */
  public static final int MAX_LEFT_FILES = 1000;

  private static final int RUN = 1;
  private static final int BEGAN = 2;
  private static final int RANKS = 3;
  private static final int CONTINUES = 4;
  private static final int CHOSEN = 5;
  private static final int LEFT_BEHIND = 6;
  private static final int FOLLOWS = 7;
  private static final int LEFT_FILES = 8;

  /**
   * Keeps the time as files do, so that a run equals itself after it was read back; refuses more
   * left behind than {@link #MAX_LEFT_BEHIND} and {@link #MAX_LEFT_FILES}.
   */
  public RunInfo {
    if (leftBehind.size() > MAX_LEFT_BEHIND) {
      throw new IllegalArgumentException(
          "run %s leaves %d versions behind; at most %d can be told"
              .formatted(id, leftBehind.size(), MAX_LEFT_BEHIND));
    }
    if (leftFiles.size() > MAX_LEFT_FILES) {
      throw new IllegalArgumentException(
          "run %s leaves %d files of other releases behind; at most %d can be told"
              .formatted(id, leftFiles.size(), MAX_LEFT_FILES));
    }
    began = began.truncatedTo(ChronoUnit.MILLIS);
    leftBehind = List.copyOf(leftBehind);
    leftFiles = List.copyOf(leftFiles);
    unknown = List.copyOf(unknown);
  }

  /** A run of this release that saw no files of others. */
  public static RunInfo of(
      RunId id,
      Instant began,
      int ranks,
      Optional<VersionId> continues,
      boolean chosen,
      List<VersionId> leftBehind,
      Optional<RunId> follows) {
    return new RunInfo(
        id, began, ranks, continues, chosen, leftBehind, follows, List.of(), List.of());
  }

  /** This run, which leaves files behind that it could not read. */
  public RunInfo leavingFiles(List<Digest> files) {
    return new RunInfo(id, began, ranks, continues, chosen, leftBehind, follows, files, unknown);
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
    if (!leftFiles.isEmpty()) {
      long files = out.beginField(LEFT_FILES);
      leftFiles.forEach(file -> file.write(out));
      out.end(files);
    }
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
        readFiles(fields.find(LEFT_FILES)),
        fields.unknown(RUN, BEGAN, RANKS, CONTINUES, CHOSEN, LEFT_BEHIND, FOLLOWS, LEFT_FILES));
  }

  private static List<Digest> readFiles(Optional<RecordReader> field) throws IOException {
    List<Digest> files = new ArrayList<>();
    while (field.isPresent() && field.get().remaining() > 0) {
      if (files.size() == MAX_LEFT_FILES) {
        throw field.get().corrupt("more than " + MAX_LEFT_FILES + " files left behind");
      }
      files.add(Digest.read(field.get()));
    }
    return files;
  }
}
