// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.ForwardingCommunicator;
import org.cairn.comm.Message;
import org.cairn.comm.Ranks;
import org.cairn.comm.Request;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.comm.CutCommunicator;
import org.cairn.testkit.comm.CutCommunicator.Cut;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.ForwardingStore;
import org.cairn.tier.Deltas;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Reading, talking, decoding and writing go on beside each other: what waits here for another of
 * them waits in vain where one thread does all of it. States have several windows.
 */
@Timeout(180)
class PipelineTest {
  private static final int RANKS = 3;
  private static final int WINDOW = 1 << 20;
  private static final int BYTES = 8 * WINDOW + (64 << 10);

  /** What is written or read by the megabyte are blocks. */
  private static final int MUCH = 512 << 10;

  /** Only for a failure: whoever is on time does not wait. */
  private static final long PATIENCE_SECONDS = 20;

  private interface Event {
    void happens(long bytes) throws IOException;
  }

  /** Tells of every read and write before it happens. */
  private static final class Watched extends ForwardingStore {
    private final Event read;
    private final Event write;

    Watched(Store store, Event read, Event write) {
      super(store);
      this.read = read;
      this.write = write;
    }

    @Override
    public StoreFile open(String name, Access access) throws IOException {
      return new ForwardingFile(super.open(name, access)) {
        @Override
        public long read(long position, MemorySegment target) throws IOException {
          read.happens(target.byteSize());
          return super.read(position, target);
        }

        @Override
        public void write(long position, MemorySegment source) throws IOException {
          write.happens(source.byteSize());
          super.write(position, source);
        }
      };
    }
  }

  private static final Event NOTHING = _ -> {};

