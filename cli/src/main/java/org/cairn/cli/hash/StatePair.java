// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.hash;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Words;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.inspect.Opened;
import org.cairn.cli.inspect.StateName;
import org.cairn.cli.inspect.StateOption;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.cairn.container.VersionView;
import org.cairn.plan.hash.Exposure;
import org.cairn.plan.hash.StateStudy;
import org.cairn.plan.hash.StudiedHash;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;

/** Two states that a program saved, and which hash would have missed what became of the one. */
final class StatePair {
  private final Terminal terminal;
  private final StateOption state;
  private final List<StudiedHash> hashes;
  private final List<Integer> sizes;
  private final List<String> leftOut = new ArrayList<>();

  StatePair(Terminal terminal, StateOption state, List<StudiedHash> hashes, List<Integer> sizes) {
    this.terminal = terminal;
    this.state = state;
    this.hashes = hashes;
    this.sizes = sizes;
  }

  /** A dataset of both, and what was found of it. */
  private record Compared(String dataset, List<StateStudy.Found> found) {
    boolean isChanged() {
      return found.stream().anyMatch(one -> one.changed() > 0);
    }
  }

  Answer compare(StateName from, StateName to, Exposure exposure) throws IOException {
    List<Compared> compared;
    try (Opened before = state.open(from.path(), from.version());
        Opened after = state.open(to.path(), to.version());
        Workers workers = new Workers(Runtime.getRuntime().availableProcessors(), "study")) {
      compared = compare(before.view(), after.view(), workers);
    }
    return answer(compared, exposure);
  }

  private List<Compared> compare(VersionView before, VersionView after, Workers workers)
      throws IOException {
    List<DatasetEntry> common = common(before, after);
    List<Compared> compared = new ArrayList<>();
    long total = common.stream().mapToLong(entry -> entry.spec().byteLength()).sum();
    try (ProgressBar bar = terminal.bar("study", total, Quantities::bytes)) {
      for (DatasetEntry now : common) {
        DatasetEntry old = before.find(now.name()).orElseThrow();
        compared.add(new Compared(now.name(), study(before, old, after, now, workers, bar)));
      }
    }
    return compared;
  }

  private List<DatasetEntry> common(VersionView before, VersionView after) {
    List<DatasetEntry> common = new ArrayList<>();
    for (DatasetEntry now : after.datasets()) {
      Optional<DatasetEntry> old = before.find(now.name());
      if (old.isPresent() && old.get().spec().byteLength() == now.spec().byteLength()) {
        common.add(now);
      } else {
        leftOut.add(Printable.name(now.name()));
      }
    }
    if (common.isEmpty()) {
      throw new CommandFailedException(
          "the two states have no dataset of one name and size; cairn diff says what they have");
    }
    return common;
  }

  private List<StateStudy.Found> study(
      VersionView before,
      DatasetEntry old,
      VersionView after,
      DatasetEntry now,
      Workers workers,
      ProgressBar bar)
      throws IOException {
    StateStudy study = new StateStudy(hashes, sizes);
    long length = now.spec().byteLength();
    // Filled by the threads of a scan, so not confined to this one.
    try (Arena arena = Arena.ofShared()) {
      int most = (int) Math.min(study.pieceBytes(), length);
      MemorySegment one = arena.allocate(most);
      MemorySegment other = arena.allocate(most);
      for (long at = 0; at < length; at += study.pieceBytes()) {
        long size = Math.min(study.pieceBytes(), length - at);
        study.add(
            read(before, old, at, one.asSlice(0, size), workers),
            read(after, now, at, other.asSlice(0, size), workers));
        bar.advance(size);
      }
    }
    return study.found();
  }

  private static MemorySegment read(
      VersionView view, DatasetEntry dataset, long from, MemorySegment into, Workers workers)
      throws IOException {
    long to = from + into.byteSize();
    List<VersionSource.Damage> damages =
        view.scan(
            List.of(new VersionSource.Range(dataset, from, to)),
            workers,
            (_, block, bytes) -> {
              long start = (long) block * dataset.spec().blockSize();
              long first = Math.max(start, from);
              long size = Math.min(start + bytes.byteSize(), to) - first;
              MemorySegment.copy(bytes, first - start, into, first - from, size);
            },
            _ -> {});
    if (!damages.isEmpty()) {
      throw new CommandFailedException(damages.getFirst().what());
    }
    return into;
  }

