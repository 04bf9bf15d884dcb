// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import org.cairn.container.ContainerReader;
import org.cairn.store.FullDisk;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreLock;
import org.cairn.tier.FileNames;
import org.cairn.tier.Home;
import org.cairn.version.Lineage;
import org.cairn.version.Lives;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Containers of other lives in the directory of a rank: they take space, are never written to, and
 * are deleted only if the program allows it.
 */
final class OtherLives {
  private static final Logger LOG = LoggerFactory.getLogger(OtherLives.class);

  private final Store store;
  private final Lineage mine;

  OtherLives(Store store, Lineage mine) {
    this.store = store;
    this.mine = mine;
  }

  /** Says how many bytes they take, if it is a full disk that something failed of. */
  static void nameIfFull(Home home, Throwable failure) {
    if (FullDisk.isReason(failure) && home.isEntered()) {
      String others = new OtherLives(home.store(), home.lineage()).describe();
      if (!others.isEmpty()) {
        LoggerFactory.getLogger(Job.class)
            .warn(
                "rank {}: {}; Options.pruneOthersAfter or cairn prune make room",
                home.rank(),
                others);
      }
    }
  }

  /**
   * A container of another life.
   *
   * @param job the name of its job, as it says inside; null if it cannot be read
   * @param whose its life, for people
   * @param versions what it holds, newest first
   */
  record Other(
      String file, long bytes, @Nullable String job, String whose, List<VersionInfo> versions) {
    private Optional<Instant> newest() {
      return versions.stream().map(VersionInfo::takenAt).findFirst();
    }

    @Override
    public String toString() {
      return "%s (%,d bytes, %s%s)"
          .formatted(
              file,
              bytes,
              whose,
              newest().map(taken -> ", newest version taken " + taken).orElse(", no version"));
    }
  }

  /** All there are, as far as they can be read. */
  List<Other> find() {
    List<Other> others = new ArrayList<>();
    try {
      for (String name : store.list()) {
        if (FileNames.meaning(name).isPresent()) {
          read(name).ifPresent(others::add);
        }
      }
    } catch (IOException e) {
      LOG.warn("files of other lives cannot be listed: {}", e.toString());
    }
    return others;
  }

  private Optional<Other> read(String name) {
    try (ContainerReader reader = ContainerReader.open(store, name)) {
      Lineage written = reader.ownership().lineage();
      List<VersionInfo> versions = reader.versions();
      boolean ours =
          written.job().equals(mine.job())
              && versions.stream().map(VersionInfo::id).allMatch(mine::owns);
      return ours
          ? Optional.empty()
          : Optional.of(
              new Other(name, reader.fileBytes(), written.name(), describe(written), versions));
    } catch (IOException e) {
      return size(name).map(bytes -> new Other(name, bytes, null, "unreadable", List.of()));
    }
  }

  private static String describe(Lineage written) {
    return "job " + written.brief() + (written.name().isEmpty() ? "" : " " + written.name());
  }

  private Optional<Long> size(String name) {
    try (StoreFile file = store.open(name, Store.Access.READ)) {
      return Optional.of(file.size());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** One line for people; empty if there is nothing of others. */
  String describe() {
    List<Other> others = find();
    if (others.isEmpty()) {
      return "";
    }
    StringJoiner names = new StringJoiner(", ");
    others.forEach(other -> names.add(other.toString()));
    return "%,d bytes here are of other lives, and stay: %s"
        .formatted(others.stream().mapToLong(Other::bytes).sum(), names);
  }

  /**
   * Deletes what is past, or has no version taken within {@code age}, unless somebody is writing
   * it. Files that cannot be read, or hold no version, stay: nobody knows what they are for. So do
   * those with a version that is to be kept.
   *
   * @param lives what was known before this run began; its own choices do not count yet
   */
  void prune(Duration age, Instant now, Lives lives) {
    for (Other other : find()) {
      boolean past =
          other.versions.stream().map(VersionInfo::id).allMatch(version -> lives.isPast(version));
      boolean old = other.newest().filter(taken -> taken.isBefore(now.minus(age))).isPresent();
      boolean sameName = mine.name().equals(other.job);
      boolean kept = other.versions.stream().anyMatch(version -> version.label().kept());
      if (!other.versions.isEmpty() && sameName && !kept && (past || old)) {
        delete(other);
      }
    }
  }

  private void delete(Other other) {
    String lockName = FileNames.lockOf(other.file);
    try (StoreLock _ = store.lock(lockName)) {
      store.delete(other.file);
      store.forceDirectory();
      LOG.warn("deleted {}", other);
    } catch (IOException e) {
      LOG.warn("{} stays: {}", other, e.toString());
    }
  }
}
