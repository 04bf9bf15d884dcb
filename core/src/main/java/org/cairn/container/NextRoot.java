// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/** Which versions stay when one more is published: those it descends from, if the rule says so. */
record NextRoot(Root root, Retention retention) {
  /**
   * The root of the version that is published next.
   *
   * @param newRecords all map records, its own last
   * @param parent what it descends from; null if it is the first
   * @param catalog where its datasets are listed
   */
  Root with(
      List<Root.MapRef> newRecords,
      Root.@Nullable Entry parent,
      VersionInfo info,
      Pointer catalog) {
    List<Root.Entry> kept = new ArrayList<>(past(parent));
    // Only in copies: they may go back to an older version, even if they do not have its past.
    kept.removeIf(version -> version.info().id().compareTo(info.id()) >= 0);
    kept.add(new Root.Entry(info, newRecords.size() - 1, catalog));
    // What is kept for ever does not count: it must not take the place of another.
    List<VersionId> counting =
        kept.stream()
            .map(Root.Entry::info)
            .filter(one -> !one.label().kept() || one.id().equals(info.id()))
            .map(VersionInfo::id)
            .toList();
    Set<VersionId> wanted = retention.keep(counting);
    // Whatever the rule says: a commit that dropped its own version would lose everything.
    kept.removeIf(version -> !version.info().id().equals(info.id()) && !isWanted(version, wanted));
    return root.with(newRecords, kept);
  }

  private static boolean isWanted(Root.Entry version, Set<VersionId> wanted) {
    return wanted.contains(version.info().id()) || version.info().label().kept();
  }

  /**
   * What the next version descends from, its parent last; and behind it what is kept for ever of a
   * past that was given up. Records stay in their order: then it is not the parent's new base that
   * leads to the parent, but what led to it before.
   */
  private List<Root.Entry> past(Root.@Nullable Entry parent) {
    List<Root.Entry> line = new ArrayList<>();
    List<Root.Entry> aside = new ArrayList<>();
    for (Root.Entry version : root.versions()) {
      boolean descends = parent == null || version.info().id().compareTo(parent.info().id()) <= 0;
      if (descends) {
        line.add(version);
      } else if (version.info().label().kept()) {
        aside.add(version);
      }
    }
    if (parent != null && aside.isEmpty()) {
      line.removeLast();
      line.add(parent);
    }
    line.addAll(aside);
    return line;
  }
}
