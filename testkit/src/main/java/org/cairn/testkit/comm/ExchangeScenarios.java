// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.cairn.comm.Communicator.ANY_SOURCE;
import static org.cairn.comm.Communicator.ANY_TAG;
import static org.cairn.comm.Communicator.NOBODY;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.cairn.comm.ArrayPart;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.comm.Reduction;
import org.cairn.comm.Request;

/** Scenarios of several messages at once, of parts of arrays, and of threads. */
final class ExchangeScenarios {
  private static final int LARGE = 300_000; // more than any transport sends without a receiver
  private static final int TAG = 4;

  private ExchangeScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("send and receive at once", 1, ExchangeScenarios::sendReceive),
        new Scenario("send and receive, arrays", 1, ExchangeScenarios::sendReceiveArrays),
        new Scenario("send and receive at a boundary", 1, ExchangeScenarios::boundary),
        new Scenario("send and receive, misuse", 1, ExchangeScenarios::misuse),
        new Scenario("await all", 1, ExchangeScenarios::awaitAll),
        new Scenario("await all, some fail", 1, ExchangeScenarios::awaitAllFailing),
        new Scenario("await any", 1, ExchangeScenarios::awaitAny),
        new Scenario("await any, interrupted", 1, ExchangeScenarios::awaitAnyInterrupted),
        new Scenario("parts of arrays", 1, ExchangeScenarios::partsOfArrays),
        new Scenario("threads with their own", 1, ExchangeScenarios::threadsWithTheirOwn));
  }

  // Send and receive.

  /** What a rank sends, which every rank can work out. */
  private static byte[] content(long seed, int rank, int length) {
    byte[] content = new byte[length];
    new Random(seed + 31L * rank).nextBytes(content);
    return content;
  }

  /** Along a random permutation, in which ranks may be their own partner, all at the same time. */
  private static void sendReceive(Communicator ranks, long seed) {
    Random random = new Random(seed);
    int me = ranks.rank();
    for (int round = 0; round < 8; round++) {
      List<Integer> to = new ArrayList<>(IntStream.range(0, ranks.size()).boxed().toList());
      Collections.shuffle(to, random);
      int[] lengths = new int[ranks.size()];
      Arrays.setAll(lengths, i -> random.nextBoolean() ? LARGE : random.nextInt(100));
      long words = random.nextLong();
      int from = to.indexOf(me);
      byte[] target = new byte[LARGE];
      Message message =
          ranks.sendReceive(
              MemorySegment.ofArray(content(words, me, lengths[me])).asReadOnly(),
              to.get(me),
              MemorySegment.ofArray(target),
              round % 2 == 0 ? from : ANY_SOURCE,
              TAG);
      assertThat(message).isEqualTo(new Message(from, TAG, lengths[from]));
      assertThat(Arrays.copyOf(target, lengths[from]))
          .isEqualTo(content(words, from, lengths[from]));
      ranks.barrier(); // a wildcard must not take a message of the next round
    }
  }

  private static void sendReceiveArrays(Communicator ranks, long seed) {
    int me = ranks.rank();
    byte[] bytes = new byte[1];
    ranks.sendReceive(new byte[] {7}, me, bytes, me, TAG);
    short[] shorts = new short[1];
    ranks.sendReceive(new short[] {-7}, me, shorts, me, TAG);
    char[] chars = new char[1];
    ranks.sendReceive(new char[] {'x'}, me, chars, me, TAG);
    int[] ints = new int[1];
    ranks.sendReceive(new int[] {-8}, me, ints, me, TAG);
    long[] longs = new long[1];
    ranks.sendReceive(new long[] {1L << 40}, me, longs, me, TAG);
    float[] floats = new float[1];
    ranks.sendReceive(new float[] {.5f}, me, floats, me, TAG);
    double[] doubles = new double[2];
    assertThat(ranks.sendReceive(new double[] {Math.PI}, me, doubles, me, TAG))
        .isEqualTo(new Message(me, TAG, Double.BYTES));
    assertThat(bytes).containsExactly(7);
    assertThat(shorts).containsExactly(-7);
    assertThat(chars).containsExactly('x');
    assertThat(ints).containsExactly(-8);
    assertThat(longs).containsExactly(1L << 40);
    assertThat(floats).containsExactly(.5f);
    assertThat(doubles).containsExactly(Math.PI, 0);
  }

  /** An open chain: its ends have one neighbour each, or none if there is one rank. */
  private static void boundary(Communicator ranks, long seed) {
    int me = ranks.rank();
    int last = ranks.size() - 1;
    long[] target = {-1};
    Message message =
        ranks.sendReceive(
            new long[] {me}, me == last ? NOBODY : me + 1, target, me == 0 ? NOBODY : me - 1, TAG);
    assertThat(message)
        .isEqualTo(new Message(me == 0 ? NOBODY : me - 1, TAG, me == 0 ? 0 : Long.BYTES));
    assertThat(target).containsExactly(me == 0 ? -1 : me - 1);
    assertThat(ranks.poll(ANY_SOURCE, ANY_TAG)).isEmpty();
    assertThatThrownBy(() -> ranks.send(target, NOBODY, TAG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("NOBODY")
        .hasMessageContaining("open boundary")
        .hasMessageContaining("sendReceive");
    assertThatThrownBy(() -> ranks.receive(target, NOBODY, TAG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("open boundary");
    assertThatThrownBy(() -> ranks.broadcast(target, NOBODY))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** What is refused has sent nothing. */
  private static void misuse(Communicator ranks, long seed) {
    int me = ranks.rank();
    int beyond = ranks.size();
    long[] data = {1, 2, 3};
    assertThatThrownBy(() -> ranks.sendReceive(data, me, new long[1], beyond, TAG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no rank " + beyond);
    assertThatThrownBy(() -> ranks.sendReceive(data, beyond, new long[3], me, TAG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no rank " + beyond);
    assertThatThrownBy(() -> ranks.sendReceive(data, ANY_SOURCE, new long[3], me, TAG))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ranks.sendReceive(data, me, new long[3], me, ANY_TAG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ANY_TAG");
    MemorySegment constant = MemorySegment.ofArray(new long[3]).asReadOnly();
    assertThatThrownBy(() -> ranks.sendReceive(MemorySegment.ofArray(data), me, constant, me, TAG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("read-only");
    assertThatThrownBy(
            () ->
                ranks.sendReceive(ArrayPart.of(data, 0, 2), me, ArrayPart.of(data, 1, 2), me, TAG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("share memory");
    assertThat(ranks.poll(ANY_SOURCE, ANY_TAG)).isEmpty();

    ranks.sendReceive(ArrayPart.of(data, 0, 1), me, ArrayPart.of(data, 1, 1), me, TAG);
    assertThat(data).containsExactly(1, 1, 3);
    assertThatThrownBy(() -> ranks.sendReceive(new long[3], me, new long[2], me, TAG))
        .isInstanceOf(CommunicationException.class)
        .hasMessageContaining("16 bytes");
    assertThat(ranks.poll(ANY_SOURCE, ANY_TAG)).isEmpty();
  }

  // Waiting for many.

  /** Everybody sends to everybody; the answer is in the order of the requests. */
  private static void awaitAll(Communicator ranks, long seed) {
    Random random = new Random(seed + ranks.rank());
    List<Integer> order = new ArrayList<>(IntStream.range(0, ranks.size()).boxed().toList());
    Collections.shuffle(order, random);
    List<Request> requests = new ArrayList<>();
    List<Message> expected = new ArrayList<>();
    List<byte[]> targets = new ArrayList<>();
    for (int other : order) {
      int length = other % 2 == 0 ? LARGE : 10 + other;
      byte[] target = new byte[length];
      targets.add(target);
      requests.add(ranks.startReceive(target, other, TAG));
      expected.add(new Message(other, TAG, length));
    }
    byte[] mine = content(seed, ranks.rank(), ranks.rank() % 2 == 0 ? LARGE : 10 + ranks.rank());
    for (int other = 0; other < ranks.size(); other++) {
      requests.add(ranks.startSend(mine, other, TAG));
      expected.add(new Message(ranks.rank(), TAG, mine.length));
    }
    assertThat(Request.awaitAll(requests)).isEqualTo(expected);
    for (int i = 0; i < order.size(); i++) {
      assertThat(targets.get(i)).isEqualTo(content(seed, order.get(i), targets.get(i).length));
    }
    assertThat(Request.awaitAll()).isEmpty();
  }

  private static void awaitAllFailing(Communicator ranks, long seed) {
    int me = ranks.rank();
    Request first = ranks.startReceive(new byte[1], me, 1);
    Request tooSmall = ranks.startReceive(new byte[2], me, 2);
    byte[] target = new byte[LARGE];
    Request last = ranks.startReceive(target, me, 3);
    Request alsoTooSmall = ranks.startReceive(new byte[3], me, 4);
    for (int tag = 1; tag <= 4; tag++) {
      ranks.startSend(content(seed, me, tag == 1 ? 1 : LARGE), me, tag);
    }
    assertThatThrownBy(() -> Request.awaitAll(first, tooSmall, last, alsoTooSmall))
        .isInstanceOf(CommunicationException.class)
        .hasMessageContaining("2 bytes")
        .satisfies(
            failure ->
                assertThat(failure.getSuppressed())
                    .singleElement()
                    .satisfies(other -> assertThat(other).hasMessageContaining("3 bytes")));
    assertThat(last.test()).as("what did not fail was waited for").isTrue();
    assertThat(target).isEqualTo(content(seed, me, LARGE));
  }

  /** Rank 0 lets one after the other send, and hears of it, whichever it is. */
  private static void awaitAny(Communicator ranks, long seed) {
    if (ranks.rank() > 0) {
      ranks.receive(new byte[0], 0, 1);
      ranks.send(content(seed, ranks.rank(), 100), 0, 2);
      return;
    }
    assertThatThrownBy(() -> Request.awaitAny(List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no request");
    List<Integer> order = new ArrayList<>(IntStream.range(0, ranks.size()).boxed().toList());
    Collections.shuffle(order, new Random(seed));
    byte[][] targets = new byte[ranks.size()][100];
    List<Request> requests = new ArrayList<>();
    List<Integer> open = new ArrayList<>();
    for (int other = 0; other < ranks.size(); other++) {
      requests.add(ranks.startReceive(targets[other], other, 2));
      open.add(other);
    }
    for (int other : order) {
      if (other == 0) {
        ranks.startSend(content(seed, 0, 100), 0, 2);
      } else {
        ranks.send(new byte[0], other, 1);
      }
      int index = Request.awaitAny(requests);
      assertThat(open.get(index)).isEqualTo(other);
      assertThat(Request.awaitAny(requests)).as("it stays complete").isEqualTo(index);
      assertThat(targets[other]).isEqualTo(content(seed, other, 100));
      requests.remove(index);
      open.subList(index, index + 1).clear();
    }
  }

  private static void awaitAnyInterrupted(Communicator ranks, long seed) {
    int me = ranks.rank();
    Request received = ranks.startReceive(new byte[1], me, 1);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> Request.awaitAny(List.of(received)))
        .isInstanceOf(CommunicationException.class)
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
    ranks.send(new byte[1], me, 1);
    assertThat(Request.awaitAny(List.of(received))).isZero();
  }

  // Parts of arrays.

  private static void partsOfArrays(Communicator ranks, long seed) {
    int me = ranks.rank();
    Request sent = ranks.startSend(new byte[] {1, 2, 3, 4}, 1, 2, me, TAG);
    byte[] bytes = new byte[4];
    ranks.startReceive(bytes, 2, 2, me, TAG).await();
    sent.await();
    assertThat(bytes).containsExactly(0, 0, 2, 3);
    ranks.send(new short[] {1, 2, 3, 4}, 3, 1, me, TAG);
    short[] shorts = new short[3];
    ranks.receive(shorts, 1, 1, me, TAG);
    assertThat(shorts).containsExactly(0, 4, 0);
    ranks.send(new char[] {'a', 'b', 'c'}, 0, 2, me, TAG);
    char[] chars = {'x', 'x', 'x'};
    ranks.receive(chars, 1, 2, me, TAG);
    assertThat(chars).containsExactly('x', 'a', 'b');
    ranks.send(new int[] {1, 2, 3}, 1, 2, me, TAG);
    int[] ints = new int[3];
    ranks.receive(ints, 0, 3, me, TAG);
    assertThat(ints).containsExactly(2, 3, 0);
    ranks.send(new long[] {1, 2, 3}, 2, 1, me, TAG);
    long[] longs = new long[2];
    ranks.receive(longs, 1, 1, me, TAG);
    assertThat(longs).containsExactly(0, 3);
    ranks.send(new float[] {1, 2, 3}, 1, 1, me, TAG);
    float[] floats = new float[2];
    ranks.receive(floats, 1, 1, me, TAG);
    assertThat(floats).containsExactly(0, 2);
    ranks.send(new double[] {1, 2, 3}, 3, 0, me, TAG);
    double[] doubles = new double[2];
    assertThat(ranks.receive(doubles, 2, 0, me, TAG).bytes()).isZero();
    partsInCollectives(ranks);
    partsThatAreNone(ranks);
  }

  private static void partsInCollectives(Communicator ranks) {
    double[] u = {1, ranks.rank(), ranks.rank() == 0 ? 5 : 0, 1};
    ranks.broadcast(ArrayPart.of(u, 2, 1), 0);
    ranks.allReduce(ArrayPart.of(u, 1, 1), ValueLayout.JAVA_DOUBLE, Reduction.MAX);
    assertThat(u).containsExactly(1, ranks.size() - 1, 5, 1);
  }

  private static void partsThatAreNone(Communicator ranks) {
    double[] data = new double[10];
    int[][] wrong = {{-1, 2}, {0, 11}, {5, -1}, {11, 0}, {Integer.MAX_VALUE, 2}};
    for (int[] part : wrong) {
      assertThatThrownBy(() -> ranks.send(data, part[0], part[1], ranks.rank(), TAG))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("%d elements from index %d on are not in an array of 10", part[1], part[0]);
    }
    assertThat(ranks.poll(ANY_SOURCE, ANY_TAG)).isEmpty();
  }

  // Threads.

  /** Messages with the same tag and collectives, in threads that have a communicator each. */
  private static void threadsWithTheirOwn(Communicator ranks, long seed) throws Exception {
    assertThat(ranks.isIndependent() || !ranks.isConcurrent())
        .as("what serves many threads serves each with its own")
        .isTrue();
    if (!ranks.isIndependent()) {
      return;
    }
    List<Communicator> own = List.of(ranks.duplicate(), ranks.duplicate(), ranks.duplicate());
    List<Callable<Boolean>> work = new ArrayList<>();
    for (Communicator mine : own) {
      int number = work.size();
      work.add(() -> workAlone(mine, number));
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(work.size())) {
      for (Future<Boolean> done : threads.invokeAll(work)) {
        assertThat(done.get()).isTrue();
      }
    }
    own.forEach(Communicator::close);
  }

  private static boolean workAlone(Communicator ranks, int number) {
    int n = ranks.size();
    int me = ranks.rank();
    for (int i = 0; i < 12; i++) {
      long[] data = new long[i % 5 == 0 ? LARGE / Long.BYTES : 3];
      Arrays.fill(data, 1000L * number + me);
      long[] target = new long[data.length];
      ranks.sendReceive(data, (me + 1) % n, target, (me + n - 1) % n, TAG);
      Arrays.fill(data, 1000L * number + (me + n - 1) % n);
      assertThat(target).isEqualTo(data);
      assertThat(ranks.allReduce(number, Reduction.SUM)).isEqualTo((long) n * number);
    }
    return true;
  }
}