  // ---------------------------------------------------------------- the answer

  private Answer answer(List<Compared> compared, Exposure exposure) {
    Answer answer = new Answer("What would hashes have missed between these states?");
    long changed = 0;
    long[] missed = new long[hashes.size()];
    for (Compared one : compared) {
      for (StateStudy.Found found : one.found) {
        changed += found.changed();
        for (int i = 0; i < missed.length; i++) {
          missed[i] += found.missed().get(i);
        }
      }
    }
    say(answer, changed, missed);
    answer.sheet(all(compared));
    answer.sheet(table(compared, missed));
    ExposureOptions.tell(answer, exposure);
    long same = compared.stream().filter(one -> !one.isChanged()).count();
    if (same > 0) {
      answer.note(Words.count(same) + " more dataset(s) are the same in both.");
    }
    if (!leftOut.isEmpty()) {
      answer.note(
          "Left out, because they are new or of another size: " + String.join(", ", leftOut) + ".");
    }
    return answer;
  }

  private void say(Answer answer, long changed, long[] missed) {
    if (changed == 0) {
      answer.say("The states are the same, so there is nothing that a hash could miss.");
      return;
    }
    List<String> guilty = new ArrayList<>();
    for (int i = 0; i < missed.length; i++) {
      if (missed[i] > 0) {
        guilty.add(hashes.get(i).name() + " " + Words.count(missed[i]));
      }
    }
    answer.say(
        "Of "
            + Words.count(changed)
            + " changed blocks of all sizes, "
            + (guilty.isEmpty()
                ? "no hash missed any."
                : "some were missed: by " + String.join(", by ", guilty) + "."));
  }

  private Sheet all(List<Compared> compared) {
    Sheet sheet =
        new Sheet("Missed blocks", "missed")
            .column("dataset", Kind.TEXT)
            .column("block", Kind.BYTES)
            .column("blocks", Kind.COUNT)
            .column("changed", Kind.COUNT)
            .column("hash", Kind.TEXT)
            .column("missed", Kind.COUNT)
            .forMachines();
    for (Compared one : compared) {
      for (StateStudy.Found found : one.found) {
        for (int i = 0; i < hashes.size(); i++) {
          sheet.row(
              one.dataset,
              found.block(),
              found.blocks(),
              found.changed(),
              hashes.get(i).name(),
              found.missed().get(i));
        }
      }
    }
    return sheet;
  }

  /** Columns only of hashes that missed something. */
  private Sheet table(List<Compared> compared, long[] missed) {
    Sheet sheet =
        new Sheet("Changed blocks", "changed")
            .column("dataset", Kind.TEXT)
            .column("block", Kind.BYTES)
            .column("blocks", Kind.COUNT)
            .column("changed", Kind.COUNT)
            .column("part", Kind.SHARE)
            .forPeople();
    for (int i = 0; i < missed.length; i++) {
      if (missed[i] > 0) {
        sheet.column("by " + hashes.get(i).name(), Kind.COUNT);
      }
    }
    for (Compared one : compared) {
      for (StateStudy.Found found : one.found) {
        if (one.isChanged()) {
          sheet.row(row(one.dataset, found, missed));
        }
      }
    }
    return sheet;
  }

  private static Object[] row(String dataset, StateStudy.Found found, long[] missed) {
    List<Object> cells =
        new ArrayList<>(
            List.of(
                Printable.name(dataset),
                found.block(),
                found.blocks(),
                found.changed(),
                found.blocks() == 0 ? 0 : (double) found.changed() / found.blocks()));
    for (int i = 0; i < missed.length; i++) {
      if (missed[i] > 0) {
        cells.add(found.missed().get(i));
      }
    }
    return cells.toArray();
  }
}
