// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import org.cairn.store.Store;

/**
 * One round over all that the retained versions of an open container have in its file: superblocks,
 * root, map records and catalogs first, then the blocks of the newest version in the order of their
 * slots, then of each older one those that the next newer one does not have in the same place.
 *
 * <p>Assumptions:
 *
 * <ol>
 *   <li>One thread makes steps. Others may commit to the container and close it meanwhile.
 * </ol>
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>What a step reads is held: commits do not give its place away before the step has ended.
 *   <li>What is in use at the same place during the whole round is read, once.
 *   <li>What is bad is made known to the container, which mends it with its next commit; nothing is
 *       written here.
 * </ol>
 */
public final class ContainerScrub implements AutoCloseable {
  private final ScrubReader reader;
  private ScrubPhase phase;
  private long bytes;

  /** A round over a container, read past the system's cache if the store can do that. */
  public ContainerScrub(Container container, Store store) throws IOException {
    this.reader = new ScrubReader(container, store);
    this.phase = new ScrubPhase.Anchors(reader);
  }

  /** Whether the medium itself is read, and not what the system's memory has of it. */
  public boolean isUncached() {
    return reader.isUncached();
  }

  /** Whether the round is complete. */
  public boolean isDone() {
    return phase instanceof ScrubPhase.Done;
  }

  /** How many bytes have been verified. */
  public long bytes() {
    return bytes;
  }

  /** What was found to be bad since this was asked last, and was not known before. */
  public List<String> takeFound() {
    return reader.takeFound();
  }

  /**
   * Verifies the next piece, of a mebibyte at most unless a single record is longer.
   *
   * @return how many bytes were read
   * @throws ClosedChannelException if the container was closed
   */
  public long step() throws IOException {
    ScrubPhase.Step done = phase.step();
    phase = done.next();
    bytes += done.bytes();
    return done.bytes();
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
