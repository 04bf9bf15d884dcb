// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

/**
 * The identity of one checkpoint, never used twice.
 *
 * <p>Every time a container is opened for writing a fresh epoch is made durable before any version
 * carries it, and within an epoch the sequence only grows, failed and aborted checkpoints included.
 * So two different states can never bear the same identity.
 *
 * @param epoch how often the container had been opened for writing
 * @param sequence the number of the checkpoint; grows over all epochs
 * @param ranks how many ranks the job had
 */
public record VersionId(long epoch, long sequence, int ranks) implements Comparable<VersionId> {

  /** Reads the short form, {@code epoch.sequence}, of a version of a single-rank job. */
  public static VersionId parse(String text) {
    String[] parts = text.strip().split("\\.", -1);
    try {
      if (parts.length == 2) {
        return new VersionId(Long.parseLong(parts[0]), Long.parseLong(parts[1]), 1);
      }
    } catch (NumberFormatException e) {
      // Falls through to the message that shows the form.
    }
    throw new IllegalArgumentException(
        "\"" + text + "\" is not a version; write it as EPOCH.SEQUENCE, for example 1.3");
  }

  @Override
  public int compareTo(VersionId other) {
    int byEpoch = Long.compare(epoch, other.epoch);
    return byEpoch != 0 ? byEpoch : Long.compare(sequence, other.sequence);
  }

  @Override
  public String toString() {
    return epoch + "." + sequence;
  }
}
