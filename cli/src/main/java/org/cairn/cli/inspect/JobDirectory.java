// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.cairn.tier.FileNames;

/**
 * The directory of a job of many ranks, which has one for each of them: {@code rank0}, {@code
 * rank1} and so on.
 *
 * @param path the directory, as it was given
 * @param ranks the directories that are there
 */
public record JobDirectory(Path path, SortedMap<Integer, Path> ranks) {
  /** The job that a path names, if it names one. */
  public static Optional<JobDirectory> find(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return Optional.empty();
    }
    SortedMap<Integer, Path> ranks = new TreeMap<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path, Files::isDirectory)) {
      for (Path entry : entries) {
        String name = String.valueOf(entry.getFileName());
        if (FileNames.isDirectory(name)) {
          ranks.put(Integer.parseInt(name.substring("rank".length())), entry);
        }
      }
    }
    return ranks.isEmpty() ? Optional.empty() : Optional.of(new JobDirectory(path, ranks));
  }

  /** A file of the job, as short as it can be told. */
  String shortName(ContainerPath file) {
    return path.relativize(file.directory().resolve(file.file())).toString();
  }
}
