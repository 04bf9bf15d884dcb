// SPDX-License-Identifier: Apache-2.0
package org.cairn.event;

import java.util.Optional;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * The same things as JFR events, for recordings of the running program.
 *
 * <p>They are made only where somebody records. The first event of a process wakes the whole
 * recorder, a hundred classes, which a restart would wait for.
 */
public final class FlightEvents {
  private FlightEvents() {}

  /** A checkpoint begins. */
  public static Optional<Checkpoint> checkpoint() {
    return isRecorded() ? Optional.of(begun(new Checkpoint())) : Optional.empty();
  }

  /** A restart begins. */
  public static Optional<Restart> restart() {
    return isRecorded() ? Optional.of(begun(new Restart())) : Optional.empty();
  }

  /** A version was brought to a tier, or was not. */
  public static Optional<Tier> tier() {
    return isRecorded() ? Optional.of(begun(new Tier())) : Optional.empty();
  }

  private static boolean isRecorded() {
    return FlightRecorder.isInitialized();
  }

  private static <E extends Event> E begun(E event) {
    event.begin();
    return event;
  }

  /** A checkpoint, from its beginning until it is durable or has failed. */
  @Name("org.cairn.Checkpoint")
  @Label("Checkpoint")
  @Category("Cairn")
  @Description("A checkpoint, from its beginning until it is durable or has failed")
  @StackTrace(false)
  public static final class Checkpoint extends Event {
    /** The version. */
    @Label("Version")
    public String version = "";

    /** Differential or full, and why. */
    @Label("Decision")
    public String decision = "";

    /** All blocks. */
    @Label("Blocks")
    public long blocks;

    /** Blocks that had changed. */
    @Label("Dirty Blocks")
    public long dirtyBlocks;

    /** Bytes written to the container. */
    @Label("Bytes Written")
    @DataAmount
    public long bytesWritten;

    /** How long the program waited. */
    @Label("Waited")
    @Timespan(Timespan.NANOSECONDS)
    public long waited;

    /** The size of all datasets. */
    @Label("Protected Bytes")
    @DataAmount
    public long protectedBytes;

    /** From the call until it was durable. */
    @Label("Until Durable")
    @Timespan(Timespan.NANOSECONDS)
    public long untilDurable;

    /** Hashing, averaged over the cores. */
    @Label("Hashing")
    @Timespan(Timespan.NANOSECONDS)
    public long hashing;

    /** Copying and coding, averaged over the cores. */
    @Label("Copying")
    @Timespan(Timespan.NANOSECONDS)
    public long copying;

    /** Time in write calls. */
    @Label("Writing")
    @Timespan(Timespan.NANOSECONDS)
    public long writing;

    /** From the last block written until durable. */
    @Label("Forcing")
    @Timespan(Timespan.NANOSECONDS)
    public long forcing;

    /** Empty, or what went wrong. */
    @Label("Failure")
    public String failure = "";
  }

  /** A restart. */
  @Name("org.cairn.Restart")
  @Label("Restart")
  @Category("Cairn")
  @Description("Reading a version back into the program")
  @StackTrace(false)
  public static final class Restart extends Event {
    /** The version. */
    @Label("Version")
    public String version = "";

    /** Bytes restored. */
    @Label("Bytes")
    @DataAmount
    public long bytes;

    /** Versions that could not be used. */
    @Label("Problems")
    public int problems;
  }

  /** A version on its way to a tier. */
  @Name("org.cairn.Tier")
  @Label("Tier")
  @Category("Cairn")
  @Description("Bringing a version of all ranks to a tier")
  @StackTrace(false)
  public static final class Tier extends Event {
    /** The tier. */
    @Label("Tier")
    public String tier = "";

    /** The version. */
    @Label("Version")
    public String version = "";

    /** Bytes that this rank sent or wrote. */
    @Label("Bytes")
    @DataAmount
    public long bytes;

    /** How long it took. */
    @Label("Duration of the transfer")
    @Timespan(Timespan.NANOSECONDS)
    public long nanos;

    /** Empty, or what went wrong. */
    @Label("Failure")
    public String failure = "";
  }
}
