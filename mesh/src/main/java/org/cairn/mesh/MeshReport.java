// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.cairn.SavedDataset;
import org.cairn.SavedState;
import org.cairn.SavedVersion;

/**
 * What a version of a mesh says of itself: where in the program it was taken and why there, what of
 * which field is in it, and how long a restart would replay.
 *
 * <p>Beside what is easy to read back, a version has lines of words with tabs between them:
 *
 * <pre>
 * Line → "place" words | "why" words | "distance" loops | "bytes" all needed
 *      | "field" name needed points boxes boxes-in-words reason
 *      | "runner-up" words bytes distance
 * </pre>
 */
public final class MeshReport {
  private final SavedProgram program;
  private final List<SavedField> late;
  private final long recordBytes;
  private final List<String[]> lines;

  private MeshReport(SavedProgram program, List<SavedField> late, long recordBytes) {
    this.program = program;
    this.late = late;
    this.recordBytes = recordBytes;
    this.lines = program.report().lines().map(line -> line.split("\t", -1)).toList();
  }

  /**
   * What is in a version of a field.
   *
   * @param name grid and field
   * @param type of its elements
   * @param needed how many points were expected to be needed at the place
   * @param points how many it has, those around the grid among them
   * @param boxes how many boxes the needed ones are
   * @param isInPlace whether the field was saved as it lies, and not only what is needed of it
   * @param savedBytes what was saved at the place, on all ranks
   * @param lateBytes what was saved after it, because a loop needed it nevertheless
   * @param reason why it was saved, or not
   */
  public record OfField(
      String name,
      String type,
      long needed,
      long points,
      int boxes,
      boolean isInPlace,
      long savedBytes,
      long lateBytes,
      String reason) {}

  /**
   * A place that was not chosen.
   *
   * @param place before which loop, after which
   * @param bytes what would be saved there
   * @param distance loops from one occurrence to the next, at most
   */
  public record RunnerUp(String place, long bytes, long distance) {}

  /**
   * What a restart does before it goes on.
   *
   * @param calls of loops that it skips
   * @param nanosPerCall what each is expected to take, with what the program does between loops
   * @param isMeasured whether 100,000 calls or more were replayed before; else it is an estimate
   * @param initialSeconds what the initial phase took, which is run again
   * @param seconds all together
   */
  public record Replayed(
      long calls, double nanosPerCall, boolean isMeasured, double initialSeconds, double seconds) {

    /** Whether a program should rather use {@link Mesh#here}. */
    public boolean takesLong() {
      return seconds > ReplayTime.LONG_SECONDS;
    }
  }

  /**
   * Reads what a version says, from the state of any rank.
   *
   * @return empty if no mesh has taken it
   */
  public static Optional<MeshReport> find(SavedVersion version) {
    int rank = version.ranksHere().isEmpty() ? 0 : version.ranksHere().first();
    SavedState state = version.rank(rank);
    Map<String, SavedDataset> datasets = new LinkedHashMap<>();
    state.datasets().forEach(one -> datasets.put(one.name(), one));
    SavedDataset program = datasets.get(Bookkeeping.PROGRAM);
    if (program == null) {
      return Optional.empty();
    }
    SavedDataset late = datasets.get(Bookkeeping.LATE);
    long record =
        datasets.values().stream()
            .filter(one -> Bookkeeping.RECORDS.contains(one.name()))
            .mapToLong(SavedDataset::byteSize)
            .sum();
    return Optional.of(
        new MeshReport(
            SavedProgram.of(program.bytes()),
            late == null ? List.of() : Bookkeeping.lateFields(late.bytes()),
            record));
  }

