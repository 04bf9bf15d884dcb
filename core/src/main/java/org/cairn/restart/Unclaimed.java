// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.Changes;
import org.cairn.Dataset;
import org.cairn.Default;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * The datasets of the restored version that nothing protects, and nobody has given up yet. Each is
 * claimed by a late {@code protect}, or given up by name.
 *
 * <p>As long as there are any no checkpoint begins. So the container still goes on from the
 * restored version, which is retained, and what is claimed can be read there at any time: nothing
 * has to be held open for it.
 */
public final class Unclaimed {
  private static final int NAMED = 20;

  private final Optional<VersionId> version;
  private final Set<String> names;

  /** Whether a late protect restores: it must not where the program wanted only some datasets. */
  private final boolean restoring;

  private final Changes changes;

  /** Whether another number of ranks saved it: then one rank alone cannot restore any of it. */
  private boolean ofOtherRanks;

  /** Defaults of what the version lacks and nothing has protected yet; each is given once. */
  private final Map<String, Default> defaults = new TreeMap<>();

  private Unclaimed(
      Optional<VersionId> version, Collection<String> names, boolean restoring, Changes changes) {
    this.version = version;
    this.names = new TreeSet<>(names);
    this.restoring = restoring;
    this.changes = changes;
  }

  /** Nothing was restored, so nothing can be lost. */
  public static Unclaimed nothing() {
    return new Unclaimed(Optional.empty(), List.of(), false, Changes.none());
  }

  /**
   * What a restart has left.
   *
   * @param known the datasets that were protected before it
   * @param ranks how many there are now
   */
  public static Unclaimed after(
      RestartReport report, RestartRequest request, Set<String> known, int ranks) {
    boolean all = request.only().isEmpty();
    Unclaimed left = new Unclaimed(report.version(), report.ignored(), all, request.changes());
    left.ofOtherRanks = report.version().filter(version -> version.ranks() != ranks).isPresent();
    if (all && report.isRestored()) {
      left.defaults.putAll(request.changes().defaults());
      left.defaults.keySet().removeAll(known);
      left.defaults.keySet().removeAll(report.ignored());
      left.defaults.keySet().removeAll(request.dropping());
    }
    return left;
  }

  /** Whether all is claimed or given up. */
  public boolean isEmpty() {
    return names.isEmpty();
  }

  /** Those of the datasets that are claimed by being protected. */
  public List<Dataset> among(Collection<Dataset> datasets) {
    List<Dataset> found = new ArrayList<>();
    if (!names.isEmpty()) {
      datasets.stream().filter(dataset -> names.contains(dataset.name())).forEach(found::add);
    }
    if (ofOtherRanks && !found.isEmpty()) {
      throw new IllegalStateException(
          "dataset \"%s\" was saved by another number of ranks, and can only be restored by all together; protect it before restart()"
              .formatted(found.getFirst().name()));
    }
    return found;
  }

  /** How the names and types of the version become those of the program. */
  public Changes changes() {
    return changes;
  }

  /**
   * Gives datasets that the version lacks their default, if they have one and had it not before.
   */
  public void giveDefaults(Collection<Dataset> datasets) {
    for (Dataset dataset : datasets) {
      Default content = defaults.get(dataset.name());
      if (content != null) {
        content.check(dataset);
        content.apply(dataset);
        defaults.remove(dataset.name());
      }
    }
  }

  /** The version that claimed datasets are restored from; empty if they keep what they have. */
  public Optional<VersionId> source() {
    return restoring ? version : Optional.empty();
  }

  /** The dataset is protected now, or not wanted any more; false if there was none such. */
  public boolean settle(String name) {
    return names.remove(name);
  }

  /**
   * Why no checkpoint can be taken; null if one can.
   *
   * @param location where the version lies, for people
   */
  public @Nullable IllegalStateException refusal(String location) {
    if (names.isEmpty()) {
      return null;
    }
    return new IllegalStateException(
        ("version %s in %s, which was restored, has datasets that nothing protects, and this checkpoint would drop"
                + " them: %s; protect() restores each of them at once, unprotect(name) or"
                + " RestartRequest.dropping(names) gives it up")
            .formatted(version.map(VersionId::toString).orElse(""), location, describe()));
  }

  private String describe() {
    List<String> first = names.stream().limit(NAMED).toList();
    return names.size() > NAMED
        ? first + " and %d more".formatted(names.size() - NAMED)
        : first.toString();
  }
}
