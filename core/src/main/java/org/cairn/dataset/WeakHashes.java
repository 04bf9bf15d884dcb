// SPDX-License-Identifier: Apache-2.0
package org.cairn.dataset;

import org.cairn.hash.HashAlgorithm;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rule for hash algorithms whose equal digests say too little: ask first, then warn. */
public final class WeakHashes {
  private static final Logger LOG = LoggerFactory.getLogger(WeakHashes.class);

  private WeakHashes() {}

  /** Refuses a weak algorithm unless the user accepted weak ones; then warns. */
  public static void check(HashAlgorithm algorithm, boolean accepted, String where) {
    if (!algorithm.weak()) {
      return;
    }
    if (!accepted) {
      throw new IllegalArgumentException(
          "%s: %s is weak (%d bits): a changed block may be taken for clean and be lost;"
                  .formatted(where, algorithm.label(), algorithm.bits())
              + " say Options.acceptWeakHash() to use it all the same");
    }
    LOG.warn(
        "{}: {} is weak ({} bits); a changed block may be taken for clean and be lost",
        where,
        algorithm.label(),
        algorithm.bits());
  }
}
