// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import org.cairn.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * The identity of one checkpoint, never used twice.
 *
 * <p>The numbers alone are not enough: two runs that never saw each other count alike, and their
 * files meet on disks and in shared directories. The run tells them apart. Within a run the
 * sequence only grows, failed and aborted checkpoints included, and a run has a larger epoch than
 * all it descends from: so identities of one life are in the order in which they were taken. The
 * order between lives means nothing, but is the same everywhere.
 *
 * <pre>VersionId → job(16) run:u64 epoch:u64 sequence:u64 ranks:u32      44 bytes</pre>
 *
 * @param job the job it is a state of
 * @param run the run that took it
 * @param epoch counts the runs that could know of each other
 * @param sequence the number of the checkpoint; grows over all epochs
 * @param ranks how many ranks the job had
 */
public record VersionId(JobId job, RunId run, long epoch, long sequence, int ranks)
    implements Comparable<VersionId> {
  /** How many bytes {@link #write} takes. */
  public static final int BYTES = 44;

  /** Puts it into a record. */
  public void write(RecordWriter out) {
    job.write(out);
    out.putLong(run.bits()).putLong(epoch).putLong(sequence).putInt(ranks);
  }

  /** Takes it out of a record. */
  public static VersionId read(RecordReader in) throws CorruptContainerException {
    return new VersionId(
        JobId.read(in),
        new RunId(in.getLong()),
        in.getLongNumber("an epoch"),
        in.getLongNumber("a sequence number"),
        in.getNumber("a number of ranks"));
  }

  @Override
  public int compareTo(VersionId other) {
    int order = Long.compare(epoch, other.epoch);
    order = order == 0 ? Long.compare(sequence, other.sequence) : order;
    order = order == 0 ? Integer.compare(ranks, other.ranks) : order;
    order = order == 0 ? job.compareTo(other.job) : order;
    return order == 0 ? run.compareTo(other.run) : order;
  }

  /** The form that fits no other version: {@code 1.3@5f0c91aa}. */
  public String exact() {
    return this + "@" + run.brief();
  }

  /** The short form, {@code 1.3}. */
  @Override
  public String toString() {
    return epoch + "." + sequence;
  }
}
