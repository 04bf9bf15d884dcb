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
    Before before = before();
    try {
      return new Addition(writer.begin(files), before, label);
    } catch (IOException | RuntimeException | Error e) {
      before.close();
      throw e;
    }
  }

  /**
   * The newest version.
   *
   * @param base empty if there is none, or it is damaged: then all is stored again
   * @param unreadable why it cannot be compared with anything
   */
  private record Before(
      Optional<VersionId> version, Optional<BaseVersion> base, Optional<String> unreadable) {
    static final Before NONE = new Before(Optional.empty(), Optional.empty(), Optional.empty());

    static Before damaged(Manifest manifest, CorruptContainerException what) {
      return new Before(
          Optional.of(manifest.version()),
          Optional.empty(),
          Optional.of(String.valueOf(what.getMessage())));
    }

    /** What is wrong with it, as far as it was read. */
    Optional<String> damage() {
      return unreadable
          .or(() -> base.flatMap(BaseVersion::damage))
          .map(what -> "version %s is damaged: %s".formatted(version.orElseThrow(), what));
    }

    void close() throws IOException {
      if (base.isPresent()) {
        base.get().close();
      }
    }
  }

  private Before before() throws IOException {
    if (writer.newest().isEmpty()) {
      return Before.NONE;
    }
    Manifest newest = writer.newest().get();
    Pack pack;
    try {
      pack = Pack.open(store, newest, store.location(newest.name()));
    } catch (CorruptContainerException e) {
      return Before.damaged(newest, e);
    }
    try {
      BaseVersion base = BaseVersion.of(pack, newest, writer.emptied());
      return new Before(Optional.of(newest.version()), Optional.of(base), Optional.empty());
    } catch (CorruptContainerException e) {
      pack.close();
      return Before.damaged(newest, e);
    } catch (IOException | RuntimeException | Error e) {
      pack.close();
      throw e;
    }
  }

  /** A version on its way; it is gone if it is closed before it was published. */
  final class Addition implements AutoCloseable {
    private final SoleWriter.Begun begun;
    private final Before before;
    private final Label label;
    private long size;

    private Addition(SoleWriter.Begun begun, Before before, Label label) {
      this.begun = begun;
      this.before = before;
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
      return before.base;
    }

    /** Whether the newest version has this label and these files. */
    boolean isSame(List<SourceFile> files, List<Digest> roots) {
      boolean alike = newest().filter(one -> one.label().equals(label)).isPresent();
      return alike && before.base.filter(base -> base.has(files, roots)).isPresent();
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

    /**
     * The version is there, whatever becomes of older ones. If the one before has decayed they may
     * be the last whole ones beside it, and stay; the next addition has a sound one before it.
     */
    private Optional<String> collect() {
      Optional<String> damage = before.damage();
      if (damage.isPresent()) {
        return damage.map("old versions stay for now: %s"::formatted);
      }
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
        before.close();
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
