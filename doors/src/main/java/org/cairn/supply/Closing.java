// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Closes one thing after the other, whatever becomes of each: a lock that is not given back because
 * something before it failed would be in everybody's way.
 */
public final class Closing {
  private @Nullable Throwable first;

  /** One thing to do. */
  @FunctionalInterface
  public interface Step {
    /** Does it. */
    void run() throws IOException;
  }

  /** Does this too. */
  public Closing then(Step step) {
    try {
      step.run();
    } catch (IOException | RuntimeException | Error e) {
      if (first == null) {
        first = e;
      } else if (first != e) {
        first.addSuppressed(e);
      }
    }
    return this;
  }

  /** Whether nothing has failed so far. */
  public boolean isClean() {
    return first == null;
  }

  /** Throws what failed first, with all that failed after it. */
  public void end() throws IOException {
    switch (first) {
      case null -> {}
      case IOException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IOException(first);
    }
  }
}