  /**
   * The same.
   *
   * @throws IllegalArgumentException if no mesh has taken it
   */
  public static MeshReport of(SavedVersion version) {
    return find(version)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "version %s was taken by a program that is no mesh".formatted(version.id())));
  }

  // ---------------------------------------------------------------- the place

  /** Before which loop it was taken, and after which; or at a call of {@link Mesh#here}. */
  public String place() {
    return word("place", 1);
  }

  /** Why there. */
  public String why() {
    return word("why", 1);
  }

  /** Whether the place is a call of {@link Mesh#here}: a restart does not replay. */
  public boolean isHere() {
    return program.isHere();
  }

  /** Loops from one occurrence of the place to the next, at most; 0 if that is not known. */
  public long distance() {
    return number("distance", 1);
  }

  /** How many loops were called before it. */
  public long calls() {
    return program.calls();
  }

  /** How many different loops. */
  public int loops() {
    return program.loops().size();
  }

  /** How many ranks there were. */
  public int ranks() {
    return program.ranks();
  }

  /** How many steps the program said it had done, if it said so: {@link Mesh#time}. */
  public OptionalLong step() {
    Moment moment = program.moment();
    return moment.isKnown() ? OptionalLong.of(moment.step()) : OptionalLong.empty();
  }

  /** What the program said the time was in what it simulates. */
  public OptionalDouble time() {
    Moment moment = program.moment();
    return moment.isKnown() ? OptionalDouble.of(moment.time()) : OptionalDouble.empty();
  }

  /** The next best places. */
  public List<RunnerUp> runnersUp() {
    return lines.stream()
        .filter(line -> line[0].equals("runner-up") && line.length > 3)
        .map(line -> new RunnerUp(line[1], number(line[2]), number(line[3])))
        .toList();
  }

  /** What a restart does before it goes on: at {@link Mesh#here} only what is before it. */
  public Replayed replay() {
    ReplayTime.Pace pace = program.pace();
    long calls = isHere() ? 0 : program.calls() - Math.max(0, program.readyAt());
    return new Replayed(
        calls,
        pace.nanosPerCall(),
        pace.isMeasured(),
        pace.initialNanos() * 1e-9,
        pace.seconds(calls));
  }

  // ---------------------------------------------------------------- what was saved

  /** All fields, and what is saved of each. */
  public List<OfField> fields() {
    List<OfField> all = new ArrayList<>();
    for (String[] line : lines) {
      if (line[0].equals("field") && line.length > 6) {
        all.add(field(line[1], number(line[2]), number(line[3]), (int) number(line[4]), line[6]));
      }
    }
    // Fields that were made since the place was looked for.
    for (SavedField one : late) {
      if (all.stream().noneMatch(field -> field.name().equals(one.path()))) {
        all.add(field(one.path(), 0, one.whole().points(), 0, "made after the place was found"));
      }
    }
    return all;
  }

  private OfField field(String name, long needed, long points, int boxes, String reason) {
    return new OfField(
        name,
        type(name),
        needed,
        points,
        boxes,
        program.saved().stream().anyMatch(one -> one.path().equals(name) && one.inPlace()),
        bytes(program.saved(), name),
        bytes(late, name),
        reason);
  }

  private String type(String name) {
    String quoted = " \"" + name + "\"";
    return program.fields().stream()
        .filter(words -> words.endsWith(quoted))
        .map(words -> words.substring(0, words.length() - quoted.length()))
        .findFirst()
        .orElse("");
  }

  private static long bytes(List<SavedField> saved, String name) {
    return saved.stream()
        .filter(one -> one.path().equals(name))
        .mapToLong(one -> one.points().points() * one.type().bytes())
        .sum();
  }

  /** Bytes of all fields, whatever is saved of them. */
  public long totalBytes() {
    return number("bytes", 1);
  }

  /** Bytes that were expected to be needed at the place. */
  public long neededBytes() {
    return number("bytes", 2);
  }

  /** Bytes of fields that were saved at the place; a field nearly all of which is needed, whole. */
  public long savedBytes() {
    return fields().stream().mapToLong(OfField::savedBytes).sum();
  }

  /** Bytes that were saved after the place. */
  public long lateBytes() {
    return fields().stream().mapToLong(OfField::lateBytes).sum();
  }

  /** Bytes of values recorded for a replay, which every rank has. */
  public long recordBytes() {
    return recordBytes;
  }

  /**
   * Where the elements of a field lie that is an array of the version.
   *
   * @param name grid and field
   * @return empty if nothing of it is in the version, or if it is a line
   */
  public Optional<FieldArray> array(String name) {
    List<SavedField> parts = new ArrayList<>(program.saved());
    parts.addAll(late);
    parts.removeIf(one -> one.isLine() || !one.path().equals(name));
    String gridName = name.substring(0, Math.max(0, name.indexOf('/')));
    return program.grids().stream()
        .filter(grid -> grid.name().equals(gridName) && !parts.isEmpty())
        .findFirst()
        .map(grid -> new FieldArray(grid, parts, program.ranks()));
  }

  // ---------------------------------------------------------------- words

  private String word(String what, int at) {
    return lines.stream()
        .filter(line -> line[0].equals(what) && line.length > at)
        .map(line -> line[at])
        .findFirst()
        .orElse("");
  }

  private long number(String what, int at) {
    return number(word(what, at));
  }

  private static long number(String word) {
    try {
      return word.isEmpty() ? 0 : Long.parseLong(word);
    } catch (NumberFormatException e) {
      throw new IllegalStateException("what was saved of the mesh cannot be read: " + word, e);
    }
  }
}
