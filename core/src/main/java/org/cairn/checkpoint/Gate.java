// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Where a checkpoint waits before it becomes durable: ranks first look whether what they say is the
 * same everywhere is. This rank shows its digests, others judge, and the checkpoint passes or does
 * not.
 */
public final class Gate {
  private final boolean closed;
  private final CompletableFuture<List<BlockDigests>> shown = new CompletableFuture<>();
  private final CompletableFuture<Boolean> consent = new CompletableFuture<>();

  private Gate(boolean closed) {
    this.closed = closed;
  }

  /** A gate that nobody has to wait at. */
  public static Gate open() {
    return new Gate(false);
  }

  /** A gate that is opened by {@link #consent}, for checkpoints of which something is compared. */
  public static Gate closed() {
    return new Gate(true);
  }

  /** Whether anything is compared. */
  public boolean isClosed() {
    return closed;
  }

  // ---------------------------------------------------------------- who takes the checkpoint

  /** Shows the digests, and waits until all ranks have compared theirs. */
  void pass(List<BlockDigests> digests) throws IOException {
    if (!closed) {
      return;
    }
    shown.complete(List.copyOf(digests));
    try {
      consent.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case IOException cause -> throw cause;
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw new IOException(e.getCause());
      }
    }
  }

  /** This rank's checkpoint has ended, one way or the other: it shows nothing more. */
  public void leave() {
    shown.complete(new ArrayList<>());
  }

  // ---------------------------------------------------------------- who judges

  /** The digests of this rank; empty if its checkpoint failed before it had any. */
  public List<BlockDigests> await() {
    return shown.join();
  }

  /** The checkpoint may become durable. */
  public void consent() {
    consent.complete(true);
  }

  /** It may not. */
  public void refuse(Throwable reason) {
    consent.completeExceptionally(reason);
  }
}
