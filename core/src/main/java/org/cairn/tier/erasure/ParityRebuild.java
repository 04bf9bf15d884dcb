// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.cairn.comm.Communicator;
import org.cairn.container.Incoming;
import org.cairn.container.VersionView;
import org.cairn.tier.erasure.Exchange.Receiver;
import org.cairn.tier.erasure.Exchange.Sender;
import org.cairn.tier.erasure.Situation.Making;
import org.cairn.version.VersionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings back the states of members that lost theirs. Whoever reads a unit that is needed sends it
 * to those who rebuild data of its stripe; these add up multiples of what they get, and verify each
 * block against the map that a member after the lost one kept. {@link Seats} say who stands for
 * whom.
 *
 * <p>One attempt goes so, each step taking what the one before gave: {@link Holdings} are opened,
 * {@link Remains} gathered, a {@link Making} chosen, {@link Lessons} exchanged, units passed,
 * versions published. An attempt that finds something damaged is followed by one without it.
 */
final class ParityRebuild {
  private static final Logger LOG = LoggerFactory.getLogger(ParityRebuild.class);

  private final Communicator comm;
  private final int me;
  private final Seats seats;
  private final VersionId version;
  private final ErasureTier.Fragments fragments;
  private final Council council;
  private final Holdings.Damaged damaged = new Holdings.Damaged();
  private final Map<Integer, Incoming.Target> targets = new HashMap<>();

  private ParityRebuild(
      Communicator comm, Seats seats, VersionId version, ErasureTier.Fragments fragments) {
    this.comm = comm;
    this.me = comm.rank();
    this.seats = seats;
    this.version = version;
    this.fragments = fragments;
    this.council = new Council(comm, seats.processes(), _ -> {});
  }

  /**
   * Rebuilds; see {@link ErasureTier#rebuild}.
   *
   * @return the members whose states this process has now
   */
  static BitSet run(
      Communicator comm, Seats seats, VersionId version, ErasureTier.Fragments fragments)
      throws IOException {
    return new ParityRebuild(comm, seats, version, fragments).run();
  }

  private BitSet run() throws IOException {
    // Each attempt but the last finds a source of some member damaged, and there are two of each.
    for (int attempt = 0; attempt <= 2 * seats.size(); attempt++) {
      try (Holdings mine = Holdings.open(seats, me, version, fragments, damaged)) {
        return attempt(mine);
      } catch (Council.BeginAgainException e) {
        LOG.warn("version {} is rebuilt from something else: {}", version, e.getMessage());
      }
    }
    throw new IOException("version " + version + " cannot be rebuilt: all sources are damaged");
  }

  private BitSet attempt(Holdings mine) throws IOException {
    Remains remains = Remains.gather(council, version, seats, mine);
    Optional<Making> chosen = remains.choose();
    if (chosen.isEmpty()) {
      return new BitSet();
    }
    Making making = chosen.get();
    BitSet lost = remains.lost(making);
    Lessons lessons = Lessons.exchange(council, seats, me, mine, damaged, making, lost);
    try (Decode decode = new Decode(making, remains.there(making), lost, mine, lessons)) {
      return decode.run();
    }
  }

  /** A container is made once, however many attempts it takes. */
  private Incoming.Target target(int member) throws IOException {
    Incoming.Target target = targets.get(member);
    if (target == null) {
      target = fragments.target(member);
      targets.put(member, target);
    }
    return target;
  }

  /** The bytes of one attempt. */
  private final class Decode implements AutoCloseable {
    private final Making making;
    private final BitSet there;
    private final Holdings mine;
    private final Lessons lessons;
    private final Decoding decoding;
    private final Exchange exchange = new Exchange(comm, seats.size());
    private final List<UnitSource> sources = new ArrayList<>();
    private final Map<Integer, UnitSum> sums = new HashMap<>();

    /** Lost members whose states somebody wants. */
    private final BitSet wanted;

    Decode(Making making, BitSet there, BitSet lost, Holdings mine, Lessons lessons) {
      this.making = making;
      this.there = there;
      this.mine = mine;
      this.lessons = lessons;
      this.decoding = new Decoding(making.layout().stripes(), there, making.holders());
      this.wanted = (BitSet) lost.clone();
      lost.stream()
          .filter(member -> seats.wanting().get(member) == Seats.NOBODY)
          .forEach(wanted::clear);
    }

    BitSet run() throws IOException {
      exchange.pass(senders(), receivers());
      sums.values().forEach(sum -> exchange.attempt(sum::finish));
      council.together(
          () -> {
            exchange.throwFailure();
            return new byte[0];
          });
      council.together(this::publish);
      BitSet rebuilt = new BitSet();
      sums.keySet().forEach(rebuilt::set);
      return rebuilt;
    }

    private byte[] publish() throws IOException {
      for (UnitSum sum : sums.values()) {
        sum.publish();
      }
      return new byte[0];
    }

    private List<Sender> senders() {
      BitSet windows = new BitSet();
      windows.set(0, making.layout().stripes().windows(making.layout().rows()));
      List<Sender> senders = new ArrayList<>();
      for (int member = 0; member < seats.size(); member++) {
        for (int process : processes(member)) {
          Exchange.Source source = process == me ? openSource(member) : Exchange.NOTHING;
          senders.add(new Sender(process, member, windows, source));
        }
      }
      return senders;
    }

    /** Who has something of a member to send: its state, its parity, or both. */
    private TreeSet<Integer> processes(int member) {
      TreeSet<Integer> processes = new TreeSet<>();
      if (there.get(member)) {
        processes.add(seats.states().get(member));
      }
      if (making.holders().get(member)) {
        processes.add(seats.parities().get(member));
      }
      return processes;
    }

    private Exchange.Source openSource(int member) {
      return exchange.attempt(
          () -> {
            UnitSource source = damaged.noting(member, () -> unitSource(member));
            sources.add(source);
            return (window, out) ->
                damaged.noting(
                    member,
                    () -> {
                      source.fill(window, out);
                      return source;
                    });
          },
          Exchange.NOTHING);
    }

    private UnitSource unitSource(int member) throws IOException {
      Layer data = null;
      if (there.get(member) && seats.readsState(me, member)) {
        VersionView own = mine.state(member);
        data = new Layer(own, Runs.ofAll(own.datasets(), lessons.map(member).space()));
      }
      boolean holder = making.holders().get(member) && seats.readsParity(me, member);
      VersionView parity = holder ? mine.parity(member) : null;
      return new UnitSource(making.layout(), member, decoding, wanted, data, parity);
    }

    private List<Receiver> receivers() {
      List<Receiver> receivers = new ArrayList<>();
      for (int i = wanted.nextSetBit(0); i >= 0; i = wanted.nextSetBit(i + 1)) {
        int member = i;
        int process = seats.wanting().get(member);
        Exchange.Sink sink = Exchange.NOWHERE;
        if (process == me) {
          sink = exchange.<Exchange.Sink>attempt(() -> openSum(member), Exchange.NOWHERE);
        }
        receivers.add(new Receiver(process, member, sink));
      }
      return receivers;
    }

    private UnitSum openSum(int member) throws IOException {
      BlockAssembler assembler = BlockAssembler.begin(lessons.map(member), target(member));
      UnitSum sum = new UnitSum(making.layout(), member, decoding, assembler);
      sums.put(member, sum);
      return sum;
    }

    @Override
    public void close() {
      sums.values().forEach(UnitSum::close);
      sources.forEach(UnitSource::close);
      exchange.close();
    }
  }
}