  private static void await(CountDownLatch latch, String what) throws IOException {
    try {
      if (!latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException(what);
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static Team team() throws IOException {
    Team team = new Team(RANKS, 1);
    for (Member member : team.members) {
      byte[] bytes = new byte[BYTES];
      new Random(member.rank).nextBytes(bytes);
      member.put("d", bytes, 64 << 10);
    }
    return team;
  }

  /** Lets the ranks do something through communicators and stores that are watched. */
  private static void run(Team team, UnaryOperator<Communicator> watching, Team.Deed deed) {
    Ranks.run(RANKS, ranks -> team.with(watching.apply(ranks), deed));
  }

  // ---------------------------------------------------------------- who waits for whom

  /** A communicator in which messages of pieces come only when something has happened. */
  private static final class Late extends ForwardingCommunicator {
    private final CountDownLatch happened;

    Late(Communicator inner, CountDownLatch happened) {
      super(inner);
      this.happened = happened;
    }

    @Override
    public Optional<Message> poll(int from, int tag) {
      return tag == Exchange.PIECES && happened.getCount() > 0
          ? Optional.empty()
          : inner().poll(from, tag);
    }

    @Override
    public Message probe(int from, int tag) {
      if (tag == Exchange.PIECES) {
        try {
          PipelineTest.await(happened, "nothing was read ahead");
        } catch (IOException e) {
          throw new CommunicationException(e.getMessage(), e);
        }
      }
      return inner().probe(from, tag);
    }

    @Override
    public Communicator duplicate() {
      return new Late(inner().duplicate(), happened);
    }

    @Override
    public Communicator split(int color, int key) {
      return new Late(inner().split(color, key), happened);
    }
  }

  /** Nothing arrives before the second window is read. */
  @Test
  void windowsAreReadAheadOfWhatComes() throws IOException {
    Team team = team();
    VersionId id = team.checkpoint();
    CountDownLatch[] readAhead = new CountDownLatch[RANKS];
    for (Member member : team.members) {
      CountDownLatch ahead = new CountDownLatch(WINDOW / MUCH + 1);
      readAhead[member.rank] = ahead;
      member.store =
          new Watched(
              member.store,
              bytes -> {
                if (bytes >= MUCH) {
                  ahead.countDown();
                }
              },
              NOTHING);
    }
    run(
        team,
        ranks -> new Late(ranks, readAhead[ranks.rank()]),
        (tier, member, ranks) -> tier.protect(id, Deltas.UNKNOWN));
    assertThat(readAhead).allMatch(latch -> latch.getCount() == 0);
  }

  /** Counts messages of pieces that are received. */
  private static final class Counting extends ForwardingCommunicator {
    private final AtomicInteger received;

    Counting(Communicator inner, AtomicInteger received) {
      super(inner);
      this.received = received;
    }

    @Override
    public Request startReceive(MemorySegment target, int from, int tag) {
      if (tag == Exchange.PIECES) {
        synchronized (received) {
          received.incrementAndGet();
          received.notifyAll();
        }
      }
      return inner().startReceive(target, from, tag);
    }

    @Override
    public Communicator duplicate() {
      return new Counting(inner().duplicate(), received);
    }

    @Override
    public Communicator split(int color, int key) {
      return new Counting(inner().split(color, key), received);
    }
  }

  /** The first large write ends when messages of so many windows, and one more, came: or never. */
  private static final class OneMore implements Event {
    private final int before;
    private final AtomicInteger received = new AtomicInteger();
    private final AtomicInteger writes = new AtomicInteger();

    OneMore(int windows) {
      this.before = windows * (RANKS - 1); // each of the others sends one
    }

    @Override
    public void happens(long bytes) throws IOException {
      if (bytes < MUCH || writes.getAndIncrement() > 0) {
        return;
      }
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      synchronized (received) {
        while (received.get() <= before) {
          long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
          if (left <= 0) {
            throw new IOException("nothing was received while something was written");
          }
          try {
            received.wait(left);
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
        }
      }
    }
  }

  private static OneMore[] watchWrites(Team team, int windows) {
    OneMore[] watching = new OneMore[RANKS];
    for (Member member : team.members) {
      OneMore one = new OneMore(windows);
      watching[member.rank] = one;
      member.store = new Watched(member.store, NOTHING, one);
    }
    return watching;
  }

  @Test
  void parityIsWrittenWhileMoreComes() throws IOException {
    Team team = team();
    VersionId id = team.checkpoint();
    OneMore[] watching = watchWrites(team, 4);
    run(
        team,
        ranks -> new Counting(ranks, watching[ranks.rank()].received),
        (tier, member, ranks) -> tier.protect(id, Deltas.UNKNOWN));
    assertThat(watching).allMatch(one -> one.writes.get() > 1);
  }

  @Test
  void aStateIsWrittenWhileMoreOfItComes() throws IOException {
    Team team = team();
    VersionId id = team.checkpoint();
    team.protect(id);
    BitSet lost = BitSet.valueOf(new long[] {0b010});
    Team rest = team.without(lost);
    OneMore[] watching = watchWrites(rest, 4);
    rest.rebuild(id, lost, ranks -> new Counting(ranks, watching[ranks.rank()].received));
    assertThat(watching[1].writes.get()).isGreaterThan(1);
  }

  // ---------------------------------------------------------------- when something goes wrong

  /** Whatever stage fails, all stages end, and all ranks are told alike. */
  @SeededTest(seeds = 3)
  void aFailureOfAnyStageEndsAllOfThem(Random random) throws IOException {
    Team team = team();
    VersionId id = team.checkpoint();
    Member bad = team.members.get(random.nextInt(RANKS));
    boolean reading = random.nextBoolean();
    AtomicInteger left = new AtomicInteger(1 + random.nextInt(3));
    Event breaks =
        bytes -> {
          if (bytes >= MUCH && left.decrementAndGet() == 0) {
            throw new IOException("planted");
          }
        };
    Store whole = bad.store;
    bad.store = new Watched(whole, reading ? breaks : NOTHING, reading ? NOTHING : breaks);
    run(
        team,
        ranks -> ranks,
        (tier, member, ranks) ->
            assertThatThrownBy(() -> tier.protect(id, Deltas.UNKNOWN))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("rank " + bad.rank)
                .hasMessageContaining("planted"));
    assertThat(left.get()).isLessThanOrEqualTo(0);
    bad.store = whole;
    protectAndLose(team, id);
  }

  /** Given up at a message while all stages are at work, and begun anew. */
  @SeededTest(seeds = 4)
  void givenUpAtAnyMessage(Random random) throws IOException {
    Team team = team();
    VersionId id = team.checkpoint();
    Cut cut = Cut.at(30 + random.nextInt(40));
    AtomicInteger done = new AtomicInteger();
    CountDownLatch end = new CountDownLatch(RANKS);
    Ranks.run(
        RANKS,
        plain -> {
          try {
            team.with(
                new CutCommunicator(plain, cut),
                (tier, member, ranks) -> tier.protect(id, Deltas.UNKNOWN));
            done.incrementAndGet();
          } catch (CommunicationException e) {
            assertThat(cut.hasHappened()).isTrue();
          } finally {
            end.countDown();
          }
          // Whoever still waits for a message of somebody who gave up learns of it by his end.
          if (!cut.hasHappened()) {
            await(end, "somebody does not end");
          }
        });
    assertThat(done.get() < RANKS || !cut.hasHappened()).isTrue();
    assertThat(stages()).isEmpty();
    protectAndLose(team, id);
  }

  private static List<String> stages() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.matches("cairn-(reading|decoding|storing)"))
        .toList();
  }

  private static void protectAndLose(Team team, VersionId id) {
    team.protect(id);
    BitSet lost = BitSet.valueOf(new long[] {0b100});
    team.without(lost).rebuild(id, lost);
  }
}
