// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.PatternSyntaxException;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.SizeConverter;
import org.cairn.frame.FrameOrder;
import org.cairn.pack.PackName;
import org.cairn.pack.PackSettings;
import org.cairn.pack.Packer;
import org.cairn.pack.locate.Locators;
import org.cairn.pack.locate.PieceNames;
import org.cairn.pack.locate.Tiling;
import org.cairn.pack.raw.Description;
import org.cairn.pack.raw.RawLocator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What to pack, and how: for commands that mix it in. */
final class PackOptions {
  @Parameters(paramLabel = "FILE", arity = "0..*", description = "Files; with -r folders, too.")
  private List<Path> paths = List.of();

  @Option(
      names = {"-r", "--recursive"},
      description = "Pack folders with all files below them; links are left out.")
  private boolean recursive;

  @Option(
      names = "--bandwidth",
      paramLabel = "MB/S",
      defaultValue = "500",
      description = "How fast the pack's storage is, for auto; ${DEFAULT-VALUE} unless given.")
  private double bandwidth = 500;

  @Option(
      names = "--order",
      paramLabel = "ORDER",
      description =
          "How data of files follow each other: agnostic, agnostic-block, aware or aware-block"
              + " (aware: variables of one class side by side); aware unless given.")
  private @Nullable String order;

  @Option(
      names = "--group",
      paramLabel = "N",
      description = "So many files share frames; all unless given.")
  private @Nullable Integer group;

  @Option(
      names = "--block",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description =
          "In agnostic-block and aware-block, so much of a file follows before the next one's turn;"
              + " 1MiB unless given.")
  private @Nullable Long block;

  @Option(
      names = "--frame",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "What is compressed together; 4MiB unless given.")
  private @Nullable Long frame;

  @Option(
      names = "--map",
      paramLabel = "REGEX=TEXT",
      description =
          "Variables whose names are equal once this is replaced are of one class; may be given"
              + " several times. Its middle = divides it, as in 'it=\\d+=it=#'.")
  private List<String> maps = List.of();

  @Option(
      names = "--describe",
      paramLabel = "TOML",
      description = "What is in plain binary files; see docs/pack.md.")
  private @Nullable Path description;

  @Option(
      names = "--strict",
      description = "Refuse files whose metadata contradicts itself, in place of a note.")
  private boolean strict;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "How many compress; as many as there are cores unless given.")
  private @Nullable Integer threads;

  private final List<String> leftOut = new ArrayList<>();

  /** How files are packed, but for the effort. */
  PackSettings settings() throws IOException {
    if (!(bandwidth > 0 && bandwidth < Double.POSITIVE_INFINITY)) {
      throw CommandFailedException.ambiguous("--bandwidth wants MB/s, not " + bandwidth);
    }
    if (threads != null && threads < 1) {
      throw CommandFailedException.ambiguous("--threads wants at least 1, not " + threads);
    }
    PackSettings usual = PackSettings.usual();
    try {
      Locators locators = usual.locators();
      if (description != null) {
        locators = locators.after(new RawLocator(Description.read(description)));
      }
      PackSettings chosen =
          usual
              .with(FrameOrder.parse(order == null ? "aware" : order), sizes(usual.sizes()))
              .with(PieceNames.USUAL.with(rules()))
              .with(new Tiling.Rules(Tiling.THRESHOLD, strict), locators)
              .bandwidth(bandwidth * 1e6);
      return threads == null ? chosen : chosen.threads(threads);
    } catch (IllegalArgumentException e) {
      throw CommandFailedException.ambiguous(String.valueOf(e.getMessage()));
    }
  }

  /** Whether an order was chosen. */
  boolean hasOrder() {
    return order != null;
  }

  private FrameOrder.Sizes sizes(FrameOrder.Sizes usual) {
    return new FrameOrder.Sizes(
        group == null ? usual.group() : group,
        block == null ? usual.block() : block,
        frame == null ? usual.frame() : frame);
  }

  private List<PieceNames.Rule> rules() {
    List<PieceNames.Rule> rules = new ArrayList<>();
    for (String map : maps) {
      int divide = map.indexOf('=');
      // A pattern has = itself, as it=\d+: the text is as long as what is before its own =.
      int middle = middle(map, divide);
      if (divide < 0 || middle < 0) {
        throw CommandFailedException.ambiguous("--map wants REGEX=TEXT, not " + map);
      }
      try {
        rules.add(new PieceNames.Rule(map.substring(0, middle), map.substring(middle + 1)));
      } catch (PatternSyntaxException e) {
        throw CommandFailedException.ambiguous("--map " + map + ": " + e.getDescription());
      }
    }
    return rules;
  }

  /** With an odd number of = the middle one divides; with an even number none does. */
  private static int middle(String map, int first) {
    if (first < 0) {
      return -1;
    }
    List<Integer> all = new ArrayList<>();
    for (int at = first; at >= 0; at = map.indexOf('=', at + 1)) {
      all.add(at);
    }
    return all.size() % 2 == 1 ? all.get(all.size() / 2) : -1;
  }

  // ---------------------------------------------------------------- files

  /** Whether files were named. */
  boolean hasFiles() {
    return !paths.isEmpty();
  }

  /** What of folders is not packed, and why; known when the files are. */
  List<String> leftOut() {
    return leftOut;
  }

  /**
   * The files.
   *
   * @param except a folder that is left out, wherever it is: the one that packs go to
   */
  List<Packer.Input> inputs(@Nullable Path except) throws IOException {
    if (paths.isEmpty()) {
      throw CommandFailedException.ambiguous("name files to pack");
    }
    List<Packer.Input> inputs = new ArrayList<>();
    for (Path path : paths) {
      Path base = baseOf(path);
      if (!Files.isDirectory(path)) {
        inputs.add(new Packer.Input(path, PackName.of(base, path)));
      } else if (recursive) {
        addAll(path, base, except, inputs);
      } else {
        throw new CommandFailedException(path + " is a folder; -r packs folders");
      }
    }
    return inputs;
  }

  /** What is below the current folder keeps its path, other things their own names. */
  private static Path baseOf(Path path) {
    Path here = Path.of("").toAbsolutePath().normalize();
    Path whole = path.toAbsolutePath().normalize();
    if (whole.startsWith(here) && !whole.equals(here)) {
      return here;
    }
    return Objects.requireNonNullElse(whole.getParent(), whole);
  }

  private void addAll(Path folder, Path base, @Nullable Path except, List<Packer.Input> inputs)
      throws IOException {
    FolderFiles found = FolderFiles.below(folder, except);
    for (Path file : found.files()) {
      inputs.add(new Packer.Input(file, PackName.of(base, file)));
    }
    leftOut.addAll(found.notes());
  }
}
