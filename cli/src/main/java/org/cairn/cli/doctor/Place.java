// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.doctor;

import static org.cairn.cli.doctor.Finding.State.BAD;
import static org.cairn.cli.doctor.Finding.State.DOUBTFUL;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.cairn.cli.command.Explanations;
import org.cairn.cli.terminal.Quantities;
import org.cairn.store.DirectoryStore;
import org.cairn.store.StoreLock;
import org.cairn.store.StoreLockedException;

/**
 * A directory, as somebody who keeps checkpoints there should know it. What is tried there is tried
 * in a folder of our own, which is gone in the end.
 */
final class Place {
  /** The fastest disks that keep what they are told to take longer, by far. */
  private static final Duration IMPLAUSIBLE = Duration.ofNanos(15_000);

  private static final long LITTLE = 1L << 30;

  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs");

  private static final Set<String> REMOTE =
      Set.of("nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "lustre", "gpfs", "beegfs", "ceph");

  private final Path directory;
  private final Path own;

  /**
   * Prepares to look.
   *
   * @param own a folder of ours in it
   */
  Place(Path directory, Path own) {
    this.directory = directory;
    this.own = own;
  }

  List<Finding> look() throws IOException {
    return List.of(fileSystem(), space(), locks(), forces());
  }

  private Finding fileSystem() throws IOException {
    FileStore store = Files.getFileStore(directory);
    String type = store.type().toLowerCase(Locale.ROOT);
    String found = "%s (%s)".formatted(store.type(), store.name());
    if (IN_MEMORY.contains(type)) {
      return new Finding(
          "file system",
          DOUBTFUL,
          found + " is memory: checkpoints outlive the program, not the machine",
          "choose a directory on a disk, or a tier that survives it (partner, shared)");
    }
    return REMOTE.contains(type)
        ? Finding.good("file system", found + ", on the network: a shared tier can be here")
        : Finding.good("file system", found);
  }

  private Finding space() throws IOException {
    FileStore store = Files.getFileStore(directory);
    long free = store.getUsableSpace();
    String found =
        "%s of %s".formatted(Quantities.bytes(free), Quantities.bytes(store.getTotalSpace()));
    return free < LITTLE
        ? new Finding(
            "free space",
            DOUBTFUL,
            found,
            "a container needs up to twice the live data and the last delta; make room")
        : Finding.good("free space", found);
  }

  /** A second lock must be refused, in one process as well. */
  private Finding locks() {
    try {
      DirectoryStore store = DirectoryStore.open(own, true);
      try (StoreLock _ = store.lock("doctor.lock")) {
        try (StoreLock _ = store.lock("doctor.lock")) {
          return unlocked("a second lock was granted beside the first");
        } catch (StoreLockedException e) {
          return Finding.good("locks", "work: two programs cannot write one directory");
        }
      }
    } catch (IOException e) {
      return unlocked(Explanations.of(e));
    }
  }

  private static Finding unlocked(String why) {
    return new Finding(
        "locks",
        BAD,
        why,
        "choose another directory, or mount the file system with locks (of NFS: without nolock)");
  }

  private Finding forces() throws IOException {
    Duration took = Speeds.force(own.resolve("forced"));
    String found = "4 KiB are durable after %s in the median".formatted(Quantities.duration(took));
    return took.compareTo(IMPLAUSIBLE) < 0
        ? new Finding(
            "forces",
            DOUBTFUL,
            found + ": no disk is that fast, so they may be lost with the power",
            "choose a directory on a disk, or look at the options of the mount and the machine")
        : Finding.good("forces", found);
  }
}
