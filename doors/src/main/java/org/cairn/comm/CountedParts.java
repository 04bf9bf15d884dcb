// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.cairn.comm.SizeAgreement.Kind;

/**
 * Collectives of parts whose sizes differ and are known to those who receive them. What one rank
 * expects of another is compared with what that one gives before anything moves; if they differ
 * anywhere, all ranks throw the same sentence.
 */
final class CountedParts {
  private final Communicator ranks;
  private final Collectives collectives;
  private final int rank;

  CountedParts(Communicator ranks) {
    this.ranks = ranks;
    this.collectives = new Collectives(ranks);
    this.rank = ranks.rank();
  }

  void gather(MemorySegment mine, MemorySegment all, long[] bytes, int root) {
    agreeWithRoot(Kind.GATHER, mine, all, bytes, root, "gives");
    collectives.gather(mine, Parts.counted(all, bytes), root);
  }

  void scatter(MemorySegment all, long[] bytes, MemorySegment mine, int root) {
    agreeWithRoot(Kind.SCATTER, mine, all, bytes, root, "has room for");
    collectives.scatter(Parts.counted(all, bytes), mine, root);
  }

  private void agreeWithRoot(
      Kind kind, MemorySegment mine, MemorySegment all, long[] bytes, int root, String verb) {
    Arguments.checkRank(ranks, root);
    Optional<String> problem = rank == root ? misfit(all, bytes) : Optional.empty();
    byte[] told =
        rank == root && problem.isEmpty()
            ? MemorySegment.ofArray(bytes).toArray(ValueLayout.JAVA_BYTE)
            : new byte[0];
    byte[] heard = ranks.announce(told, root);
    if (heard.length > 0) { // the root complains otherwise
      long expected =
          MemorySegment.ofArray(heard).getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, rank);
      problem =
          expected == mine.byteSize()
              ? problem
              : Optional.of(
                  "rank %d %s %d bytes, but rank %d counts %d for it"
                      .formatted(rank, verb, mine.byteSize(), root, expected));
    }
    SizeAgreement.onComplaints(ranks, kind, problem);
  }

  void allGather(MemorySegment mine, MemorySegment all, long[] bytes) {
    long[] given = collectives.lengths(mine.byteSize());
    SizeAgreement.onComplaints(
        ranks, Kind.ALL_GATHER, misfit(all, bytes).or(() -> surprise(bytes, given)));
    collectives.allGather(mine, Parts.counted(all, bytes));
  }

  void allToAll(
      MemorySegment outgoing, long[] outgoingBytes, MemorySegment incoming, long[] incomingBytes) {
    SizeAgreement.onComplaints(
        ranks,
        Kind.ALL_TO_ALL,
        misfit(outgoing, outgoingBytes).or(() -> misfit(incoming, incomingBytes)));
    long[] given = new long[ranks.size()];
    collectives.allToAll(
        Parts.equal(MemorySegment.ofArray(outgoingBytes), ranks.size()),
        Parts.equal(MemorySegment.ofArray(given), ranks.size()));
    SizeAgreement.onComplaints(ranks, Kind.ALL_TO_ALL, surprise(incomingBytes, given));
    collectives.allToAll(
        Parts.counted(outgoing, outgoingBytes), Parts.counted(incoming, incomingBytes));
  }

  /** Why parts of these sizes cannot fill the memory. */
  private Optional<String> misfit(MemorySegment all, long[] bytes) {
    if (bytes.length != ranks.size()) {
      return complaint("has %d counts for %d ranks".formatted(bytes.length, ranks.size()));
    }
    long left = all.byteSize();
    for (int of = 0; of < bytes.length; of++) {
      if (bytes[of] < 0) {
        return complaint("counts %d bytes for rank %d".formatted(bytes[of], of));
      }
      if (bytes[of] > left) {
        return complaint(
            "has memory of %d bytes, too little for the parts of ranks 0 to %d"
                .formatted(all.byteSize(), of));
      }
      left -= bytes[of];
    }
    return left == 0
        ? Optional.empty()
        : complaint(
            "has memory of %d bytes, but counts %d for all ranks together"
                .formatted(all.byteSize(), all.byteSize() - left));
  }

  /** Which rank gives something else than what is expected of it. */
  private Optional<String> surprise(long[] expected, long[] given) {
    for (int from = 0; from < given.length; from++) {
      if (given[from] != expected[from]) {
        return complaint(
            "expects %d bytes of rank %d, which gives %d"
                .formatted(expected[from], from, given[from]));
      }
    }
    return Optional.empty();
  }

  private Optional<String> complaint(String what) {
    return Optional.of("rank " + rank + " " + what);
  }
}
