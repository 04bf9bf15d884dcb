// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.Retention;
import org.cairn.store.Store;
import org.cairn.tier.AgreedFailureException;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The container of this rank where a job begins. All are made before any of them gets its name: so
 * when one is in place, those of all ranks are there. The one that the rank has been writing to
 * stays open: should this fail on any rank, all go on with what they have.
 */
final class NewContainer {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private final ThisRank me;
  private final OwnContainer own;
  private final Store store;
  private final Retention retention;

  NewContainer(ThisRank me, OwnContainer own, Retention retention) {
    this.me = me;
    this.own = own;
    this.store = me.store();
    this.retention = retention;
  }

  /**
   * A container to begin with.
   *
   * @param fresh whether it was made for this run
   */
  private record Made(LocalContainer container, String file, boolean fresh) {}

  /** Makes one for a job that begins; collective. */
  Start create(Lineage lineage, FragmentTable table) throws IOException {
    return start(create(lineage, Optional.empty()), lineage, table);
  }

  /**
   * The one of a job that begins again, in place or not; a new one if there is none; collective.
   */
  Start recreate(Lineage lineage, FragmentTable table) throws IOException {
    return start(create(lineage, ownOf(table, lineage.job())), lineage, table);
  }

  /** Makes one for a world that begins; one that never held a version is as good; collective. */
  Start createWorld(Lineage lineage, FragmentTable table) throws IOException {
    return start(create(lineage, neverUsed(table, lineage.job())), lineage, table);
  }

  private Start start(Made made, Lineage lineage, FragmentTable table) {
    return Start.fromNothing(
        made.container,
        lineage,
        table,
        failure -> takeBack(Optional.of(made.file), made.fresh, failure));
  }

  private Made create(Lineage lineage, Optional<String> mine) throws IOException {
    Optional<String> file = mine;
    boolean fresh = false;
    Throwable failure = null;
    try {
      if (file.isEmpty()) {
        file =
            Optional.of(
                FileNames.free(store, me.number(), me.name(), Ownership.STATE, lineage.run().id()));
      }
      fresh = !store.exists(file.get());
      if (fresh) {
        prepare(file.get(), lineage);
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
    try {
      me.ranks().agree(failure);
      return open(file.orElseThrow(), fresh);
    } catch (IOException | RuntimeException | Error e) {
      takeBack(file, fresh, e);
      throw e;
    }
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
        .filter(fragment -> ranksOf(fragment) == me.size())
        .map(Fragment::file)
        .filter(file -> canBeContinued(me.number(), store, file))
        .findFirst();
  }

  /** What a start left that came to nothing, of as many ranks. */
  private Optional<String> neverUsed(FragmentTable table, JobId job) {
    return table.survey().found().stream()
        .filter(one -> one.isOwnState() && one.holder() == me.number())
        .map(Found::fragment)
        .filter(fragment -> isOfJob(fragment, job))
        .filter(fragment -> fragment.state() == Fragment.State.NEVER_USED)
        .filter(fragment -> ranksOf(fragment) == me.size())
        .map(Fragment::file)
        .filter(file -> canBeContinued(me.number(), store, file))
        .findFirst();
  }

  private static int ranksOf(Fragment fragment) {
    Lineage lineage = fragment.lineage();
    return lineage == null ? 0 : lineage.run().ranks();
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
    } catch (NoSuchFileException e) {
      return false; // it went, to make room
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

  private Made open(String file, boolean fresh) throws IOException {
    LocalContainer opened = null;
    Throwable failure = null;
    try {
      opened = inPlace(file);
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
    try {
      me.ranks().agree(failure);
    } catch (IOException | RuntimeException | Error e) {
      if (opened != null && !own.is(opened)) {
        opened.leave();
      }
      throw e;
    }
    LocalContainer made = Objects.requireNonNull(opened);
    return new Made(made, file, fresh && !own.is(made));
  }

  private LocalContainer inPlace(String file) throws IOException {
    Optional<LocalContainer> running = own.get().filter(one -> one.name().equals(file));
    if (running.isPresent()) {
      if (!store.exists(file)) {
        // It was deleted under its writer, or its name would not be free.
        running.get().replaceBy(FileNames.unfinished(file));
      }
      return running.get();
    }
    if (!store.exists(file)) {
      putInPlace(file);
    }
    return LocalContainer.open(me.home(), file, retention);
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

  // ---------------------------------------------------------------- if it does not begin

  /**
   * The run does not begin, as all ranks know: what was made for it must not stay, for it says of
   * others that they were left behind; collective. No file goes while one is in place elsewhere:
   * so, whoever dies meanwhile, those of all ranks are there, or the run has never begun.
   *
   * @param file what was to be made here; empty if not even its name is known
   * @param fresh whether it was not there before
   * @param reason of all ranks; of one that has lost the others nothing is taken back
   */
  private void takeBack(Optional<String> file, boolean fresh, Throwable reason) {
    if (!(reason instanceof AgreedFailureException || me.ranks().isOnlyOne())) {
      return;
    }
    Optional<String> made = file.filter(_ -> fresh);
    Throwable failure = null;
    try {
      if (made.isPresent() && store.exists(made.get())) {
        store.rename(made.get(), FileNames.unfinished(made.get()));
        store.forceDirectory();
      }
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
    if (isAnywhere(failure, reason)) {
      return;
    }
    made.ifPresent(
        name ->
            Leaving.leave(store.location(name), () -> store.delete(FileNames.unfinished(name))));
  }

  /** Whether taking back failed on any rank; collective. It is told with what it was for. */
  private boolean isAnywhere(@Nullable Throwable failure, Throwable reason) {
    if (failure != null && failure != reason) {
      reason.addSuppressed(failure);
    }
    return me.ranks().isAnywhere(failure != null);
  }
}
