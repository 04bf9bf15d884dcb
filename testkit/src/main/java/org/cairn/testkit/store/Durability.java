// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

/** What a crash may do to a change that a program has made. */
enum Durability {
  /** Never forced: a crash may take it, the next force makes it certain. */
  PENDING,
  /** Forced, but the force failed: a crash may take it, and no force helps any more. */
  DOUBTFUL,
  /** Forced: a crash leaves it alone. */
  CERTAIN;

  /** What forcing makes of it. */
  Durability forced() {
    return this == PENDING ? CERTAIN : this;
  }

  /** What forcing in vain makes of it. */
  Durability forcedInVain() {
    return this == PENDING ? DOUBTFUL : this;
  }
}
