// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.PatternSyntaxException;
import org.cairn.VersionName;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.VersionConverter;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.cairn.pack.Pack;
import org.cairn.pack.PackName;
import org.cairn.pack.PackedFile;
import org.cairn.pack.Unpacker;
import org.cairn.version.DatasetEntry;
import org.cairn.work.Workers;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn unpack}. */
@Command(
    name = "unpack",
    description = {
      "Brings files back out of a pack, byte for byte, with their names, permissions and times.",
      "",
      "Every block is verified. A file appears when all of it is there and durable; no file is ever"
          + " replaced. What is damaged costs the files that it is in, and no other.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn unpack step100.cairnpack                    all, to this folder",
      "  cairn unpack step100.cairnpack -C folder          all, to another",
      "  cairn unpack step100.cairnpack --only 'ckpt_3*'   some",
      "  cairn unpack PACKS -C folder                      the newest version of a directory",
      "  cairn unpack PACKS --version 2.5 -C folder        another one",
      "",
      "Exit codes: 0 all are there, 1 some are not, 2 wrong usage."
    })
public final class UnpackCommand implements Callable<Integer> {
  private static final int LINES_OF_A_FILE = 3;

  private final Terminal terminal;

  @Parameters(paramLabel = "PACK", description = "The pack, or a directory of packs.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path path;

  @Option(
      names = "--version",
      paramLabel = "V",
      converter = VersionConverter.class,
      description = "Of a directory of packs: this version; the newest unless given.")
  private @Nullable VersionName version;

  @Option(
      names = {"-C", "--directory"},
      paramLabel = "DIR",
      defaultValue = ".",
      description = "Where files come; made if new. This folder unless given.")
  private Path folder = Path.of(".");

  @Option(
      names = "--only",
      paramLabel = "GLOB",
      description = "Files whose names, or paths, are like this; may be given several times.")
  private List<String> only = List.of();

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public UnpackCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** What was done, for machines. */
  record Report(String pack, int files, long bytes, List<String> damages) {}

  @Override
  public Integer call() throws IOException {
    only.forEach(glob -> matches(matcher(glob), "")); // refuses those that are none
    try (Pack pack = Packs.open(path, version);
        Workers workers = new Workers(Runtime.getRuntime().availableProcessors(), "unpack")) {
      List<Pack.Member> wanted =
          pack.members().stream().filter(member -> isWanted(member.file())).toList();
      requireAllFound(wanted);
      Files.createDirectories(folder);
      long total = wanted.stream().mapToLong(UnpackCommand::bytes).sum();
      List<Pack.Damage> damages;
      try (ProgressBar bar = terminal.bar("unpack", total, Quantities::bytes)) {
        damages = new Unpacker(pack, folder).unpack(wanted, workers, bar::reach);
      }
      return report(pack, wanted, damages);
    }
  }

  private static long bytes(Pack.Member member) {
    long bytes = 0;
    for (DatasetEntry stream : member.streams()) {
      bytes += stream.spec().byteLength();
    }
    return bytes;
  }

  /** Before anything is written: who asks for several, and gets some, would not notice. */
  private void requireAllFound(List<Pack.Member> wanted) {
    for (String glob : only) {
      if (wanted.stream().noneMatch(member -> isLike(glob, member.file()))) {
        throw new CommandFailedException("no file of %s is like %s".formatted(path, glob));
      }
    }
  }

  private boolean isWanted(PackedFile file) {
    return only.isEmpty() || only.stream().anyMatch(glob -> isLike(glob, file));
  }

  /** Whether a file's name, or path, is like this. */
  private static boolean isLike(String glob, PackedFile file) {
    PathMatcher matcher = matcher(glob);
    String name = file.name().readable();
    return matches(matcher, name) || matches(matcher, name.substring(name.lastIndexOf('/') + 1));
  }

  private static PathMatcher matcher(String glob) {
    try {
      return FileSystems.getDefault().getPathMatcher("glob:" + oneLine(glob));
    } catch (PatternSyntaxException e) {
      throw CommandFailedException.ambiguous("--only %s: %s".formatted(glob, e.getDescription()));
    }
  }

  /** Two stars mean any characters of a line, to the JDK. */
  private static String oneLine(String text) {
    return text.replaceAll("\\R", "\uFFFD");
  }

  private static boolean matches(PathMatcher matcher, String name) {
    try {
      return matcher.matches(Path.of(oneLine(name)));
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private int report(Pack pack, List<Pack.Member> wanted, List<Pack.Damage> damages) {
    Set<PackName> damaged = new HashSet<>();
    damages.stream()
        .filter(damage -> !pack.knownDamages().contains(damage))
        .forEach(damage -> damaged.add(damage.file()));
    List<PackedFile> back =
        wanted.stream()
            .map(Pack.Member::file)
            .filter(file -> !damaged.contains(file.name()))
            .toList();
    List<String> lines =
        damages.stream()
            .map(damage -> damage.file().readable() + ": " + damage.what())
            .distinct()
            .toList();
    if (json.requested()) {
      long bytes = back.stream().mapToLong(PackedFile::size).sum();
      JsonOption.print(terminal, new Report(path.toString(), back.size(), bytes, lines));
    } else {
      fewOfEachFile(damages).forEach(line -> terminal.remark(Printable.oneLine(line)));
      terminal
          .out()
          .printf(
              "%s from %s to %s%s%n",
              Packs.files(back.size()),
              Printable.oneLine(path.toString()),
              Printable.oneLine(folder.toString()),
              missing(damaged.size(), pack.lost().size()));
    }
    return damages.isEmpty() ? 0 : 1;
  }

  /** One frame may have hundreds of variables of a file, and each of them is damaged then. */
  static List<String> fewOfEachFile(List<Pack.Damage> damages) {
    Map<PackName, Set<String>> byFile = new LinkedHashMap<>();
    for (Pack.Damage damage : damages) {
      byFile.computeIfAbsent(damage.file(), _ -> new LinkedHashSet<>()).add(damage.what());
    }
    List<String> lines = new ArrayList<>();
    byFile.forEach(
        (file, what) -> {
          String name = file.readable();
          what.stream().limit(LINES_OF_A_FILE).forEach(one -> lines.add(name + ": " + one));
          int more = what.size() - LINES_OF_A_FILE;
          if (more > 0) {
            lines.add("%s: so are %d more parts of it; --json lists all".formatted(name, more));
          }
        });
    return lines;
  }

  /** Nobody can tell whether a file whose name is lost was asked for. */
  private String missing(int damaged, int lost) {
    if (only.isEmpty() || lost == 0) {
      int all = damaged + lost;
      return all == 0 ? "" : "; %d could not be brought back".formatted(all);
    }
    return (damaged == 0 ? "" : "; %d could not be brought back".formatted(damaged))
        + "; the names of %s of the pack are lost, which may be like %s, too"
            .formatted(Packs.files(lost), String.join(", ", only));
  }
}
