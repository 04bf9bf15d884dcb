// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.cairn.Tiers;
import org.cairn.store.Store;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.tier.shared.Manifest;
import org.cairn.tier.shared.Reference;
import org.cairn.tier.shared.SharedDirectory;
import org.cairn.tier.shared.SharedNames;
import org.cairn.version.VersionId;

/**
 * A scratch file system that all nodes see, with the habits of such: files that nobody wrote to for
 * some time are deleted, whatever others refer to them.
 */
final class Scratch {
  private static final String ROOT = "scratch";

  private final Host host;
  private final int every;
  private final int group;
  private final int retain;

  /** When each file was last written to, in starts. */
  private final Map<String, Integer> written = new HashMap<>();

  private final Set<String> damaged = new HashSet<>();

  Scratch(Random random) {
    this.host = new Host(ROOT, random.nextLong(1L << 40));
    this.every = 1 + random.nextInt(2);
    this.group = 1 + random.nextInt(2);
    this.retain = 1 + random.nextInt(3);
    host.create(ROOT);
  }

  /** Settings with this directory as it is now: after each death there is another one. */
  Tiers addTo(Tiers tiers) {
    return tiers
        .shared(store(), every)
        .sharedGroup(group)
        .sharedRetain(retain)
        .leaseRest(Duration.ofMillis(60));
  }

  CrashingStore store() {
    return host.create(ROOT);
  }

  SharedDirectory.Survey survey() throws IOException {
    return new SharedDirectory(store()).survey();
  }

  /** Whether all files that a version needs are there as they were written. */
  boolean isWhole(SharedDirectory.Sighting sighting) throws IOException {
    if (sighting.problem().isPresent()) {
      return false;
    }
    Manifest manifest = new SharedDirectory(store()).find(sighting.id());
    return manifest.references().stream().map(Reference::segment).noneMatch(damaged::contains)
        && manifest.groups().stream().map(Manifest.Group::segment).noneMatch(damaged::contains);
  }

  boolean hasDamage() {
    return !damaged.isEmpty();
  }

  /** Versions that damaged files belong to. */
  Set<VersionId> damagedVersions() {
    Set<VersionId> versions = new HashSet<>();
    damaged.forEach(name -> version(name).ifPresent(versions::add));
    return versions;
  }

  // ---------------------------------------------------------------- what happens to it

  void killed() throws IOException {
    host.killed();
  }

  void crashed(Random random) throws IOException {
    host.crashed(random);
  }

  /** Notes which files a start has written to. */
  void age(int start, Map<String, Long> before) throws IOException {
    Map<String, Long> after = checksums();
    after.forEach(
        (name, sum) -> {
          if (!sum.equals(before.get(name))) {
            written.put(name, start);
            damaged.remove(name);
          }
        });
    damaged.retainAll(after.keySet());
  }

  /** Deletes what was not written to since a start; what went. */
  List<String> purge(int start) throws IOException {
    List<String> old = new ArrayList<>();
    for (String name : store().list()) {
      if (written.getOrDefault(name, 0) <= start) {
        old.add(name);
        store().delete(name);
      }
    }
    store().forceDirectory();
    damaged.removeAll(old);
    return old;
  }

  /** Damages some file that belongs to a version; its name. */
  Optional<String> damage(Random random) throws IOException {
    List<String> files =
        store().list().stream().filter(name -> version(name).isPresent()).sorted().toList();
    if (files.isEmpty()) {
      return Optional.empty();
    }
    String name = files.get(random.nextInt(files.size()));
    host.damage(ROOT, name, 1 + random.nextInt(40), random);
    damaged.add(name);
    return Optional.of(name);
  }

  // ---------------------------------------------------------------- looking

  /** Checksums of all files. */
  Map<String, Long> checksums() throws IOException {
    Store now = store().afterKill();
    Map<String, Long> sums = new TreeMap<>();
    for (String name : now.list()) {
      sums.put(name, Stage.checksum(now, name));
    }
    return sums;
  }

  /** The version that a file belongs to; nothing if it is a lease, a claim or a mark. */
  static Optional<VersionId> version(String name) {
    return SharedNames.segment(name)
        .map(SharedNames.Segment::version)
        .or(() -> SharedNames.manifestVersion(name));
  }

  @Override
  public String toString() {
    return "shared every %d by groups of %d retaining %d".formatted(every, group, retain);
  }
}
