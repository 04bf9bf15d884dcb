// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.cairn.division.Description;
import org.cairn.division.Selection;
import org.cairn.work.Reserve;

/**
 * Where a checkpoint waits before it becomes durable: ranks first look whether what they have put
 * into it goes together, and whether what they say is the same everywhere is. This rank shows what
 * it has, others judge, and the checkpoint passes or does not.
 */
public final class Gate {
  private final boolean closed;
  private final Reserve reserve;
  private final CompletableFuture<Optional<Shown>> shown = new CompletableFuture<>();
  private final CompletableFuture<Boolean> consent = new CompletableFuture<>();

  /** Said by the program's thread before the writer passes. */
  private volatile Said said =
      new Said(new Selection(Description.nothing(), Description.nothing()), true);

  private record Said(Selection selection, boolean asAgreed) {}

  /**
   * What this rank shows.
   *
   * @param selection what it has put in
   * @param asAgreed whether that is what ranks agreed on when the checkpoint was begun
   * @param digests of what is to be the same everywhere
   */
  public record Shown(Selection selection, boolean asAgreed, List<BlockDigests> digests) {}

  private Gate(boolean closed, Reserve reserve) {
    this.closed = closed;
    this.reserve = reserve;
  }

  /** A gate that nobody has to wait at. */
  public static Gate open(Reserve reserve) {
    return new Gate(false, reserve);
  }

  /** A gate that is opened by {@link #consent}, for checkpoints that have to be looked at. */
  public static Gate closed(Reserve reserve) {
    return new Gate(true, reserve);
  }

  /** Whether anybody looks. */
  public boolean isClosed() {
    return closed;
  }

  // ---------------------------------------------------------------- who takes the checkpoint

  /**
   * Says what is in the checkpoint, before it passes.
   *
   * @param asAgreed whether that is what ranks agreed on when it was begun
   */
  public void say(Selection selection, boolean asAgreed) {
    said = new Said(selection, asAgreed);
  }

  /** Shows what this rank has, and waits until all ranks have compared theirs. */
  void pass(List<BlockDigests> digests) throws IOException {
    if (!closed) {
      return;
    }
    shown.complete(Optional.of(new Shown(said.selection, said.asAgreed, List.copyOf(digests))));
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
    reserve.complete(shown, Optional.empty());
  }

  // ---------------------------------------------------------------- who judges

  /** What this rank shows; empty if its checkpoint failed before. */
  public Optional<Shown> await() {
    return shown.join();
  }

  /** Judges as soon as this rank shows what it has; where there is nobody to wait for. */
  public void whenShown(Consumer<Shown> judge) {
    var _ = shown.thenAccept(mine -> mine.ifPresent(judge));
  }

  /** The checkpoint may become durable. */
  public void consent() {
    reserve.complete(consent, true);
  }

  /** It may not. */
  public void refuse(Throwable reason) {
    reserve.fail(consent, reason);
  }
}
