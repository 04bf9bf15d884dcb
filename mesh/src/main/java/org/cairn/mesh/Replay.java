// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Checkpointer;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.comm.Communicator;
import org.cairn.mesh.live.Box;
import org.cairn.mesh.live.Boxes;
import org.cairn.mesh.live.LoopPlace;
import org.cairn.mesh.ranks.Bricks;
import org.cairn.version.VersionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A program on its way to where it was: it does what it did, loops are skipped, values given again.
 * Whether it is the same program is looked at all the way.
 */
final class Replay {
  private static final Logger LOG = LoggerFactory.getLogger(Mesh.class);

  private final SavedProgram saved;
  private final Datasets datasets;
  private final Bookkeeping books;
  private final List<Datasets.Late> late;
  private final RestartReport report;
  private final long began = System.nanoTime();
  private int fields;

  private Replay(
      SavedProgram saved,
      Datasets datasets,
      Bookkeeping books,
      List<Datasets.Late> late,
      RestartReport report) {
    this.saved = saved;
    this.datasets = datasets;
    this.books = books;
    this.late = late;
    this.report = report;
  }

  // ---------------------------------------------------------------- beginning

  /**
   * Restores the newest good version into memory, if there is one. Its fields come later: the
   * program has not made them yet.
   */
  static Optional<Replay> find(
      Checkpointer cairn,
      MeshOptions options,
      Communicator ranks,
      Datasets datasets,
      Bookkeeping books) {
    RestartRequest request = options.restart();
    RestartReport seen = cairn.peek(request, Bookkeeping.PROGRAM, Bookkeeping.LATE);
    while (seen.version().isPresent()) {
      if (!seen.restored().contains(Bookkeeping.PROGRAM)) {
        throw new IllegalStateException(
            "the directory has checkpoints of a program that is no mesh; give this one another directory");
      }
      VersionId version = seen.version().get();
      try {
        return Optional.of(restore(cairn, request.asPeeked(version), ranks, datasets, books));
      } catch (CheckpointUnavailableException e) {
        // Its fields are damaged, though what is known of them is not: an older one may be whole.
        datasets.giveUp();
        seen = cairn.peek(request.before(version), Bookkeeping.PROGRAM, Bookkeeping.LATE);
        if (seen.version().isEmpty()) {
          throw e;
        }
      }
    }
    cairn.restart(request); // a first run, or it refuses
    return Optional.empty();
  }

  private static Replay restore(
      Checkpointer cairn,
      RestartRequest request,
      Communicator ranks,
      Datasets datasets,
      Bookkeeping books) {
    SavedProgram saved = books.program();
    if (!saved.recordedHere().isEmpty() && saved.ranks() != ranks.size()) {
      throw new IllegalStateException(
          "%d ranks recorded values for themselves with recordHere() (%s), and there are %d now: nobody knows whose would be whose; use as many ranks, or record()"
              .formatted(saved.ranks(), saved.recordedHere().getFirst(), ranks.size()));
    }
    Map<String, Bricks> bricks = new LinkedHashMap<>();
    for (SavedProgram.SavedGrid grid : saved.grids()) {
      bricks.put(
          grid.name(),
          Bricks.of(grid.name(), grid.cells(), grid.axes(), grid.halo(), ranks.size()));
    }
    for (SavedField field : saved.saved()) {
      datasets.awaitRestart(field, bricksOf(bricks, field));
    }
    List<Datasets.Late> late = new ArrayList<>();
    List<SavedField> lateFields = books.lateFields();
    for (int n = 0; n < lateFields.size(); n++) {
      late.add(datasets.awaitLate(lateFields.get(n), n, bricksOf(bricks, lateFields.get(n))));
    }
    books.awaitOwn(saved.recordedHere());
    RestartReport report = cairn.restart(request);
    books.restored(saved);
    return new Replay(saved, datasets, books, late, report);
  }

  private static Bricks bricksOf(Map<String, Bricks> bricks, SavedField field) {
    String grid = field.path().substring(0, field.path().indexOf('/'));
    Bricks found = bricks.get(grid);
    if (found == null) {
      throw new IllegalStateException("grid \"%s\" was not saved".formatted(grid));
    }
    return found;
  }

  // ---------------------------------------------------------------- is it the same program?

  void require(SavedProgram.SavedGrid grid) {
    for (SavedProgram.SavedGrid one : saved.grids()) {
      if (one.name().equals(grid.name()) && !one.isSame(grid)) {
        throw new ProgramChangedException(
            "grid \"%s\" is %s, and the one that was saved is %s; use the same size, or another directory"
                .formatted(grid.name(), grid, one));
      }
    }
  }

  void require(Data field) {
    int number = fields++;
    String now = words(field);
    if (number < saved.fields().size() && !saved.fields().get(number).equals(now)) {
      throw new ProgramChangedException(
          "field %d is %s, and that of the program that was saved is %s; it was changed since"
              .formatted(number + 1, now, saved.fields().get(number)));
    }
  }

  /** What is stored of a field to recognise it. */
  static String words(Data field) {
    return "%s \"%s\"".formatted(field.type().label(), field.path());
  }

