// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.List;
import org.cairn.container.Mended;
import org.cairn.job.ScrubListener;
import org.cairn.record.FirstFew;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the event log, and people, what scrubbing finds. */
final class ScrubEvents implements ScrubListener {
  private static final Logger LOG = LoggerFactory.getLogger(ScrubEvents.class);

  private final JobLog log;
  private boolean toldOfCache;

  ScrubEvents(JobLog log) {
    this.log = log;
  }

  @Override
  public void began(List<String> files) {
    log.append(log.event("scrubBegan").with("files", files));
  }

  @Override
  public void found(String file, List<String> bad) {
    List<String> told = FirstFew.lines(bad);
    told.forEach(what -> LOG.warn("rot on disk: {}", what));
    log.append(log.event("scrubFound").with("file", file).with("bad", told));
  }

  @Override
  public void mended(String file, Mended mended) {
    List<String> healed = FirstFew.lines(mended.healed());
    List<String> lost = FirstFew.lines(mended.lost());
    healed.forEach(what -> LOG.info("written to a new place: {}", what));
    lost.forEach(what -> LOG.warn("cannot be healed, no good bytes are left: {}", what));
    log.append(
        log.event("scrubMended").with("file", file).with("healed", healed).with("lost", lost));
  }

  @Override
  public void ended(Round round) {
    if (!round.cached().isEmpty() && !toldOfCache) {
      toldOfCache = true;
      LOG.info(
          "{} cannot be read past the system's cache; only what it reads anew is verified",
          round.cached());
    }
    log.append(
        log.event("scrub")
            .with("bytes", round.bytes())
            .with("bad", round.bad())
            .with("uncached", round.cached().isEmpty())
            .with("cached", round.cached())
            .with("problems", round.given())
            .with("seconds", round.time().toNanos() * 1e-9));
  }
}
