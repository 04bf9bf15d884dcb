// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.pack.Pack;
import org.cairn.pack.PackDifference;
import org.cairn.pack.PackedFile;

/**
 * What {@code diff} says of two packs.
 *
 * @param same whether all files are the same, byte for byte, with their names
 * @param sameFiles how many are
 * @param files the others
 * @param problems what of the packs cannot be read, so that more may be the same, or less
 */
public record PackComparison(
    String before,
    String after,
    boolean same,
    long sameFiles,
    List<ComparedFile> files,
    List<String> problems) {

  /**
   * A file that is not the same.
   *
   * @param wasCalled its name in the first pack, if that is another one
   * @param changedBytes bytes of blocks that are new or not the same
   */
  record ComparedFile(
      String name,
      String change,
      Optional<String> wasCalled,
      Optional<Long> bytesBefore,
      Optional<Long> bytesAfter,
      long changedBytes) {}

  /** Compares two packs. */
  public static PackComparison of(Pack before, Pack after) {
    List<PackDifference> all = PackDifference.of(before, after);
    List<ComparedFile> files =
        all.stream()
            .filter(one -> one.kind() != PackDifference.Kind.SAME)
            .map(PackComparison::file)
            .toList();
    List<String> problems = problems(before, after);
    boolean same =
        problems.isEmpty()
            && all.stream()
                .allMatch(
                    one ->
                        one.kind() == PackDifference.Kind.SAME
                            || one.kind() == PackDifference.Kind.TOUCHED);
    return new PackComparison(
        before.location(), after.location(), same, all.size() - files.size(), files, problems);
  }

  private static List<String> problems(Pack... packs) {
    return Stream.of(packs)
        .flatMap(
            pack ->
                pack.knownDamages().stream()
                    .map(
                        one ->
                            "%s: %s: %s"
                                .formatted(pack.location(), one.file().readable(), one.what())))
        .distinct()
        .toList();
  }

  private static ComparedFile file(PackDifference one) {
    boolean renamed = one.kind() == PackDifference.Kind.RENAMED;
    return new ComparedFile(
        one.name().readable(),
        one.kind().name().toLowerCase(Locale.ROOT).replace('_', ' '),
        renamed ? one.before().map(file -> file.name().readable()) : Optional.empty(),
        one.before().map(PackedFile::size),
        one.after().map(PackedFile::size),
        one.changed());
  }

  /** Prints it for people. */
  public void print(Terminal terminal) {
    problems.forEach(problem -> terminal.remark("cairn diff: " + Printable.oneLine(problem)));
    if (files.isEmpty()) {
      terminal
          .out()
          .println(
              problems.isEmpty()
                  ? "The files are the same."
                  : "The files that can be read are the same.");
      return;
    }
    Table table = new Table("file", "change", ">size before", ">size after", ">changed");
    for (ComparedFile file : files) {
      table.row(
          Printable.oneLine(file.name),
          file.change + file.wasCalled.map(name -> ", was " + Printable.oneLine(name)).orElse(""),
          file.bytesBefore.map(Quantities::bytes).orElse("-"),
          file.bytesAfter.map(Quantities::bytes).orElse("-"),
          Quantities.bytes(file.changedBytes));
    }
    terminal.print(table);
    terminal
        .out()
        .printf(
            "%s changed in %s; %s %s the same.%n",
            Quantities.bytes(files.stream().mapToLong(ComparedFile::changedBytes).sum()),
            Packs.files(files.size()),
            Packs.files(sameFiles),
            sameFiles == 1 ? "is" : "are");
  }
}
