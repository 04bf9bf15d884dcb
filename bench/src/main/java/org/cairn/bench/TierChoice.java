// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.cairn.Tiers;
import org.cairn.store.DirectoryStore;

/** The tiers to be compared; every checkpoint goes to all that are chosen. */
enum TierChoice {
  LOCAL,
  PARTNER,
  ERASURE,
  SHARED,
  ALL;

  /** Long enough that no checkpoint leaves a tier out. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  String label() {
    return this == LOCAL ? "local" : this == ALL ? "all" : "+" + name().toLowerCase(Locale.ROOT);
  }

  /** The tiers, with a shared directory in this folder. */
  Tiers tiers(Path folder) throws IOException {
    Tiers tiers = Tiers.none().patience(PATIENCE);
    if (this == PARTNER || this == ALL) {
      tiers = tiers.partner(1);
    }
    if (this == ERASURE || this == ALL) {
      tiers = tiers.erasure(1);
    }
    if (this == SHARED || this == ALL) {
      tiers = tiers.shared(DirectoryStore.shared(folder.resolve("shared")), 1);
    }
    return tiers;
  }
}
