// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.cairn.tier.shared.SegmentSource;
import org.cairn.work.Workers;

/**
 * Brings files back out of a pack, byte for byte, with their permissions and times. A file appears
 * under its name when all of its bytes were verified and are durable, or not at all; what is
 * damaged costs no other file.
 */
public final class Unpacker {
  private final Pack pack;
  private final Path folder;

  /**
   * Unpacks a pack.
   *
   * @param folder below which files come; it exists
   */
  public Unpacker(Pack pack, Path folder) {
    this.pack = pack;
    this.folder = folder;
  }

  /**
   * Unpacks files, with as many threads as there are cores.
   *
   * @param wanted those of the pack
   * @param progress is told how many bytes were read
   * @return those that could not be brought back, and why; with them those of which the pack cannot
   *     even tell the name
   * @throws IOException if nothing can be written; files that exist are never replaced
   */
  public List<Pack.Damage> unpack(Collection<Pack.Member> wanted, LongConsumer progress)
      throws IOException {
    try (Workers workers = new Workers(Runtime.getRuntime().availableProcessors(), "unpack")) {
      return unpack(wanted, workers, progress);
    }
  }

  /**
   * Unpacks files.
   *
   * @param wanted those of the pack
   * @param workers of Cairn's own modules; others leave them out
   * @param progress is told how many bytes were read
   * @return those that could not be brought back, and why; with them those of which the pack cannot
   *     even tell the name
   * @throws IOException if nothing can be written; files that exist are never replaced
   */
  public List<Pack.Damage> unpack(
      Collection<Pack.Member> wanted, Workers workers, LongConsumer progress) throws IOException {
    requireSpace(wanted);
    try (Targets targets = new Targets(folder)) {
      List<Targets.Target> begun = new ArrayList<>();
      List<SegmentSource.Wanted> all = new ArrayList<>();
      for (Pack.Member member : wanted) {
        Targets.Target target = targets.begin(member);
        begun.add(target);
        all.add(member.all(target));
      }
      List<Pack.Damage> damages = pack.read(all, workers, progress);
      Set<PackName> damaged = new HashSet<>();
      damages.forEach(damage -> damaged.add(damage.file()));
      for (Targets.Target target : begun) {
        if (!damaged.contains(target.name())) {
          target.publish();
        }
      }
      targets.force();
      return pack.withLost(damages);
    }
  }

  /** A pack of a few bytes may claim files of exabytes. */
  private void requireSpace(Collection<Pack.Member> wanted) throws IOException {
    long free = Files.getFileStore(folder).getUsableSpace();
    long needed = 0;
    for (Pack.Member member : wanted) {
      needed += Math.min(member.storedBytes(), Long.MAX_VALUE - needed);
    }
    if (needed > free) {
      Pack.Member largest =
          Collections.max(wanted, Comparator.comparingLong(Pack.Member::storedBytes));
      throw new IOException(
          "%s has too little space for what is in %s: %d bytes are free, and %d are needed; the largest file, %s, has %d of them"
              .formatted(
                  folder,
                  pack.location(),
                  free,
                  needed,
                  largest.file().name(),
                  largest.storedBytes()));
    }
  }
}
