// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.Optional;
import org.cairn.container.StagedBlocks;
import org.cairn.supply.Workspace;
import org.cairn.work.Lane;

/**
 * Blocks on their way to a file: while those staged before are written by another thread, the next
 * are staged. Who has no more than fits one buffer starts no thread. For one thread.
 */
final class WriteBehind implements AutoCloseable {
  private final Target target;
  private final int bytes;
  private final Workspace space = new Workspace();
  private final Lane writing = Lane.beside("cairn-storing");
  private StagedBlocks filling;
  private Optional<StagedBlocks> other = Optional.empty();
  private Optional<Lane.Piece<Lane>> underWay = Optional.empty();

  /** Where blocks go. */
  interface Target {
    void store(StagedBlocks staged) throws IOException;
  }

  /**
   * Stages.
   *
   * @param bytes the size of a buffer, of which there are two at most; no block is larger
   */
  WriteBehind(Target target, int bytes) {
    this.target = target;
    this.bytes = bytes;
    this.filling = stage();
  }

  private StagedBlocks stage() {
    return new StagedBlocks(space.allocate(bytes));
  }

  /** Where the next block of this length is staged. */
  StagedBlocks roomFor(int length) throws IOException {
    if (filling.room() < length) {
      turn();
    }
    return filling;
  }

  /** Lets be written what is staged, once what was staged before it is. */
  private void turn() throws IOException {
    awaitWritten();
    StagedBlocks next = other.orElseGet(this::stage);
    StagedBlocks full = filling;
    next.clear();
    underWay = Optional.of(writing.give(() -> target.store(full)));
    other = Optional.of(full);
    filling = next;
  }

  /** Waits until nobody writes; what is staged stays so. */
  void awaitWritten() throws IOException {
    if (underWay.isPresent()) {
      underWay.get().result();
      underWay = Optional.empty();
    }
  }

  /** Writes all that is staged; says what can be staged into. From now on nobody else writes. */
  StagedBlocks settle() throws IOException {
    awaitWritten();
    target.store(filling);
    filling.clear();
    return filling;
  }

  /** When this returns nobody writes any more; what is staged is not written. */
  @Override
  public void close() {
    writing.close();
    space.close();
  }
}
