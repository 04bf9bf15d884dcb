// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.Retention;
import org.cairn.store.Store;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The container of this rank where a job begins. All are made before any of them gets its name: so
 * when one is in place, those of all ranks are there.
 */
final class NewContainer {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private final ThisRank me;
  private final Store store;
  private final Retention retention;

  NewContainer(ThisRank me, Retention retention) {
    this.me = me;
    this.store = me.store();
    this.retention = retention;
  }

  /** Makes one for a job that begins; collective. */
  LocalContainer create(Lineage lineage) throws IOException {
    return create(lineage, Optional.empty());
  }

  /**
   * The one of a job that begins again, in place or not; a new one if there is none; collective.
   */
  LocalContainer recreate(Lineage lineage, FragmentTable table) throws IOException {
    return create(lineage, ownOf(table, lineage.job()));
  }

  private LocalContainer create(Lineage lineage, Optional<String> mine) throws IOException {
    String file = null;
    Throwable failure = null;
    try {
      file =
          mine.isPresent()
              ? mine.get()
              : FileNames.free(store, me.number(), me.name(), Ownership.STATE, lineage.run().id());
      if (!store.exists(file)) {
        prepare(file, lineage);
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
    me.ranks().agree(failure);
    return open(Objects.requireNonNull(file));
  }

  private void prepare(String file, Lineage lineage) throws IOException {
    store.delete(FileNames.unfinished(file));
    Container.prepare(
        store,
        file,
        FileNames.unfinished(file),
        new Ownership(lineage, Ownership.STATE, me.number(), me.size()),
        me.setup().random());
    store.forceDirectory();
  }

  // ---------------------------------------------------------------- one that is there

  private Optional<String> ownOf(FragmentTable table, JobId job) {
    return table.survey().found().stream()
        .filter(one -> one.isOwnState() && one.holder() == me.number())
        .map(Found::fragment)
        .filter(fragment -> isOfJob(fragment, job))
        .filter(fragment -> fragment.state() != Fragment.State.UNFINISHED)
        .map(Fragment::file)
        .filter(file -> canBeContinued(me.number(), store, file))
        .findFirst();
  }

  private static boolean isOfJob(Fragment fragment, JobId job) {
    Lineage lineage = fragment.lineage();
    return lineage != null && lineage.job().equals(job);
  }

  /**
   * Whether a container can be written on: it has no versions, or one whose map can be read. One
   * that has lost what nobody can restore anyway is left alone, and must not be in the way.
   */
  static boolean canBeContinued(int rank, Store store, String file) {
    try (ContainerReader reader = ContainerReader.open(store, file)) {
      List<VersionInfo> versions = reader.versions();
      return versions.isEmpty()
          || versions.stream().anyMatch(version -> canBeRead(reader, version.id()));
    } catch (IOException e) {
      LOG.warn("rank {} leaves {} alone: {}", rank, store.location(file), e.getMessage());
      return false;
    }
  }

  private static boolean canBeRead(ContainerReader reader, VersionId version) {
    try {
      reader.view(version);
      return true;
    } catch (IOException | IllegalArgumentException e) {
      return false;
    }
  }

  // ---------------------------------------------------------------- putting it in place

  private LocalContainer open(String file) throws IOException {
    LocalContainer opened = null;
    Throwable failure = null;
    try {
      if (!store.exists(file)) {
        putInPlace(file);
      }
      opened = LocalContainer.open(me.home(), file, retention);
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
    try {
      me.ranks().agree(failure);
    } catch (IOException | RuntimeException | Error e) {
      if (opened != null) {
        opened.close();
      }
      throw e;
    }
    return Objects.requireNonNull(opened);
  }

  private void putInPlace(String file) throws IOException {
    store.rename(FileNames.unfinished(file), file);
    try {
      store.forceDirectory();
    } catch (IOException e) {
      // No later force makes up for one that failed; only a new name does.
      store.delete(file);
      throw e;
    }
  }
}
