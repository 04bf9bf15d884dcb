// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.time.Instant;
import java.util.List;

/**
 * A run with all it descends from: what can be restored without mixing.
 *
 * @param lineage of the run
 * @param versions what was found of it and of those it descends from, newest first
 * @param own those of them that belong to no other life, newest first
 * @param newest when the newest of its own was taken; {@link Instant#MIN} if there is none
 */
public record Life(Lineage lineage, List<VersionId> versions, List<VersionId> own, Instant newest) {

  /** Copies the lists. */
  public Life {
    versions = List.copyOf(versions);
    own = List.copyOf(own);
  }

  /** What a person writes to choose it: {@code 91c3aa02-5f0c91aa}. */
  public String id() {
    return lineage.brief();
  }

  /**
   * Whether a person means this one: by the first digits of the job, of the run, or as {@link #id}
   * writes it.
   */
  public boolean isCalled(String text) {
    String job = lineage.job().toString();
    String run = lineage.run().id().toString();
    int dash = text.indexOf('-');
    if (dash >= 0) {
      return job.startsWith(text.substring(0, dash)) && run.startsWith(text.substring(dash + 1));
    }
    return !text.isEmpty() && (job.startsWith(text) || run.startsWith(text));
  }
}
