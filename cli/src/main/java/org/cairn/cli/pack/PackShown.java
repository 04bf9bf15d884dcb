// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.cairn.VersionName;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.frame.Effort;
import org.cairn.pack.Pack;
import org.jspecify.annotations.Nullable;

/**
 * What {@code show} says of a pack, or of a version of a directory of packs.
 *
 * @param bytes of all files
 * @param segments in how many files data lies
 * @param frames in how many frames
 * @param storedBytes what is stored for the files
 * @param readBytes what has to be read to bring all of them back
 * @param readAmplification how many times more that is
 * @param addedBytes the size of the pack; of a version, what came to the directory with it
 * @param efforts how hard frames were compressed, and why; empty if the pack does not tell
 * @param classes variables that are alike, the largest first
 * @param problems what of it cannot be read
 */
public record PackShown(
    String pack,
    String made,
    long bytes,
    int segments,
    int frames,
    long storedBytes,
    long readBytes,
    double readAmplification,
    long addedBytes,
    List<Effort.Count> efforts,
    List<ShownFile> files,
    List<ShownClass> classes,
    List<String> problems) {
  private static final int MOST_CLASSES = 40;

  /**
   * A file.
   *
   * @param storedBytes what is stored for it, which other files may have, too
   * @param readBytes what has to be read to bring it back alone
   */
  record ShownFile(
      String name,
      String format,
      int variables,
      long bytes,
      long storedBytes,
      double ratio,
      int frames,
      long readBytes,
      double readAmplification) {}

  /**
   * A class of variables.
   *
   * @param storedBytes their part of the frames that they lie in
   * @param transforms what was done to them before they were compressed, as far as it was looked at
   * @param levels of zstd, of the frames that they lie in
   */
  record ShownClass(
      String name,
      int variables,
      long bytes,
      long storedBytes,
      double ratio,
      List<String> transforms,
      List<Integer> levels) {
    static ShownClass of(Pack.StoredClass stored) {
      return new ShownClass(
          stored.name(),
          stored.variables(),
          stored.bytes(),
          stored.stored(),
          (double) stored.bytes() / Math.max(1, stored.stored()),
          stored.transforms(),
          stored.levels());
    }
  }

  /** Looks at a pack. */
  public static PackShown of(Path path, @Nullable VersionName version) throws IOException {
    try (Pack pack = Packs.open(path, version)) {
      List<ShownFile> files = new ArrayList<>();
      long bytes = 0;
      for (Pack.Member member : pack.members()) {
        files.add(file(pack, member));
        bytes += member.file().size();
      }
      Pack.Reading all = pack.reading(pack.members());
      return new PackShown(
          PackListing.name(path, pack),
          pack.createdAt().toString(),
          bytes,
          all.segments(),
          all.frames(),
          all.live(),
          all.stored(),
          all.amplification(),
          pack.size(),
          all.efforts(),
          files,
          pack.classes(pack.members()).stream().map(ShownClass::of).toList(),
          pack.knownDamages().stream()
              .map(one -> one.file().readable() + ": " + one.what())
              .toList());
    }
  }

  private static ShownFile file(Pack pack, Pack.Member member) throws IOException {
    Pack.Reading reading = pack.reading(List.of(member));
    return new ShownFile(
        member.file().name().readable(),
        member.file().format(),
        PackListing.variables(member),
        member.file().size(),
        reading.live(),
        (double) member.file().size() / Math.max(1, reading.live()),
        reading.frames(),
        reading.stored(),
        reading.amplification());
  }

  /** Prints it for people. */
  public void print(Terminal terminal) {
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "%s: %s, %s, packed %s%n",
            Printable.oneLine(pack),
            Packs.files(files.size()),
            Quantities.bytes(bytes),
            made);
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "Stored in %s, %s; the file of this pack has %s.%n",
            Quantities.bytes(storedBytes),
            Packs.smaller(bytes, storedBytes),
            Quantities.bytes(addedBytes));
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "To bring all of it back %s of %s are read from %s: %.2f times what is needed.%n",
            frames == 1 ? "1 frame" : Quantities.count(frames) + " frames",
            Quantities.bytes(readBytes),
            Packs.files(segments),
            readAmplification);
    Efforts.print(terminal, efforts);
    terminal.out().println();
    Table table =
        new Table(
            "file",
            ">size",
            ">stored",
            ">ratio",
            "format",
            ">variables",
            ">frames",
            ">read",
            ">times");
    for (ShownFile file : files) {
      table.row(
          Printable.oneLine(file.name),
          Quantities.bytes(file.bytes),
          Quantities.bytes(file.storedBytes),
          "%.2f".formatted(file.ratio),
          file.format.isEmpty() ? "-" : file.format,
          Quantities.count(file.variables),
          Quantities.count(file.frames),
          Quantities.bytes(file.readBytes),
          "%.1f".formatted(file.readAmplification));
    }
    terminal.print(table);
    terminal.out().println("\n\"Read\" is what has to be read to bring a file back alone.");
    printClasses(terminal);
    terminal.out().flush();
    problems.forEach(problem -> terminal.remark("cairn show: " + Printable.oneLine(problem)));
  }

  private void printClasses(Terminal terminal) {
    if (classes.isEmpty()) {
      return;
    }
    Table table =
        new Table("class", ">variables", ">size", ">stored", ">ratio", "transform", "level");
    for (ShownClass one : classes.subList(0, Math.min(MOST_CLASSES, classes.size()))) {
      table.row(
          Printable.oneLine(one.name),
          Quantities.count(one.variables),
          Quantities.bytes(one.bytes),
          Quantities.bytes(one.storedBytes),
          one.storedBytes == 0 ? "-" : "%.2f".formatted(one.ratio),
          one.transforms.isEmpty() ? "-" : String.join(", ", one.transforms),
          one.levels.isEmpty()
              ? "-"
              : one.levels.stream().map(String::valueOf).collect(Collectors.joining(", ")));
    }
    terminal.out().println();
    terminal.print(table);
    if (classes.size() > MOST_CLASSES) {
      terminal
          .out()
          .printf("and %s more classes: --json\n", Quantities.count(classes.size() - MOST_CLASSES));
    }
    terminal.out().println("\nRatios are of the frames, in which several classes may lie.");
  }
}
