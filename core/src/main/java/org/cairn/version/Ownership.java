// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.io.IOException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What a container says about itself, whatever its file is called.
 *
 * <pre>Ownership → kind:u32 rank:u32 ranks:u32 Lineage</pre>
 *
 * @param lineage of the run that writes it, or wrote it last
 * @param kind what it is for: {@link #STATE}, {@link #COPY} or {@link #PARITY}
 * @param rank whose state it holds; for parity, who holds it
 * @param ranks how many ranks the job has
 */
public record Ownership(Lineage lineage, int kind, int rank, int ranks) {
  /** A rank's own state. */
  public static final int STATE = 1;

  /** A copy of a rank's state, kept by another. */
  public static final int COPY = 2;

  /** What a rank holds of the parity of its group. */
  public static final int PARITY = 4;

  /** The same of another run. */
  public Ownership of(Lineage next) {
    return new Ownership(next, kind, rank, ranks);
  }

  /** Puts it into a record. */
  public void write(RecordWriter out) {
    out.putInt(kind).putInt(rank).putInt(ranks);
    lineage.write(out);
  }

  /**
   * Takes it out of a record.
   *
   * @throws org.cairn.CorruptContainerException if it is none
   * @throws org.cairn.UnsupportedFormatException if only a later release understands it
   */
  public static Ownership read(RecordReader in) throws IOException {
    int kind = in.getNumber("a kind");
    int rank = in.getNumber("a rank");
    int ranks = in.getNumber("a number of ranks");
    if (rank >= ranks) {
      throw in.corrupt("rank %d of %d".formatted(rank, ranks));
    }
    return new Ownership(Lineage.read(in), kind, rank, ranks);
  }
}
