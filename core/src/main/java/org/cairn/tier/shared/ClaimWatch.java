// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.clock.Clock;
import org.cairn.store.Store;
import org.cairn.version.JobId;

/**
 * Watches the claims of a job. A claim is live until it has rested while one watches, measured by
 * the clock of who watches; so a claim that is seen for the first time is live.
 *
 * <p>Not for use by several threads.
 */
final class ClaimWatch {
  private final Store store;
  private final Clock clock;
  private final Duration rest;
  private final Map<String, Seen> seen = new HashMap<>();

  private record Seen(byte[] bytes, long since) {}

  /**
   * One claim.
   *
   * @param content what it says; empty if it cannot be read
   * @param live whether somebody may still be at work
   */
  record Found(SharedNames.ClaimName name, Optional<Claim.Content> content, boolean live) {}

  ClaimWatch(Store store, Clock clock, Duration rest) {
    this.store = store;
    this.clock = clock;
    this.rest = rest;
  }

  /** Looks at all claims of a job. */
  List<Found> look(JobId job) throws IOException {
    List<Found> found = new ArrayList<>();
    for (String name : store.list()) {
      Optional<SharedNames.ClaimName> claim =
          SharedNames.claim(name).filter(one -> one.job().equals(job));
      if (claim.isPresent()) {
        try {
          found.add(look(claim.get(), name));
        } catch (NoSuchFileException e) {
          seen.remove(name); // its flush has just ended
        }
      }
    }
    return found;
  }

  private Found look(SharedNames.ClaimName claim, String name) throws IOException {
    byte[] bytes = LeaseFiles.read(store, name);
    long now = clock.nanos();
    Seen before = seen.get(name);
    if (before == null || !Arrays.equals(before.bytes, bytes)) {
      before = new Seen(bytes, now);
      seen.put(name, before);
    }
    boolean live = now - before.since < rest.toNanos();
    return new Found(claim, Claim.parse(bytes, store.location(name)), live);
  }
}
