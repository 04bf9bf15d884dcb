// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.cairn.checkpoint.BlockDigests;
import org.cairn.comm.Communicator;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.tier.AgreedFailureException;
import org.cairn.tier.Objections;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether what ranks say is the same everywhere is the same, block by block. All say one digest of
 * all their digests; only if those differ one rank tells what it has, and the others what of theirs
 * is not that.
 */
final class Sameness {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private final Communicator comm;

  /** Whether a difference is only told, and the version becomes durable nevertheless. */
  private final boolean onlyWarns;

  Sameness(Communicator comm, boolean onlyWarns) {
    this.comm = comm;
    this.onlyWarns = onlyWarns;
  }

  /** One digest of all digests. */
  static Digest digest(List<BlockDigests> all) {
    return Digest.of(write(all));
  }

  /**
   * Ranks have different digests: says what differs; collective.
   *
   * @param mine by name
   * @throws AgreedFailureException on all ranks, unless a difference is only told
   */
  void refuseDifference(List<BlockDigests> mine) throws AgreedFailureException {
    AgreedFailureException difference = difference(mine);
    if (!onlyWarns) {
      throw difference;
    }
    LOG.warn("{}", difference.getMessage());
  }

  private static byte[] write(List<BlockDigests> all) {
    RecordWriter out = RecordWriter.onHeap();
    for (BlockDigests one : all) {
      out.putText(one.dataset()).putInt(one.digests().length);
      for (long half : one.digests()) {
        out.putLong(half);
      }
    }
    return out.toArray();
  }

  /** The same on all ranks; collective. */
  private AgreedFailureException difference(List<BlockDigests> mine) {
    byte[] first = comm.announce(comm.rank() == 0 ? write(mine) : new byte[0], 0);
    Objections others = Objections.gather(comm, differenceFrom(first, mine));
    return new AgreedFailureException(
        "what is said to be the same everywhere is not: %s; make it the same on all ranks, or do not call everywhere()"
            .formatted(others));
  }

  private Optional<String> differenceFrom(byte[] first, List<BlockDigests> mine) {
    try {
      RecordReader in = RecordReader.of(first, "rank 0");
      for (BlockDigests one : mine) {
        String dataset = in.getText();
        int halves = in.getInt();
        for (int i = 0; i < halves; i++) {
          if (in.getLong() != one.digests()[i]) {
            return Optional.of(
                "rank %d: dataset \"%s\" differs from that of rank 0 in block %d"
                    .formatted(comm.rank(), dataset, i / 2));
          }
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("rank %d: %s".formatted(comm.rank(), e.getMessage()));
    }
  }
}
