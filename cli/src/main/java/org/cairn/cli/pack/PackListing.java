// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.cairn.VersionName;
import org.cairn.cli.command.Explanations;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.pack.Pack;
import org.cairn.pack.PackedFile;
import org.jspecify.annotations.Nullable;

/**
 * What {@code ls} says of a pack.
 *
 * @param bytes of all files
 * @param packedBytes of the pack; of a version of a directory, what is stored for it
 * @param problems what of it cannot be read, and why
 */
public record PackListing(
    String pack,
    long bytes,
    long packedBytes,
    String made,
    int frames,
    List<ListedFile> files,
    List<String> problems) {

  /**
   * A file.
   *
   * @param name as {@link org.cairn.pack.PackName#readable} has it
   * @param sha256 the line that {@code sha256sum -c} reads; only if it was asked for and all of the
   *     file could be read
   */
  record ListedFile(
      String name,
      long bytes,
      String mode,
      String modified,
      String format,
      int variables,
      Optional<CheckLine> sha256) {}

  /**
   * Lists a pack.
   *
   * @param sums if all files are to be read, to tell their SHA-256
   */
  public static PackListing of(Path path, @Nullable VersionName version, Optional<Sums> sums) {
    try (Pack pack = Packs.open(path, version)) {
      List<ListedFile> files = new ArrayList<>();
      List<String> problems = new ArrayList<>();
      if (sums.isPresent()) {
        listWithSums(pack, sums.get(), files, problems);
      } else {
        pack.members().forEach(member -> files.add(list(member, Optional.empty())));
      }
      pack.knownDamages().forEach(one -> problems.add(one.file().readable() + ": " + one.what()));
      return new PackListing(
          name(path, pack),
          Packs.bytesOf(pack.members()),
          Packs.isOne(path) ? pack.size() : pack.reading(pack.members()).live(),
          pack.createdAt().toString(),
          pack.frames().size(),
          files,
          problems);
    } catch (IOException e) {
      List<String> problems = List.of(Explanations.of(e));
      return new PackListing(path.toString(), 0, 0, "", 0, List.of(), problems);
    }
  }

  /** As it was named; of a directory with the version. */
  static String name(Path path, Pack pack) {
    return Packs.isOne(path) ? path.toString() : pack.location();
  }

  /** A file that is damaged has no sum, and costs no other file its own. */
  private static void listWithSums(
      Pack pack, Sums sums, List<ListedFile> files, List<String> problems) {
    try (ProgressBar bar = sums.bar(pack)) {
      for (Pack.Member member : pack.members()) {
        Optional<CheckLine> sum = Optional.empty();
        try {
          sum = Optional.of(sums.of(pack, member, bar));
        } catch (IOException e) {
          problems.add(member.file().name().readable() + ": " + Explanations.of(e));
        }
        files.add(list(member, sum));
      }
    }
  }

  private static ListedFile list(Pack.Member member, Optional<CheckLine> sum) {
    PackedFile file = member.file();
    return new ListedFile(
        file.name().readable(),
        file.size(),
        "%04o".formatted(file.mode()),
        file.modified().toString(),
        file.format(),
        variables(member),
        sum);
  }

  static int variables(Pack.Member member) {
    return Math.toIntExact(
        member.streams().stream().filter(stream -> stream.name().startsWith("/")).count());
  }

  /**
   * Prints it for people.
   *
   * @param sums whether the lines are wanted that {@code sha256sum -c} reads, and nothing else
   */
  public void print(Terminal terminal, boolean sums) {
    problems.forEach(problem -> terminal.err().println(Printable.oneLine(pack + ": " + problem)));
    if (files.isEmpty()) {
      return;
    }
    if (sums) {
      files.forEach(file -> file.sha256.ifPresent(line -> line.print(terminal.out())));
      return;
    }
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "%s: %s, %s in %s (%s), packed %s%n",
            Printable.oneLine(pack),
            Packs.files(files.size()),
            Quantities.bytes(bytes),
            Quantities.bytes(packedBytes),
            Packs.smaller(bytes, packedBytes),
            made);
    Table table = new Table("file", ">size", "mode", "modified", "format", ">variables");
    for (ListedFile file : files) {
      table.row(
          Printable.oneLine(file.name),
          Quantities.bytes(file.bytes),
          file.mode,
          file.modified,
          file.format.isEmpty() ? "-" : file.format,
          Quantities.count(file.variables));
    }
    terminal.print(table);
  }
}
