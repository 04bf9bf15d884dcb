// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.cli.CommandFailedException;
import org.cairn.container.ContainerReader;
import org.cairn.store.FileStore;
import org.cairn.tier.FileNames;
import org.cairn.tier.TierKind;
import org.jspecify.annotations.Nullable;

/**
 * A container as a user names it: the file, or the directory that holds it, or that of its job.
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
      throw new CommandFailedException(path + " holds no checkpoints (no file *" + EXTENSION + ")");
    }
    return found;
  }

  private static List<ContainerPath> in(Path directory) throws IOException {
    return FileStore.open(directory, false).list().stream()
        .filter(name -> name.endsWith(EXTENSION))
        .sorted(ContainerPath::byRank)
        .map(name -> new ContainerPath(directory, name))
        .toList();
  }

  /** The one container that a path names; of a rank's directory, the rank's own. */
  public static ContainerPath one(Path path) throws IOException {
    return one(path, null);
  }

  /**
   * The one container that a path and perhaps a rank name.
   *
   * @param rank which rank's container it is; null if the path is enough
   */
  public static ContainerPath one(Path path, @Nullable Integer rank) throws IOException {
    List<ContainerPath> found = all(path);
    if (rank != null && !Files.isDirectory(path)) {
      throw new CommandFailedException(path + " is one container; leave out --rank");
    }
    List<ContainerPath> chosen =
        found.size() == 1 && rank == null
            ? found
            : found.stream().filter(file -> file.isStateOf(rank)).toList();
    return switch (chosen.size()) {
      case 1 -> chosen.getFirst();
      case 0 -> throw new CommandFailedException(noState(path, rank, found));
      default -> throw new CommandFailedException(several(path, rank, chosen));
    };
  }

  private static String noState(Path path, @Nullable Integer rank, List<ContainerPath> found) {
    if (rank == null) {
      return "%s holds %d containers; name one of them, such as %s"
          .formatted(path, found.size(), found.getFirst());
    }
    return found.stream()
        .filter(file -> file.file.equals(FileNames.partner(rank)))
        .findFirst()
        .map(copy -> "%s has no container of rank %d; a copy is %s".formatted(path, rank, copy))
        .orElseGet(
            () -> "%s has no container of rank %d; it has %s".formatted(path, rank, ranks(found)));
  }

  private static String several(Path path, @Nullable Integer rank, List<ContainerPath> chosen) {
    return rank != null
        ? "%s holds %d containers of rank %d; name one of them, such as %s"
            .formatted(path, chosen.size(), rank, chosen.getFirst())
        : "%s holds the checkpoints of %d ranks; say which with --rank: it has %s"
            .formatted(path, chosen.size(), ranks(chosen));
  }

  private static String ranks(List<ContainerPath> files) {
    List<Integer> ranks =
        files.stream()
            .flatMap(file -> FileNames.meaning(file.file).stream())
            .filter(meaning -> meaning.kind() == TierKind.LOCAL)
            .map(FileNames.Meaning::rank)
            .toList();
    return ranks.isEmpty() ? "none" : JobVersion.ranks(ranks);
  }

  /** Whether this is what a rank saved, not a copy or parity. */
  private boolean isStateOf(@Nullable Integer rank) {
    return FileNames.meaning(file)
        .filter(meaning -> meaning.kind() == TierKind.LOCAL)
        .filter(meaning -> rank == null || meaning.rank() == rank)
        .isPresent();
  }

  /** A link to a container is followed, once, because the user named it. */
  private static ContainerPath ofFile(Path path) throws IOException {
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

  /** Opens the container for reading. */
  public ContainerReader open() throws IOException {
    return ContainerReader.open(FileStore.open(directory, false), file);
  }

  @Override
  public String toString() {
    return directory.resolve(file).toString();
  }
}
