// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.Optional;
import org.cairn.store.Store;
import org.cairn.tier.Agreement;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;

/** The last phase of a recovery: what was rebuilt takes its place. */
final class Installing {
  private final Site site;
  private final Lineage lineage;

  Installing(Site site, Lineage lineage) {
    this.site = site;
    this.lineage = lineage;
  }

  /** Whether nothing is in a file but what the run may drop one day, and all of its world. */
  static boolean mayWrite(Fragment fragment, Lineage lineage) {
    Lineage written = fragment.lineage();
    return written != null
        && written.job().equals(lineage.job())
        && (fragment.versions().isEmpty() || lineage.isOfWorld(written))
        && fragment.ids().stream().allMatch(lineage::owns);
  }

  /** All ranks have restored: now, and only now, what was rebuilt takes its place; collective. */
  LocalContainer install(OwnState own, BroughtStates states, VersionId version) throws IOException {
    LocalContainer local = null;
    Throwable mine = null;
    try {
      local = own instanceof OwnState.InPlace there ? there.local() : replace(states);
      local.get().continueFrom(BroughtStates.find(local.get(), version));
    } catch (IOException | RuntimeException | Error e) {
      mine = e;
    }
    try {
      Agreement.reach(site.comm(), mine);
    } catch (IOException | RuntimeException | Error e) {
      if (local != null && !site.isRunning(local)) {
        local.leave();
      }
      throw e;
    }
    if (local == null) {
      throw new AssertionError("agreed on nothing");
    }
    return local;
  }

  private LocalContainer replace(BroughtStates states) throws IOException {
    String made = states.release(site.rank());
    String target = targetName();
    Store store = site.home().store();
    Optional<LocalContainer> running = site.running().filter(one -> one.name().equals(target));
    if (running.isPresent()) {
      running.get().replaceBy(made);
      store.delete(FileNames.lockOf(made));
      return running.get();
    }
    store.rename(made, target);
    store.forceDirectory();
    store.delete(FileNames.lockOf(made));
    return site.open(target);
  }

  /** In the place of what we had and lost; else beside what others have. */
  private String targetName() throws IOException {
    Store store = site.home().store();
    for (Found one : site.table().foundBy(site.rank())) {
      if (one.isOwnState()
          && one.fragment().state() != Fragment.State.UNFINISHED
          && mayWrite(one.fragment(), lineage)) {
        return one.fragment().file();
      }
    }
    for (Found one : site.table().foundBy(site.rank())) {
      if (one.isOwnState()
          && one.fragment().state() == Fragment.State.UNREADABLE
          && isInPlace(one.fragment().file())) {
        String aside = FileNames.putAside(store, one.fragment().file());
        site.problems().add("put aside as " + aside + ": " + one.fragment().problem());
        return one.fragment().file();
      }
    }
    return FileNames.free(store, site.rank(), lineage.name(), Ownership.STATE, lineage.run().id());
  }

  private static boolean isInPlace(String file) {
    return FileNames.meaning(file)
        .filter(name -> name.condition() == FileNames.Condition.IN_PLACE)
        .isPresent();
  }
}
