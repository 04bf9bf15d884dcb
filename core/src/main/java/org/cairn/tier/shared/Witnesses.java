// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.cairn.comm.Communicator;
import org.cairn.store.Store;
import org.cairn.tier.Objections;

/**
 * Before segments become a version, each is seen by another rank than the one that wrote it, on
 * another machine if there is one: that a write was reported as durable does not say that it is
 * where others look.
 */
final class Witnesses {
  private final Communicator comm;
  private final Store shared;
  private final Lookout lookout;
  private final boolean oneDomain;

  Witnesses(Communicator comm, Store shared, Lookout lookout) {
    this.comm = comm;
    this.shared = shared;
    this.lookout = lookout;
    this.oneDomain =
        IntStream.range(1, comm.size()).allMatch(rank -> comm.domain(rank).equals(comm.domain(0)));
  }

  /**
   * Looks at all new segments; collective.
   *
   * @throws IOException on all ranks alike, if one is not seen
   */
  void see(List<Manifest.Group> groups) throws IOException {
    List<String> mine = new ArrayList<>();
    for (Manifest.Group group : groups) {
      int writer = group.ranks().getFirst();
      if (witnessOf(writer) == comm.rank()) {
        lookFor(group)
            .ifPresent(
                problem ->
                    mine.add(
                        "rank %d (%s) does not see %s as rank %d (%s) wrote it: %s"
                            .formatted(
                                comm.rank(),
                                comm.domain(comm.rank()),
                                shared.location(group.segment()),
                                writer,
                                comm.domain(writer),
                                problem)));
      }
    }
    Objections problems =
        Objections.gather(
            comm, mine.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", mine)));
    if (!problems.isEmpty()) {
      throw new IOException(problems.toString());
    }
  }

  /** What is wrong with what a group has written; whatever it is, others wait for the answer. */
  private Optional<String> lookFor(Manifest.Group group) {
    try {
      List<Reference> written = writtenBy(group);
      return lookout.await(() -> problem(written));
    } catch (IOException | OutOfMemoryError e) {
      return Optional.of(e.toString());
    }
  }

  /** Its segment, and the file of indices if there is one. */
  private static List<Reference> writtenBy(Manifest.Group group) throws IOException {
    SharedNames.Segment own =
        SharedNames.segment(group.segment())
            .orElseThrow(() -> new IOException(group.segment() + " is no segment"));
    Set<String> names = Set.of(own.name(), own.forIndices().name());
    List<Reference> written =
        group.references().stream()
            .filter(reference -> names.contains(reference.segment()))
            .toList();
    if (written.stream().noneMatch(reference -> reference.segment().equals(own.name()))) {
      throw new IOException(group.segment() + " does not refer to itself");
    }
    return written;
  }

  private Optional<String> problem(List<Reference> written) throws IOException {
    for (Reference expected : written) {
      Optional<String> problem = problem(expected);
      if (problem.isPresent()) {
        return problem;
      }
    }
    return Optional.empty();
  }

  private Optional<String> problem(Reference expected) throws IOException {
    try (SegmentReader segment = SegmentReader.open(shared, expected.segment())) {
      return segment.differsFrom(expected);
    }
  }

  /** The next rank in another failure domain; else the next rank; a single rank looks itself. */
  private int witnessOf(int writer) {
    for (int i = 1; i < comm.size() && !oneDomain; i++) {
      int rank = (writer + i) % comm.size();
      if (!comm.domain(rank).equals(comm.domain(writer))) {
        return rank;
      }
    }
    return (writer + 1) % comm.size();
  }
}