  void require(KnownLoop loop, long calls) {
    if (loop.id() >= saved.loops().size()) {
      throw new ProgramChangedException(
          "after %,d calls the program has a loop %s that the one which was saved did not have; it was changed since, or has other arguments"
              .formatted(calls, loop));
    }
    String before = saved.loops().get(loop.id());
    if (!before.equals(loop.description())) {
      throw new ProgramChangedException(
          "after %,d calls comes the loop %s, and in the program that was saved it was %s; it was changed since, or has other arguments"
              .formatted(calls, loop, before));
    }
  }

  /** The kernel does something else under the same name: perhaps that was wanted. */
  void warnIfChanged(KnownLoop loop) {
    List<Long> before = saved.bodies();
    long was = loop.id() < before.size() ? before.get(loop.id()) : 0;
    if (was != 0 && loop.body() != 0 && was != loop.body()) {
      LOG.warn(
          "the loop {} does not do what the one did that was saved: from where it was, the program goes on with the new one",
          loop);
    }
  }

  /** A digest was noted. */
  void require(Chain chain, KnownLoops known) {
    if (saved.isHere()) {
      return; // what comes before here() is looked at when it comes
    }
    long stretch = chain.calls() / Chain.STRETCH - 1;
    MemorySegment stored = books.storedDigests();
    if (Chain.digestIn(stored, stretch) != chain.digestAt(stretch)) {
      int[] last = chain.last(Chain.STRETCH);
      throw new ProgramChangedException(
          "calls %,d to %,d are not those of the program that was saved; they begin with the loop %s and end with %s; the program was changed since, or has other arguments"
              .formatted(
                  stretch * Chain.STRETCH + 1,
                  chain.calls(),
                  known.get(last[0]),
                  known.get(last[last.length - 1])));
    }
  }

  /** The initial phase ended after so many calls, or has not ended yet: -1. */
  void requireReadyAt(long calls) {
    if (saved.readyAt() != calls) {
      throw new ProgramChangedException(
          "ready() was called %s, and in the program that was saved %s; it was changed since"
              .formatted(readyWords(calls), readyWords(saved.readyAt())));
    }
  }

  private static String readyWords(long calls) {
    return calls < 0 ? "not yet" : "after %,d loops".formatted(calls);
  }

  void requireHereAt(long calls) {
    if (saved.calledHere() != calls) {
      throw new ProgramChangedException(
          "the first here() comes after %,d calls, and in the program that was saved it came after %,d; it was changed since, or has other arguments"
              .formatted(calls, saved.calledHere()));
    }
  }

  // ---------------------------------------------------------------- on the way

  /** Whether the program has come to the place. */
  boolean isAt(long calls) {
    return !saved.isHere() && calls == saved.calls();
  }

  /** Whether a loop after so many calls is run: the initial phase is, and what is before here(). */
  boolean runsAt(long calls) {
    return saved.isHere() || calls < saved.readyAt();
  }

  SavedProgram saved() {
    return saved;
  }

  // ---------------------------------------------------------------- there

  /** Gives fields and numbers what they had. */
  void arrive(Chain chain, Fields all, Cells cells, boolean poisons) {
    if (!saved.isHere() && chain.digest() != saved.digest()) {
      throw new ProgramChangedException(
          "the last calls up to %,d are not those of the program that was saved; it was changed since, or has other arguments"
              .formatted(chain.calls()));
    }
    if (!books.journal().isAtEnd()) {
      throw new ProgramChangedException(
          "the program has come to where it was saved, and was given fewer values than were recorded; it was changed since");
    }
    if (poisons) {
      poison(all);
    }
    datasets.arrive(all);
    for (Datasets.Late one : late) {
      Datasets.unpack(Datasets.byPath(all, one.saved().path()), one.saved(), one.memory());
    }
    datasets.giveUpLate(late);
    if (saved.isHere()) {
      cells.set(saved.cells());
      countWritten(all); // by loops that were not replayed
    }
    books.arrived();
  }

  private void countWritten(Fields all) {
    for (SavedField one : saved.saved()) {
      all.count(Datasets.byPath(all, one.path()), one.points());
    }
    for (Datasets.Late one : late) {
      all.count(Datasets.byPath(all, one.saved().path()), one.saved().points());
    }
  }

  /** What was written since the initial phase becomes something that nobody can have wanted. */
  private static void poison(Fields all) {
    List<Boxes> written = all.written();
    for (Data field : all.list()) {
      for (Box box : written.get(field.index()).intersect(field.owned()).list()) {
        MemorySegment wrong = Arena.ofAuto().allocate(box.points() * field.type().bytes(), 8);
        wrong.fill((byte) 0xFF); // not a number, or -1
        Datasets.unpack(field, SavedField.packed(field, Boxes.of(box)), wrong);
      }
    }
  }

  /**
   * The plan that the version was taken by: with it the next one is differential.
   *
   * @param isListed whether the program says what is saved
   */
  Plan plan(Fields all, boolean isListed) {
    List<Boxes> save = new ArrayList<>();
    for (Data field : all.list()) {
      save.add(
          saved.saved().stream()
              .filter(one -> one.path().equals(field.path()))
              .map(SavedField::points)
              .findFirst()
              .orElse(Boxes.NONE));
    }
    return new Plan(
        new LoopPlace(saved.loop(), saved.before()),
        false,
        isListed,
        save,
        Chain.STRETCH,
        0,
        saved.report());
  }

  String summary() {
    return "%s; replayed in %.3f s".formatted(report, (System.nanoTime() - began) * 1e-9);
  }
}
