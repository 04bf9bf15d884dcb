// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.time.Duration;
import org.cairn.event.Event;
import org.cairn.event.FlightEvents;
import org.cairn.tier.TierListener;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the event log what tiers do. */
final class TierEvents implements TierListener {
  private static final Logger LOG = LoggerFactory.getLogger(TierEvents.class);

  private final JobLog log;

  TierEvents(JobLog log) {
    this.log = log;
  }

  @Override
  public void started(TierKind tier, VersionId version) {
    log.append(event("tierStarted", tier, version));
  }

  @Override
  public void ended(
      TierKind tier, VersionId version, long bytes, Duration time, @Nullable Throwable failure) {
    double seconds = time.toNanos() * 1e-9;
    if (failure == null) {
      log.append(event("tier", tier, version).with("bytes", bytes).with("seconds", seconds));
    } else {
      LOG.warn(
          "version {} did not reach the {} tier: {}", version, tier.label(), failure.toString());
      log.append(
          event("tierFailed", tier, version)
              .with("seconds", seconds)
              .with("failure", failure.toString()));
    }
    FlightEvents.tier().ifPresent(flight -> record(tier, version, bytes, time, failure, flight));
  }

  private static void record(
      TierKind tier,
      VersionId version,
      long bytes,
      Duration time,
      @Nullable Throwable failure,
      FlightEvents.Tier flight) {
    flight.tier = tier.label();
    flight.version = version.toString();
    flight.bytes = bytes;
    flight.nanos = time.toNanos();
    flight.failure = failure == null ? "" : failure.toString();
    flight.commit();
  }

  @Override
  public void remarked(TierKind tier, VersionId version, String remark) {
    log.append(event("tierRemark", tier, version).with("remark", remark));
  }

  @Override
  public void skipped(TierKind tier, VersionId version) {
    log.append(event("tierSkipped", tier, version));
  }

  private Event event(String kind, TierKind tier, VersionId version) {
    return log.event(kind).with("tier", tier.label()).with("version", version.toString());
  }
}
