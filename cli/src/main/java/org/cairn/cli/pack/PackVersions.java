// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.cairn.cli.command.Explanations;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.pack.PackDirectory;

/**
 * What {@code ls} says of a directory of packs.
 *
 * @param fileBytes what the directory takes
 * @param problems what ails versions that cannot be read
 */
public record PackVersions(
    String directory, long fileBytes, List<ListedVersion> versions, List<String> problems) {

  /**
   * A version.
   *
   * @param set what is said of it
   * @param addedBytes what came to the directory with it
   * @param storedBytes what is stored for it, with what older ones added
   */
  record ListedVersion(
      String version, String set, String packed, int files, long addedBytes, long storedBytes) {}

  /** Lists a directory. */
  public static PackVersions of(Path path) {
    try {
      PackDirectory.Listing listing = PackDirectory.open(path).list();
      return new PackVersions(
          path.toString(),
          bytes(path),
          listing.versions().stream()
              .map(
                  one ->
                      new ListedVersion(
                          one.id().toString(),
                          one.label().text(),
                          one.made().toString(),
                          one.files(),
                          one.added(),
                          one.needed()))
              .toList(),
          listing.problems());
    } catch (IOException e) {
      return new PackVersions(path.toString(), 0, List.of(), List.of(Explanations.of(e)));
    }
  }

  private static long bytes(Path path) throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    }
  }

  /** Prints it for people. */
  public void print(Terminal terminal) {
    terminal
        .out()
        .printf(
            "%s: %s of packs, %s%n",
            Printable.oneLine(directory),
            versions.size() == 1 ? "one version" : versions.size() + " versions",
            Quantities.bytes(fileBytes));
    if (!versions.isEmpty()) {
      Table table = new Table("version", "set", "packed", ">files", ">added", ">stored");
      for (ListedVersion one : versions) {
        table.row(
            one.version,
            one.set.isEmpty() ? "-" : Printable.oneLine(one.set),
            one.packed,
            Quantities.count(one.files),
            Quantities.bytes(one.addedBytes),
            Quantities.bytes(one.storedBytes));
      }
      terminal.print(table);
    }
    terminal.out().flush();
    problems.forEach(problem -> terminal.remark("cairn ls: " + Printable.oneLine(problem)));
  }
}
