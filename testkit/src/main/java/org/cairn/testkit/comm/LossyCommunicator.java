// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.ForwardingCommunicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Loses its rank when it is told to, delays or loses messages, and counts what is sent:
 *
 * <pre>{@code
 * Ranks.run(4, ranks -> {
 *   LossyCommunicator lossy = new LossyCommunicator(ranks, seed);
 *   if (lossy.rank() == 2) {
 *     lossy.killAt(17);
 *   }
 *   workload(lossy);
 * });
 * }</pre>
 *
 * <p><b>Operations</b> are the starts of sends and receives, and splits; collectives consist of
 * them. They are counted from the moment of arming; 1 is the next. A sweep over all points runs the
 * workload once without faults, asks {@link #operations}, and then kills at each. Looking for
 * messages and waiting are not counted: how often they happen depends on timing.
 *
 * <p><b>A killed rank</b> gets {@link Killed} from the operation, which does not happen, and from
 * every call afterwards, on any thread and through any request; only closing is possible. Other
 * ranks get {@link org.cairn.comm.RankLostException} once the program of the rank has ended with
 * that error, as they would from any other end.
 *
 * <p>Communicators that are split from a lossy one are lossy too: they share its count, its end and
 * its meter.
 */
public final class LossyCommunicator extends ForwardingCommunicator {
  private final Doom doom;

  /** The ranks of this communicator in the one that was decorated first, by which is metered. */
  private final int[] origins;

  /** Sends that have not left yet, in their order. */
  private final List<HeldBack> heldBack = new ArrayList<>();

  /** Harmless until armed; the seed and the rank decide on random kills and delays. */
  public LossyCommunicator(Communicator ranks, long seed) {
    this(ranks, new Doom(ranks.rank(), ranks.size(), seed), consecutive(ranks.size()));
  }

  private LossyCommunicator(Communicator ranks, Doom doom, int[] origins) {
    super(ranks);
    this.doom = doom;
    this.origins = origins;
  }

  private static int[] consecutive(int count) {
    int[] numbers = new int[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = i;
    }
    return numbers;
  }

  // Arming.

  /** Kills this rank at the n-th operation from now. */
  public void killAt(long n) {
    doom.killAt(n);
  }

  /** Kills this rank at each operation with this probability. */
  public void killAtRandom(double probability) {
    doom.killAtRandom(probability);
  }

  /** Delays each message by a random time up to this, before it is sent. */
  public void delayMessages(Duration longest) {
    doom.delay(longest);
  }

  /**
   * What is sent to a rank while its link is cut leaves when that is over, in its order; whoever
   * waits for the send waits until then. Ask it of the communicator that was decorated first.
   */
  public void cut(int to, BooleanSupplier isCut) {
    doom.cut(to, isCut);
  }

  /**
   * What is sent to a rank while this holds never arrives, and the sender is not told. Ask it of
   * the communicator that was decorated first.
   */
  public void lose(int to, BooleanSupplier isLost) {
    doom.lose(to, isLost);
  }

  /** Throws if this rank was killed: then nothing else may happen in its name either. */
  public void checkAlive() {
    doom.checkAlive();
  }

  /** Operations so far, those of splits included. */
  public long operations() {
    return doom.operations();
  }

  /** What was sent so far, through splits as well. */
  public TrafficMeter meter() {
    return doom.meter();
  }

  // Communicating.

  @Override
  public Request startSend(MemorySegment data, int to, int tag) {
    Supply.step("send");
    doom.operation("a send to rank " + to);
    doom.pause();
    Request request = started(data, to, tag);
    doom.meter().sent(origins[to], data.byteSize());
    return new LossyRequest(request);
  }

  /** Behind what waits for the same link, if anything does. */
  private Request started(MemorySegment data, int to, int tag) {
    if (isLink(to) && doom.isLost(origins[to])) {
      return new Lost(new Message(to, tag, data.byteSize()));
    }
    release();
    synchronized (heldBack) {
      if (isCut(to) || heldBack.stream().anyMatch(one -> one.to == to)) {
        HeldBack send = new HeldBack(data, to, tag);
        heldBack.add(send);
        return send;
      }
    }
    return inner().startSend(data, to, tag);
  }

  private boolean isCut(int to) {
    return isLink(to) && doom.isCut(origins[to]);
  }

  /** There are no links to ranks that there are not. */
  private boolean isLink(int to) {
    return to >= 0 && to < size();
  }

  private void release() {
    synchronized (heldBack) {
      heldBack.removeIf(HeldBack::leaves);
    }
  }

  @Override
  public Request startReceive(MemorySegment target, int from, int tag) {
    Supply.step("receive");
    doom.operation("a receive");
    return new LossyRequest(inner().startReceive(target, from, tag));
  }

  @Override
  public Optional<Message> poll(int from, int tag) {
    Supply.step("poll");
    doom.checkAlive();
    return inner().poll(from, tag);
  }

  @Override
  public Message probe(int from, int tag) {
    doom.checkAlive();
    return inner().probe(from, tag);
  }

  @Override
  public Communicator split(int color, int key) {
    doom.operation("a split");
    Communicator part = inner().split(color, key);
    int[] members = new int[part.size()];
    part.allGather(new int[] {origins[rank()]}, members);
    return new LossyCommunicator(part, doom, members);
  }

  @Override
  public Communicator duplicate() {
    return split(0, rank());
  }

  @Override
  public void abort(int status) {
    doom.checkAlive();
    inner().abort(status);
  }

  @Override
  public String toString() {
    return "lossy " + inner();
  }

  /** A send that arrives nowhere. */
  private record Lost(Message message) implements Request {
    @Override
    public boolean test() {
      return true;
    }

    @Override
    public Message await() {
      return message;
    }
  }

  /** A send over a link that is cut. */
  private final class HeldBack implements Request {
    private static final long LOOK_AGAIN = 1_000_000;

    private final MemorySegment data;
    private final int to;
    private final int tag;
    private volatile @Nullable Request sent;

    HeldBack(MemorySegment data, int to, int tag) {
      this.data = MemorySegment.ofArray(data.toArray(ValueLayout.JAVA_BYTE)); // for any thread
      this.to = to;
      this.tag = tag;
    }

    boolean leaves() {
      if (isCut(to)) {
        return false;
      }
      sent = inner().startSend(data, to, tag);
      return true;
    }

    @Override
    public boolean test() {
      release();
      Request request = sent;
      if (request == null) {
        failIfAlone();
      }
      return request != null && request.test();
    }

    /** Whoever waits for a link that is cut hears of ranks that are gone, as who receives does. */
    private void failIfAlone() {
      inner().poll(ANY_SOURCE, ANY_TAG);
    }

    @Override
    public Message await() {
      while (true) {
        release();
        Request request = sent;
        if (request != null) {
          return request.await();
        }
        failIfAlone();
        if (Thread.currentThread().isInterrupted()) {
          throw new CommunicationException("interrupted while a link is cut");
        }
        Supply.nap(this, LOOK_AGAIN);
      }
    }
  }

  private final class LossyRequest implements Request {
    private final Request request;

    LossyRequest(Request request) {
      this.request = request;
    }

    @Override
    public boolean test() {
      doom.checkAlive();
      return request.test();
    }

    @Override
    public Message await() {
      doom.checkAlive();
      return request.await();
    }
  }
}
