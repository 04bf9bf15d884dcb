// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.cairn.Compression;
import org.cairn.frame.FrameOrder;
import org.cairn.pack.locate.Locator;
import org.cairn.pack.locate.Locators;
import org.cairn.pack.locate.PieceNames;
import org.cairn.pack.locate.Tiling;
import org.cairn.version.DatasetEntry;
import org.cairn.work.Workers;

/** What tests of packs have in common: folders become packs, and packs folders. */
public final class Packing {
  static final long BUDGET = 64 << 20;

  private Packing() {}

  /** Small frames, so that small files fill several; no format is known. */
  public static PackSettings settings() {
    return settings(FrameOrder.AWARE, new FrameOrder.Sizes(100, 1 << 16, 1 << 17), BUDGET, 1);
  }

  static PackSettings settings(
      FrameOrder order, FrameOrder.Sizes sizes, long budget, int threads, Locator... locators) {
    return new PackSettings(
        Compression.fast(),
        order,
        sizes,
        threads,
        budget,
        500e6,
        PieceNames.USUAL,
        Tiling.Rules.USUAL,
        Locators.of(List.of(locators)));
  }

  /** The same, asking this locator only. */
  static PackSettings settings(Locator locator) {
    return settings().with(Tiling.Rules.USUAL, Locators.of(List.of(locator)));
  }

  /** All files below a folder, in the order of their names. */
  static List<Packer.Input> inputs(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> new Packer.Input(file, PackName.of(folder, file)))
          .sorted((a, b) -> a.name().compareTo(b.name()))
          .toList();
    }
  }

  /** Packs a folder with all formats known, and shows that it comes back; gives the pack. */
  public static Path roundTrip(Path folder, Path target, Path back) throws IOException {
    PackSettings settings = settings().with(Tiling.Rules.USUAL, Locators.installed());
    PackReport report = pack(folder, target, settings);
    assertThat(report.stored()).isEqualTo(Files.size(target));
    assertThat(verify(target)).isEmpty();
    assertThat(unpack(target, Files.createDirectory(back), 1)).isEmpty();
    assertSame(folder, back);
    return target;
  }

  /** Packs all that is in a folder. */
  public static PackReport pack(Path folder, Path target, PackSettings settings)
      throws IOException {
    try (Packer packer = new Packer(settings, _ -> {})) {
      return packer.pack(inputs(folder), target);
    }
  }

  /** Brings all of it back. */
  public static List<Pack.Damage> unpack(Path pack, Path folder, int threads) throws IOException {
    try (Pack open = Pack.open(pack);
        Workers workers = new Workers(threads, "unpacking")) {
      return new Unpacker(open, folder).unpack(open.members(), workers, _ -> {});
    }
  }

  /** Opens a pack and reads all that can be read of it. */
  public static List<Pack.Damage> verify(Path pack) throws IOException {
    try (Pack open = Pack.open(pack);
        Workers workers = new Workers(1, "verifying")) {
      for (Pack.Member member : open.members()) {
        for (DatasetEntry stream : member.streams()) {
          Optional<ArrayType> _ = member.type(stream);
        }
      }
      List<Pack.Damage> damages = new ArrayList<>(open.verify(workers, _ -> {}));
      assertThat(open.verifyStored(_ -> {}).isEmpty())
          .as("the quick look sees damaged frames, too: %s", damages)
          .isEqualTo(damages.isEmpty());
      return damages;
    }
  }

  /** Shows that a folder has just these files, with their bytes, permissions and times. */
  public static void assertSame(Path expected, Path found) throws IOException {
    List<Packer.Input> wanted = inputs(expected);
    List<Packer.Input> there = inputs(found);
    assertThat(there.stream().map(Packer.Input::name).toList())
        .isEqualTo(wanted.stream().map(Packer.Input::name).toList());
    for (int i = 0; i < wanted.size(); i++) {
      assertSameFile(wanted.get(i).path(), there.get(i).path());
    }
  }

  static void assertSameFile(Path expected, Path found) throws IOException {
    assertThat(Files.mismatch(expected, found)).as("first other byte of %s", found).isEqualTo(-1);
    for (String attribute : List.of("unix:mode", "lastModifiedTime")) {
      assertThat(Files.getAttribute(found, attribute))
          .as("%s of %s", attribute, found)
          .isEqualTo(Files.getAttribute(expected, attribute));
    }
  }

  /** Shows that nothing is in a folder but these. */
  static void assertOnly(Path folder, String... names) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString()).sorted().toList())
          .isEqualTo(Arrays.stream(names).sorted().toList());
    }
  }
}
