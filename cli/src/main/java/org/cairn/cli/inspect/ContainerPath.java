// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.pack.Packs;
import org.cairn.container.ContainerReader;
import org.cairn.store.DirectoryStore;
import org.cairn.tier.FileNames;

/**
 * A container as a user names it: the file, or one in a directory.
 *
 * @param directory the directory, as it was given
 * @param file the name of the file in it
 */
public record ContainerPath(Path directory, String file) {
  private static final String EXTENSION = ".cairn";

  /**
   * All containers that a path names: of a job those of every rank, in the order of the ranks, each
   * with the copies and the parity that the rank keeps.
   */
  public static List<ContainerPath> all(Path path) throws IOException {
    if (!Files.exists(path)) {
      throw new NoSuchFileException(path.toString());
    }
    if (!Files.isDirectory(path)) {
      return List.of(ofFile(path));
    }
    List<ContainerPath> found = new ArrayList<>(in(path));
    Optional<JobDirectory> job = JobDirectory.find(path);
    if (job.isPresent()) {
      for (Path directory : job.get().ranks().values()) {
        found.addAll(in(directory));
      }
    }
    if (found.isEmpty()) {
      if (Packs.isDirectory(path)) {
        throw new CommandFailedException(
            path
                + " is a directory of packs, which has nothing to heal itself from: cairn verify"
                + " reads and compares all of it, and what is bad is stored anew with the next"
                + " cairn pack --to");
      }
      refuseLinks(path);
      List<ContainerPath> aside = putAside(path);
      throw new CommandFailedException(
          aside.isEmpty()
              ? path + " holds no checkpoints (no file *" + EXTENSION + ")"
              : path + " holds only what was put aside: " + aside);
    }
    return found;
  }

  /** Nothing follows links, so that nobody writes where others do not look; but it is said. */
  static void refuseLinks(Path path) throws IOException {
    List<Path> directories = new ArrayList<>(List.of(path));
    JobDirectory.find(path).ifPresent(job -> directories.addAll(job.ranks().values()));
    for (Path directory : directories) {
      try (DirectoryStream<Path> links =
          Files.newDirectoryStream(
              directory,
              file -> file.toString().endsWith(EXTENSION) && Files.isSymbolicLink(file))) {
        for (Path link : links) {
          throw new CommandFailedException(
              "%s is a symbolic link to %s, and links are not followed; name the directory that the file itself lies in"
                  .formatted(link, Files.readSymbolicLink(link)));
        }
      }
    }
  }

  /** Containers that could not be read and lost their names, of a job those of every rank. */
  static List<ContainerPath> putAside(Path path) throws IOException {
    List<Path> directories = new ArrayList<>(List.of(path));
    JobDirectory.find(path).ifPresent(job -> directories.addAll(job.ranks().values()));
    List<ContainerPath> found = new ArrayList<>();
    for (Path directory : directories) {
      if (Files.isDirectory(directory)) {
        DirectoryStore.open(directory, false).list().stream()
            .filter(ContainerPath::isPutAside)
            .sorted(ContainerPath::byRank)
            .forEach(name -> found.add(new ContainerPath(directory, name)));
      }
    }
    return found;
  }

  private static boolean isPutAside(String name) {
    return FileNames.meaning(name)
        .filter(meaning -> meaning.condition() == FileNames.Condition.DAMAGED)
        .isPresent();
  }

  static List<ContainerPath> in(Path directory) throws IOException {
    return DirectoryStore.open(directory, false).list().stream()
        .filter(name -> name.endsWith(EXTENSION))
        .sorted(ContainerPath::byRank)
        .map(name -> new ContainerPath(directory, name))
        .toList();
  }

  /** The container that a path to a file names. */
  public static ContainerPath one(Path path) throws IOException {
    return ofFile(path);
  }

  /** A link to a container is followed, once, because the user named it. */
  private static ContainerPath ofFile(Path path) throws IOException {
    if (Packs.isOne(path)) {
      throw new CommandFailedException(
          path + " is a pack of files; cairn ls, show, verify, diff, export and unpack read it");
    }
    if (!path.toString().endsWith(EXTENSION) && !Packs.isOfCairn(path)) {
      throw new CommandFailedException(
          path
              + " is not a file of Cairn's: it does not begin like a container or a pack, nor end"
              + " like one; cairn pack takes in files of any kind");
    }
    Path real = path.toRealPath();
    Path directory = real.getParent();
    Path name = real.getFileName();
    if (directory == null || name == null) {
      throw new CommandFailedException(path + " is no container");
    }
    return new ContainerPath(directory, name.toString());
  }

  /** rank10 comes after rank9. */
  private static int byRank(String a, String b) {
    return a.length() != b.length() ? Integer.compare(a.length(), b.length()) : a.compareTo(b);
  }

  /** Whether it lies in this very directory. */
  boolean isIn(Path place) {
    return directory.equals(place);
  }

  /** Opens the container for reading. */
  public ContainerReader open() throws IOException {
    return ContainerReader.open(DirectoryStore.open(directory, false), file);
  }

  @Override
  public String toString() {
    return directory.resolve(file).toString();
  }
}
