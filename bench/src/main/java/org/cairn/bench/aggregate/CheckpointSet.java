// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.cairn.Compression;
import org.cairn.pack.PackName;
import org.cairn.pack.PackReport;
import org.cairn.pack.PackSettings;
import org.cairn.pack.Packer;
import org.cairn.pack.locate.PieceNames;

/**
 * Files of one version of a program.
 *
 * @param settings which formats and classes they have
 */
public record CheckpointSet(String name, List<Path> files, PackSettings settings) {
  /** Takes a copy. */
  public CheckpointSet {
    files = List.copyOf(files);
  }

  /**
   * The reference sets that are in a folder: AMReX, Cactus and openPMD, as far as they are there.
   */
  public static List<CheckpointSet> reference(Path data) throws IOException {
    PackSettings usual = PackSettings.usual();
    PieceNames cactus =
        PieceNames.USUAL.with(List.of(new PieceNames.Rule("(it|tl|rl|c)=\\d+", "$1=#")));
    List<CheckpointSet> sets = new ArrayList<>();
    add("openPMD", data.resolve("openpmd"), usual, sets);
    add("Cactus", data.resolve("cactus_grmhd"), usual.with(cactus), sets);
    add("AMReX", data.resolve("amrex_chk3d"), usual, sets);
    return sets;
  }

  private static void add(String name, Path folder, PackSettings settings, List<CheckpointSet> sets)
      throws IOException {
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.walk(folder)) {
        List<Path> all = files.filter(Files::isRegularFile).sorted().toList();
        if (!all.isEmpty()) {
          sets.add(new CheckpointSet(name, all, settings));
        }
      }
    }
  }

  /** How many bytes they have. */
  public long bytes() throws IOException {
    long bytes = 0;
    for (Path file : files) {
      bytes += Files.size(file);
    }
    return bytes;
  }

  /** All of them, one after the other. */
  public byte[] concatenated() throws IOException {
    byte[] all = new byte[Math.toIntExact(bytes())];
    int at = 0;
    for (Path file : files) {
      byte[] one = Files.readAllBytes(file);
      System.arraycopy(one, 0, all, at, one.length);
      at += one.length;
    }
    return all;
  }

  /** Packs them; what is reported counts the whole pack, index included. */
  public PackReport pack(Compression compression, Path folder) throws IOException {
    Path target = folder.resolve(name + ".cairnpack");
    List<Packer.Input> inputs = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      inputs.add(
          new Packer.Input(
              files.get(i), new PackName("%d/%s".formatted(i, files.get(i).getFileName()))));
    }
    try (Packer packer = new Packer(settings.with(compression), _ -> {})) {
      return packer.pack(inputs, target);
    } finally {
      Files.deleteIfExists(target);
    }
  }
}
