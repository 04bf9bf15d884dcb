// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;

/**
 * What one container must hold, as far as anybody can know: the versions that are durable, and at
 * most one of which nobody knows. Along one history no identity occurs twice.
 */
final class History {
  private final List<Version> durable = new ArrayList<>();
  private Optional<Version> doubtful = Optional.empty();
  private int retainWithDoubtful;

  /** Durable versions that the next one does not descend from, newest last. */
  private int abandoned;

  private final Set<VersionId> used = new HashSet<>();
  private final Map<VersionId, Snapshot> states = new HashMap<>();

  /** A checkpoint, by its identity and what it saved. */
  record Version(VersionId id, Snapshot state) {}

  History copy() {
    History copy = new History();
    copy.durable.addAll(durable);
    copy.doubtful = doubtful;
    copy.retainWithDoubtful = retainWithDoubtful;
    copy.abandoned = abandoned;
    copy.used.addAll(used);
    copy.states.putAll(states);
    return copy;
  }

  /** A checkpoint has this identity, whatever becomes of it. */
  void use(VersionId id, Snapshot state) {
    assertThat(used.add(id)).as("identity %s is used once", id).isTrue();
    assertThat(durable.stream().allMatch(version -> version.id.compareTo(id) < 0))
        .as("%s is newer than everything durable", id)
        .isTrue();
    states.put(id, state);
  }

  void becameDurable(VersionId id, int retain) {
    settled();
    add(new Version(id, state(id)), retain);
  }

  private void add(Version version, int retain) {
    for (; abandoned > 0; abandoned--) {
      durable.removeLast();
    }
    durable.add(version);
    while (durable.size() > retain) {
      durable.removeFirst();
    }
  }

  void mayBeDurable(VersionId id, int retain) {
    settled();
    doubtful = Optional.of(new Version(id, state(id)));
    retainWithDoubtful = retain;
  }

  private void settled() {
    assertThat(doubtful).as("a version of which nobody knows").isEmpty();
  }

  /** What was doubtful must be there. */
  History confirmed() {
    History copy = copy();
    copy.resolve(true);
    return copy;
  }

  /** What was doubtful must not be there. */
  History denied() {
    History copy = copy();
    copy.resolve(false);
    return copy;
  }

  private void resolve(boolean isThere) {
    if (isThere) {
      doubtful.ifPresent(version -> add(version, retainWithDoubtful));
    }
    doubtful = Optional.empty();
  }

  /** Continues from an older version: newer ones are past, and go with the next commit. */
  void continueFrom(VersionId id) {
    List<VersionId> ids = durable.stream().map(Version::id).toList();
    abandoned = ids.size() - 1 - ids.indexOf(id);
  }

  /** What the next checkpoint is compared with. */
  Snapshot base() {
    int index = durable.size() - 1 - abandoned;
    return index < 0 ? Snapshot.EMPTY : durable.get(index).state;
  }

  Snapshot state(VersionId id) {
    Snapshot state = states.get(id);
    if (state == null) {
      throw new AssertionError("version " + id + " was never taken");
    }
    return state;
  }

  boolean knows(VersionId id) {
    return used.contains(id);
  }

  List<Version> durable() {
    return List.copyOf(durable);
  }

  /** The newest that is not past. */
  Version newest() {
    return durable.get(durable.size() - 1 - abandoned);
  }

  boolean isEmpty() {
    return durable.isEmpty();
  }

  boolean isDoubtful() {
    return doubtful.isPresent();
  }

  /** The state of the newest version that is certain. */
  Snapshot certain() {
    return durable.isEmpty() ? Snapshot.EMPTY : newest().state;
  }

  /** What a restarting program must be ready for. */
  Map<String, Snapshot.Content> expected() {
    return certain().or(doubtful.map(Version::state).orElse(Snapshot.EMPTY));
  }

  /**
   * The container was opened, and shows these versions, newest first. Whatever was doubtful is
   * certain now, one way or the other. What was chosen before still holds.
   */
  void shows(List<VersionInfo> versions) {
    List<VersionId> shown = versions.reversed().stream().map(VersionInfo::id).toList();
    Optional<VersionId> newest = shown.isEmpty() ? Optional.empty() : Optional.of(shown.getLast());
    resolve(doubtful.isPresent() && doubtful.map(Version::id).equals(newest));
    assertThat(shown).isEqualTo(durable.stream().map(Version::id).toList());
  }

  @Override
  public String toString() {
    return "durable "
        + durable.stream().map(Version::id).toList()
        + doubtful.map(version -> " and maybe " + version.id).orElse("");
  }
}
