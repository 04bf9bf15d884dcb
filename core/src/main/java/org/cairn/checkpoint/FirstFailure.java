// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Why something cannot end well any more, whichever thread came upon it first. */
final class FirstFailure {
  private final AtomicReference<@Nullable Throwable> first = new AtomicReference<>();

  void fail(Throwable reason) {
    first.compareAndSet(null, reason);
  }

  /** Whether nothing has failed so far. */
  boolean isNone() {
    return first.get() == null;
  }

  Optional<Throwable> reason() {
    return Optional.ofNullable(first.get());
  }
}
