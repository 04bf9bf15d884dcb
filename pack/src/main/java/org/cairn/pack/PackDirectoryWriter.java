// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.cairn.CorruptContainerException;
import org.cairn.Label;
import org.cairn.clock.Clock;
import org.cairn.comm.SoloCommunicator;
import org.cairn.record.Digest;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.tier.shared.Manifest;
import org.cairn.tier.shared.Reference;
import org.cairn.tier.shared.SegmentWriter;
import org.cairn.tier.shared.SoleWriter;
import org.cairn.version.VersionId;

/**
 * Adds versions to a directory of packs, and deletes old ones. There is one at a time, for each
 * directory, on however many machines; for one thread.
 */
public final class PackDirectoryWriter implements AutoCloseable {
  /** As for jobs: so long a lease may rest before somebody takes it. */
  private static final Duration REST = Duration.ofSeconds(60);

  private final Store store;
  private final String location;
  private final SoleWriter writer;
  private Optional<String> obstacle = Optional.empty();

  private PackDirectoryWriter(Store store, String location, SoleWriter writer) {
    this.store = store;
    this.location = location;
    this.writer = writer;
  }

  /**
   * Opens a directory, which is made if it does not exist.
   *
   * @param keep how many versions stay
   * @throws org.cairn.store.StoreLockedException if somebody is writing there
   */
  public static PackDirectoryWriter open(Path path, int keep) throws IOException {
    return open(
        DirectoryStore.open(path, true),
        path.toString(),
        Clock.system(),
        new SecureRandom()::nextLong,
        new SoleWriter.Settings(keep, REST, host()));
  }

  static PackDirectoryWriter open(
      Store store, String location, Clock clock, LongSupplier random, SoleWriter.Settings settings)
      throws IOException {
    PackDirectory.refuseJobs(store, location);
    return new PackDirectoryWriter(
        store, location, SoleWriter.open(store, clock, random, PackDirectory.JOB, settings));
  }

  static String host() {
    try (SoloCommunicator self = new SoloCommunicator()) {
      return self.domain(0);
    }
  }

  /** The newest version that is whole. */
  public Optional<PackDirectory.Version> newest() {
    return writer.newest().map(PackDirectory.Version::of);
  }

  /** The versions, to be read. */
  public PackDirectory directory() {
    return PackDirectory.of(store, location);
  }

  Store store() {
    return store;
  }

  /** Begins a version of so many files. */
  Addition begin(int files, Label label) throws IOException {
    Optional<BaseVersion> base = base();
    try {
      return new Addition(writer.begin(files), base, label);
    } catch (IOException | RuntimeException | Error e) {
      if (base.isPresent()) {
        base.get().close();
      }
      throw e;
    }
  }

  /** Nothing, if the newest version is damaged: then all is stored again. */
  private Optional<BaseVersion> base() throws IOException {
    if (writer.newest().isEmpty()) {
      return Optional.empty();
    }
    Manifest newest = writer.newest().get();
    Pack pack;
    try {
      pack = Pack.open(store, newest, store.location(newest.name()));
    } catch (CorruptContainerException e) {
      return Optional.empty();
    }
    try {
      return Optional.of(BaseVersion.of(pack, newest, writer.emptied()));
    } catch (CorruptContainerException e) {
      pack.close();
      return Optional.empty();
    } catch (IOException | RuntimeException | Error e) {
      pack.close();
      throw e;
    }
  }

  /** A version on its way; it is gone if it is closed before it was published. */
  final class Addition implements AutoCloseable {
    private final SoleWriter.Begun begun;
    private final Optional<BaseVersion> base;
    private final Label label;
    private long size;

    private Addition(SoleWriter.Begun begun, Optional<BaseVersion> base, Label label) {
      this.begun = begun;
      this.base = base;
      this.label = label;
    }

    VersionId version() {
      return begun.version();
    }

    SegmentWriter segment() {
      return begun.segment();
    }

    /** What it is compared with; empty if nothing is there. */
    Optional<BaseVersion> base() {
      return base;
    }

    /** Whether the newest version has this label and these files. */
    boolean isSame(List<SourceFile> files, List<Digest> roots) {
      boolean alike = newest().filter(one -> one.label().equals(label)).isPresent();
      return alike && base.isPresent() && base.get().has(files, roots);
    }

    /** Makes it a version. Old ones go then, as far as that can be done now. */
    PackDirectory.Version publish() throws IOException {
      Manifest.Group group = begun.segment().finish();
      for (Reference reference : group.references()) {
        size += reference.segment().equals(group.segment()) ? reference.size() : 0;
      }
      Manifest manifest = writer.publish(begun, group, label);
      obstacle = collect();
      return PackDirectory.Version.of(manifest);
    }

    /** The version is there, whatever becomes of older ones. */
    private Optional<String> collect() {
      try {
        return writer.collect();
      } catch (IOException e) {
        return Optional.of(e.toString());
      }
    }

    /** How many bytes were added to the directory. */
    long size() {
      return size;
    }

    @Override
    public void close() throws IOException {
      try {
        begun.close();
      } finally {
        if (base.isPresent()) {
          base.get().close();
        }
      }
    }
  }

  /** Why old versions could not be deleted after the last one was added; empty if they were. */
  public Optional<String> obstacle() {
    return obstacle;
  }

  /** Lets others write. */
  @Override
  public void close() throws IOException {
    writer.close();
  }
}
