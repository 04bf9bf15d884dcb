// SPDX-License-Identifier: Apache-2.0
package org.cairn.watch;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.WeakHashMap;
import java.util.function.BiConsumer;
import org.cairn.StuckException;
import org.cairn.clock.Clock;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;
import org.cairn.supply.Supply;
import org.cairn.work.Reserve;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a job whose ranks wait for each other in vain: because one of them has ended, closed its
 * checkpoints, is stopped or cut off, or because they wait for different things.
 *
 * <p>Assumptions:
 *
 * <ol>
 *   <li>All ranks have the same limit, and make their watches over one communicator in the same
 *       order.
 *   <li>The communicator serves several threads. Over one that does not, nothing is watched.
 * </ol>
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>As long as one rank that can be heard computes, or any message of Cairn arrives, nobody is
 *       ended, however long that takes.
 *   <li>If not so for the limit, every rank prints where it waits and who is gone or silent; after
 *       as long again the job ends: processes with the status {@link #STATUS}, threads with a
 *       {@link StuckException} from the calls that wait.
 *   <li>The watch itself never waits for another rank.
 *   <li>Where memory runs out it leaves out beats, and goes on: what it needs to say and to hear
 *       that a rank has left is loaded before, and some memory is kept for it.
 * </ol>
 */
public final class Watch implements AutoCloseable {
  /** With what processes end that waited too long: {@code EX_TEMPFAIL}, start again. */
  public static final int STATUS = 75;

  private static final Logger LOG = LoggerFactory.getLogger(Watch.class);

  /** Tags for watches that follow each other, far from those of collectives. */
  private static final int GENERATIONS = 1 << 12;

  /** How many watches there were over a communicator, so that old beats are not heard. */
  private static final Map<Communicator, Integer> OPENED = new WeakHashMap<>();

  private static final Duration FAREWELL = Duration.ofSeconds(1);

  /** How often something is tried that there is no memory for, and that others can do without. */
  private static final int ATTEMPTS = 50;

  /** In how many beats the listener is told of the end, if it has no memory to hear of it. */
  private static final int TELLINGS = 3;

  private final Communicator world;
  private final Clock clock;
  private final Duration limit;
  private final Duration period;
  private final Activity activity = new Activity();
  private final Vigil vigil;
  private final int tag;
  private final List<Request> underWay = new ArrayList<>();
  private final Reserve reserve = new Reserve();
  private final @Nullable Thread thread;

  /** Is told what is wrong, and whether the job ends now. */
  private volatile BiConsumer<String, Boolean> listener = (message, ends) -> {};

  private volatile boolean closed;
  private long last;
  private boolean alarmed;
  private boolean ended;

  /** How often the listener had no memory to hear of the end. */
  private int unheard;

  /** Beats in a row that there was no memory for. */
  private int missed;

  private Watch(Communicator world, Clock clock, Duration limit) {
    this.world = world;
    this.clock = clock;
    this.limit = limit;
    this.period = Vigil.period(world.size(), limit);
    this.vigil = new Vigil(world.rank(), world.size(), period);
    boolean watches = world.size() > 1 && world.isConcurrent() && limit.isPositive();
    this.tag = watches ? nextTag(world) : 0;
    this.last = clock.nanos();
    this.thread = watches ? Supply.thread(this::run, "cairn-watch") : null;
  }

  /**
   * Watches over the ranks of a communicator; all of them do. Not collective.
   *
   * @param limit how long they may wait before they print where; zero to watch nothing
   */
  public static Watch over(Communicator world, Clock clock, Duration limit) {
    Watch watch = new Watch(world, clock, limit);
    if (watch.thread != null) {
      watch.reserve.refill();
      watch.thread.start();
    }
    return watch;
  }

  private static int nextTag(Communicator world) {
    synchronized (OPENED) {
      return Communicator.MIN_TAG + OPENED.merge(world, 1, Integer::sum) % GENERATIONS;
    }
  }

  /** The communicator, for the use of Cairn: waits in it and its descendants are watched. */
  public Communicator communicator() {
    return thread == null ? world : new WatchedCommunicator(world, activity);
  }

  /** Who is told what is wrong, and whether the job ends now; before it does. */
  public void tell(BiConsumer<String, Boolean> told) {
    listener = told;
  }

  // ---------------------------------------------------------------- the thread

  private void run() {
    try {
      insist(this::rehearse);
      while (!closed) {
        tryToWork();
      }
    } catch (InterruptedException e) {
      // closed
    } catch (CommunicationException | IllegalStateException e) {
      LOG.debug("rank {} cannot be watched any more", world.rank(), e);
      return;
    }
    if (!ended) {
      leave();
    }
  }

  /**
   * A beat that there is no memory for is left out: others are used to that. (So is one that needs
   * a class which was lost that way.) Not a word of it before there is memory again: that takes
   * some, too.
   */
  private void tryToWork() throws InterruptedException {
    try {
      clock.pause(period);
      doWork();
      reserve.refill();
      missed = 0;
    } catch (OutOfMemoryError | LinkageError e) {
      reserve.makeRoom();
      missed++;
      if (e instanceof LinkageError && missed == TELLINGS) {
        tellOfSilence(e);
      }
    }
  }

  /** Memory that is full may have room again; a class that was lost is lost for good. */
  private void tellOfSilence(Throwable why) {
    try {
      LOG.warn("rank {} cannot be watched any more, nor watch others", world.rank(), why);
    } catch (OutOfMemoryError | LinkageError e) {
      missed--; // the next beat tells it
    }
  }

  /** Says and hears what may have to be said when no class can be loaded any more. */
  private void rehearse() {
    Vigil one = new Vigil(0, 2, period);
    one.breakDown("a rehearsal");
    one.pass(0, true);
    one.pass(period.toNanos(), false);
    Vigil other = new Vigil(1, 2, period);
    try {
      other.hear(0, Beat.of(one.beat(true).toBytes(), 0));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    other.pass(0, false);
    other.breakdown().ifPresent(this::describe);
    describe(other.quiet());
    activity.breakdown().ifPresent(one::breakDown);
    activity.goOnEnding();
  }

  /** Tries something again that there is no memory for, but not for ever. */
  private void insist(Runnable deed) {
    for (int i = 0; i < ATTEMPTS; i++) {
      try {
        deed.run();
        return;
      } catch (OutOfMemoryError | LinkageError e) {
        reserve.makeRoom();
      }
    }
  }

  /** One beat. */
  private void doWork() {
    long time = clock.nanos();
    long step = Math.clamp(time - last, 0, 2 * period.toNanos());
    last = time;
    vigil.pass(step, activity.isSeen());
    activity.goOnEnding();
    activity.breakdown().ifPresent(vigil::breakDown);
    hear();
    OptionalInt to = vigil.next();
    if (to.isPresent()) {
      send(vigil.beat(false), to.getAsInt());
    }
    judge();
  }

  private void hear() {
    for (Optional<Message> next = poll(); next.isPresent(); next = poll()) {
      byte[] bytes = new byte[Math.toIntExact(next.get().bytes())];
      int from = next.get().source();
      world.receive(MemorySegment.ofArray(bytes), from, tag);
      try {
        vigil.hear(from, Beat.of(bytes, from));
      } catch (IOException e) {
        LOG.debug("a beat that cannot be read", e);
      }
    }
  }

  private Optional<Message> poll() {
    return world.poll(Communicator.ANY_SOURCE, tag);
  }

  /** Where many beats are not taken, there is no use in more. */
  private void send(Beat beat, int to) {
    underWay.removeIf(Request::test);
    if (underWay.size() < 2 * Integer.SIZE) {
      underWay.add(world.startSend(MemorySegment.ofArray(beat.toBytes()), to, tag));
    }
  }

  private void leave() {
    try {
      insist(this::sayFarewell);
    } catch (CommunicationException | IllegalStateException e) {
      LOG.debug("rank {} left without a word", world.rank(), e);
    }
  }

  private void sayFarewell() {
    activity.breakdown().ifPresent(vigil::breakDown);
    tellAll(vigil.beat(true));
  }

  private void tellAll(Beat beat) {
    for (int to : vigil.successors()) {
      send(beat, to);
    }
  }

  // ---------------------------------------------------------------- the judgement

  private void judge() {
    Optional<Beat.Breakdown> lost = vigil.breakdown();
    if (lost.isPresent() && lost.get().rank() != world.rank()) {
      tellAll(vigil.beat(true));
      end(describe(lost.get()));
      return;
    }
    Duration quiet = vigil.quiet();
    if (alarmed && quiet.compareTo(limit.dividedBy(2)) < 0) {
      LOG.warn("rank {}: the ranks go on", world.rank());
      alarmed = false;
    }
    if (!alarmed && quiet.compareTo(limit) > 0) {
      alarmed = true;
      String message = describe(quiet) + "; the job ends in " + seconds(limit) + " unless they do";
      listener.accept(message, false);
      print(message + "\n" + stacks());
    }
    if (quiet.compareTo(limit.multipliedBy(2)) > 0) {
      end(describe(quiet) + "; the job ends");
    }
  }

  private String describe(Beat.Breakdown lost) {
    return "rank %d of %d: rank %d has left the others in the middle of something: %s; the job ends; start it again"
        .formatted(world.rank(), world.size(), lost.rank(), lost.reason());
  }

  private String describe(Duration quiet) {
    return "rank %d of %d: ranks wait for each other, and none has moved for %s: %s"
        .formatted(
            world.rank(),
            world.size(),
            seconds(quiet),
            vigil.absent().orElse("all ranks answer, but wait for different things"));
  }

  private String stacks() {
    StringBuilder text = new StringBuilder();
    for (Thread waiting : activity.threads()) {
      text.append("rank %d, thread \"%s\":%n".formatted(world.rank(), waiting.getName()));
      for (StackTraceElement frame : waiting.getStackTrace()) {
        text.append("    at ").append(frame).append('\n');
      }
    }
    return text.toString();
  }

  /** Not to a log that may go nowhere: this is the last that is heard of the job. */
  private static void print(String text) {
    System.err.print("cairn: " + text + "\n");
    System.err.flush();
  }

  private void end(String message) {
    tellListener(message);
    print(message + " with status " + STATUS);
    if (world.isProcess()) {
      world.abort(STATUS);
    }
    activity.end(message);
    ended = true; // whoever waits is told; there is nothing left to watch
    closed = true;
  }

  /**
   * Once more in the next beat, if there is no memory; but whoever waits must not wait for that.
   */
  private void tellListener(String message) {
    try {
      listener.accept(message, true);
    } catch (OutOfMemoryError | LinkageError e) {
      if (++unheard < TELLINGS) {
        throw e;
      }
    }
  }

  static String seconds(Duration time) {
    return time.toSeconds() < 10
        ? "%.1f s".formatted(time.toMillis() / 1000.0)
        : time.toSeconds() + " s";
  }

  /** This rank leaves: it is not to be waited for. Never waits for other ranks. */
  @Override
  public void close() {
    closed = true;
    if (thread == null || thread == Thread.currentThread()) {
      return;
    }
    thread.interrupt();
    try {
      Supply.join(thread, FAREWELL);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
