// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import org.cairn.Checkpoints;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Folder;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.Retention;
import org.cairn.container.VersionView;
import org.cairn.store.DirectoryStore;
import org.cairn.tier.FileNames;
import org.cairn.tier.shared.SharedTier;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * A container that is open for reading, and the version in it that is meant. What lies in a shared
 * directory is brought into a container of its own first, which goes when this is closed.
 */
public final class Opened implements AutoCloseable {
  private final ContainerReader reader;
  private final @Nullable VersionId version;
  private final String location;
  private final Path file;
  private final @Nullable Path temporary;

  private Opened(
      ContainerReader reader,
      @Nullable VersionId version,
      String location,
      Path file,
      @Nullable Path temporary) {
    this.reader = reader;
    this.version = version;
    this.location = location;
    this.file = file;
    this.temporary = temporary;
  }

  static Opened of(ContainerPath container, @Nullable VersionId version) throws IOException {
    ContainerReader reader = container.open();
    Path file = container.directory().resolve(container.file());
    return new Opened(reader, version, reader.location(), file, null);
  }

  /** Brings versions of a rank from a shared directory, older ones first; the last is meant. */
  static Opened fetch(SharedPlace shared, List<VersionId> versions, int rank) throws IOException {
    VersionId meant = versions.getLast();
    Path temporary = Files.createTempDirectory("cairn");
    boolean done = false;
    try {
      String name = FileNames.local(rank);
      DirectoryStore store = DirectoryStore.open(temporary, false);
      Lineage lineage = shared.lineage(meant).orElseThrow();
      Ownership owner = new Ownership(lineage, Ownership.STATE, rank, meant.ranks());
      try (Container container =
          Container.open(
              store,
              name,
              Retention.newest(versions.size()),
              owner,
              new SecureRandom()::nextLong)) {
        for (VersionId version : versions) {
          SharedTier.rebuild(shared.store(), version, rank, container);
        }
      }
      ContainerReader reader = ContainerReader.open(store, name);
      done = true;
      String location = shared.path() + " (rank " + rank + ")";
      return new Opened(reader, meant, location, temporary.resolve(name), temporary);
    } finally {
      if (!done) {
        Folder.delete(temporary);
      }
    }
  }

  /** The container. */
  public ContainerReader reader() {
    return reader;
  }

  /** The version that is meant; null if the container holds none. */
  public @Nullable VersionId version() {
    return version;
  }

  /**
   * What the version holds.
   *
   * @throws CommandFailedException if there is none
   */
  public VersionView view() throws IOException {
    if (version == null) {
      throw new CommandFailedException(location + " holds no version yet");
    }
    return reader.view(version);
  }

  /** Whose state it is. */
  public int rank() {
    return reader.ownership().rank();
  }

  /**
   * The container as a program reads it; and all that lies beside it, where blocks may be that are
   * damaged in it.
   *
   * @param path what it was found in
   * @param shared the shared directory that belongs to that; null to look at none
   */
  public Checkpoints withOthers(Path path, @Nullable Path shared) throws IOException {
    boolean alone = temporary != null || !Files.isDirectory(path) || !isState();
    return alone ? Checkpoints.open(file) : WholeArrays.checkpoints(path, shared);
  }

  private boolean isState() {
    return reader.ownership().kind() == Ownership.STATE;
  }

  /** Where it lies, for people. */
  public String location() {
    return location;
  }

  @Override
  public void close() throws IOException {
    reader.close();
    if (temporary != null) {
      Folder.delete(temporary);
    }
  }
}
