// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.cairn.clock.Clock;
import org.cairn.record.CorruptContainerException;
import org.cairn.record.UnsupportedFormatException;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.version.VersionId;

/**
 * Deletes versions beyond the newest few, and segments that no version needs.
 *
 * <p>Assumes that
 *
 * <ol>
 *   <li>a version refers only to its own segments and to those of the newest version that was
 *       complete when its flush began;
 *   <li>a flush takes less than the grace period, and clocks differ by much less.
 * </ol>
 *
 * <p>Guarantees that
 *
 * <ol>
 *   <li>the newest complete versions, as many as are to be kept, stay whole, whenever a collection
 *       is interrupted, by a crash of the machine too;
 *   <li>segments of a version that is just being written stay, and those of one that is damaged, as
 *       long as it is not older than all that are kept;
 *   <li>one process collects at a time, see {@link Lease}; if one comes back after its lease was
 *       taken over, it does no harm.
 * </ol>
 */
public final class Collector {

  private final Store store;
  private final SharedDirectory directory;
  private final Clock clock;
  private final Lease lease;
  private final Duration grace;
  private final int keep;

  /** When this object first saw segments that do not tell their age. */
  private final Map<String, Instant> firstSeen = new HashMap<>();

  /**
   * A collector that keeps so many versions.
   *
   * @param lease how long a process may collect before others take over
   * @param grace how old a segment has to be before it may go
   */
  public Collector(Store store, Clock clock, int keep, Duration lease, Duration grace) {
    if (keep < 1) {
      throw new IllegalArgumentException("at least one version must be kept, not " + keep);
    }
    this.store = store;
    this.directory = new SharedDirectory(store);
    this.clock = clock;
    this.lease = new Lease(store, clock, lease);
    this.grace = grace;
    this.keep = keep;
  }

  /**
   * What was done.
   *
   * @param leased whether this process was the one to collect; if not, nothing was done
   * @param deleted the files that are gone
   */
  public record Report(boolean leased, List<String> deleted) {}

  /** Collects, if no other process does. */
  public Report collect() throws IOException {
    OptionalLong taken = lease.take();
    if (taken.isEmpty()) {
      return new Report(false, List.of());
    }
    long number = taken.getAsLong();
    List<String> deleted = new ArrayList<>();
    SharedDirectory.Listing listing = directory.list();
    if (!listing.versions().isEmpty()) {
      deleteManifests(listing.versions(), number, deleted);
      deleteSegments(listing.versions().getFirst(), number, deleted);
    }
    lease.release(number);
    return new Report(true, deleted);
  }

  /** Deletes manifests, damaged ones too, that are older than all that are kept; oldest first. */
  private void deleteManifests(List<Manifest> versions, long number, List<String> deleted)
      throws IOException {
    if (versions.size() < keep) {
      return;
    }
    VersionId oldestKept = versions.get(keep - 1).version();
    for (VersionId version : directory.manifests().reversed()) {
      if (version.compareTo(oldestKept) < 0) {
        delete(SegmentFormat.manifestName(version), number, deleted);
      }
    }
    // Before any segment goes: after a crash no manifest may come back without its segments.
    store.forceDirectory();
  }

  private void deleteSegments(Manifest newest, long number, List<String> deleted)
      throws IOException {
    List<String> names = store.list();
    Set<String> needed = needed(names);
    for (String name : names) {
      Optional<VersionId> version = SegmentFormat.segmentVersion(name);
      if (version.isPresent()
          && version.get().compareTo(newest.version()) < 0
          && !needed.contains(name)
          && isOldEnough(name)) {
        delete(name, number, deleted);
      }
    }
    store.forceDirectory();
  }

  /** Segments that a manifest refers to; for one that cannot be read, what its segments say. */
  private Set<String> needed(List<String> names) throws IOException {
    Set<String> needed = new HashSet<>();
    for (VersionId version : directory.manifests()) {
      try {
        Manifest manifest = Manifest.read(store, SegmentFormat.manifestName(version));
        manifest.references().forEach(reference -> needed.add(reference.segment()));
        manifest.groups().forEach(group -> needed.add(group.segment()));
      } catch (CorruptContainerException | UnsupportedFormatException e) {
        for (String name : SharedDirectory.segmentsOf(version, names)) {
          needed.add(name);
          addReferences(name, needed);
        }
      } catch (NoSuchFileException e) {
        // Somebody else deleted it, who will care for its segments.
      }
    }
    return needed;
  }

  private void addReferences(String name, Set<String> needed) throws IOException {
    try (SegmentReader segment = SegmentReader.open(store, name)) {
      segment.references().forEach(reference -> needed.add(reference.segment()));
    } catch (CorruptContainerException | UnsupportedFormatException | NoSuchFileException e) {
      // A version that lacks this segment cannot be reconstructed: nothing else is needed for it.
    }
  }

  /** Its header tells; one without counts as made when it was first seen. */
  private boolean isOldEnough(String name) throws IOException {
    Instant now = clock.now();
    Instant made;
    try (StoreFile file = store.open(name, Store.Access.READ)) {
      made =
          Header.read(file, store.location(name), SegmentFormat.SEGMENT_MAGIC, "segment")
              .createdAt();
    } catch (CorruptContainerException | UnsupportedFormatException e) {
      made = firstSeen.computeIfAbsent(name, _ -> now);
    } catch (NoSuchFileException e) {
      return false;
    }
    return !now.isBefore(made.plus(grace));
  }

  /** Deletes a file, unless the lease is gone: then another process does it. */
  private void delete(String name, long number, List<String> deleted) throws IOException {
    if (lease.isValid(number)) {
      store.delete(name);
      deleted.add(name);
    }
  }
}
