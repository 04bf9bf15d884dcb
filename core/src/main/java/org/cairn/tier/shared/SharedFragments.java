// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.TierKind;
import org.cairn.record.Digest;
import org.cairn.store.Store;
import org.cairn.tier.Fragment;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;

/** What a shared directory offers, as {@link Fragment}s. */
public final class SharedFragments {
  private SharedFragments() {}

  /**
   * What each of so many ranks can have from a shared directory, and what else tells of jobs of one
   * name there: versions that cannot be produced have no owner, and files that cannot be read are
   * reported, without an owner too, unless others of the same job tell that it has another name.
   */
  public static List<Fragment> in(Store shared, int ranks, String job) throws IOException {
    SharedDirectory.Survey survey = new SharedDirectory(shared).survey();
    Map<JobId, String> names = new HashMap<>();
    Map<Lineage, List<SharedDirectory.Sighting>> whole = new LinkedHashMap<>();
    List<Fragment> found = new ArrayList<>();
    for (SharedDirectory.Sighting sighting : survey.versions()) {
      if (sighting.id().job().equals(SharedNames.PACKS)) {
        continue;
      }
      names.put(sighting.id().job(), sighting.lineage().name());
      if (sighting.lineage().name().equals(job)) {
        if (sighting.problem().isEmpty()) {
          whole.computeIfAbsent(sighting.lineage(), _ -> new ArrayList<>()).add(sighting);
        } else {
          String problem = "version " + sighting.id().exact() + ": " + sighting.problem().get();
          found.add(fragment(Fragment.NOBODY, sighting.lineage(), List.of(sighting), problem));
        }
      }
    }
    whole.forEach((lineage, versions) -> found.addAll(fragments(lineage, versions, ranks)));
    for (SharedDirectory.Problem problem : survey.problems()) {
      if (!problem.version().job().equals(SharedNames.PACKS)
          && names.getOrDefault(problem.version().job(), job).equals(job)) {
        found.add(fragment(problem));
      }
    }
    return found;
  }

  /** One for each member that has any of the versions: there may be more than ranks look now. */
  private static List<Fragment> fragments(
      Lineage lineage, List<SharedDirectory.Sighting> versions, int ranks) {
    int most = versions.stream().mapToInt(one -> one.id().ranks()).max().orElse(0);
    List<Fragment> found = new ArrayList<>();
    for (int rank = 0; rank < Math.max(ranks, most); rank++) {
      int owner = rank;
      List<SharedDirectory.Sighting> own =
          versions.stream().filter(one -> owner < Math.max(ranks, one.id().ranks())).toList();
      found.add(fragment(owner, lineage, own, ""));
    }
    return found;
  }

  private static Fragment fragment(SharedDirectory.Problem problem) {
    String manifest = SharedNames.manifest(problem.version());
    if (!problem.foreign()) {
      return Fragment.unreadable(TierKind.SHARED, Fragment.NOBODY, "", manifest, problem.what());
    }
    // Manifests never change, and no name is used twice.
    Digest mark = Digest.of(manifest.getBytes(StandardCharsets.US_ASCII));
    return Fragment.foreign(TierKind.SHARED, Fragment.NOBODY, "", manifest, problem.what(), mark);
  }

  private static Fragment fragment(
      int owner, Lineage lineage, List<SharedDirectory.Sighting> versions, String problem) {
    List<Fragment.Held> held =
        versions.stream()
            .map(
                sighting -> {
                  Digest root = sighting.roots().getOrDefault(owner, new Digest(0, 0));
                  return new Fragment.Held(
                      sighting.id(), sighting.takenAt(), root.low(), root.high());
                })
            .toList();
    return new Fragment(
        TierKind.SHARED, owner, "", "", held, null, 0, lineage, Fragment.State.USED, problem);
  }
}
