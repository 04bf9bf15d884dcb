// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.cairn.comm.Communicator.ANY_SOURCE;
import static org.cairn.comm.Communicator.ANY_TAG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;

/** Scenarios of messages from rank to rank. */
final class MessageScenarios {
  private static final int LARGE = 300_000; // more than any transport sends without a receiver

  private MessageScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("messages have source, tag and length", 2, MessageScenarios::describe),
        new Scenario("order per source and tag", 1, MessageScenarios::order),
        new Scenario("order through wildcards", 1, MessageScenarios::wildcardOrder),
        new Scenario("wildcards starve nobody", 3, MessageScenarios::fairness),
        new Scenario("empty messages", 1, MessageScenarios::empty),
        new Scenario("messages to oneself", 1, MessageScenarios::self),
        new Scenario("messages that do not fit", 1, MessageScenarios::misfit),
        new Scenario("memory of every kind", 2, MessageScenarios::memoryKinds),
        new Scenario("arrays of every type", 1, MessageScenarios::arrays),
        new Scenario("exchange of large confined memory", 2, MessageScenarios::confinedExchange),
        new Scenario("test and await", 2, MessageScenarios::testAndAwait),
        new Scenario("poll and probe", 2, MessageScenarios::pollAndProbe),
        new Scenario("misuse is refused", 1, MessageScenarios::misuse),
        new Scenario("interrupted waits", 2, MessageScenarios::interrupt),
        new Scenario("many threads", 1, MessageScenarios::manyThreads),
        new Scenario("more than 2 GiB", 2, MessageScenarios::moreThan2GiB));
  }

  private static void describe(Communicator ranks, long seed) {
    if (ranks.rank() == 0) {
      ranks.send(new byte[] {1, 2, 3}, 1, 7);
    } else if (ranks.rank() == 1) {
      byte[] target = new byte[5];
      assertThat(ranks.receive(target, 0, 7)).isEqualTo(new Message(0, 7, 3));
      assertThat(target).containsExactly(1, 2, 3, 0, 0);
    }
  }

  /** Sends numbered messages of three tags around the ring; each tag is received by itself. */
  private static void order(Communicator ranks, long seed) {
    int count = 60;
    List<Request> sends = sendNumbered(ranks, new Random(seed), count);
    int from = Math.floorMod(ranks.rank() - 1, ranks.size());
    for (int tag = 2; tag >= 0; tag--) {
      long[] target = new long[LARGE / Long.BYTES];
      for (int number = 0; number < count; number++) {
        ranks.receive(target, from, tag);
        assertThat(target[0]).isEqualTo(number);
      }
    }
    sends.forEach(Request::await);
  }

  private static void wildcardOrder(Communicator ranks, long seed) {
    int count = 60;
    List<Request> sends = sendNumbered(ranks, new Random(seed), count);
    Map<Integer, Long> next = new HashMap<>();
    for (int i = 0; i < 3 * count; i++) {
      long[] target = new long[LARGE / Long.BYTES];
      Message message = ranks.receive(target, ANY_SOURCE, ANY_TAG);
      assertThat(target[0]).isEqualTo(next.merge(message.tag(), 1L, Long::sum) - 1);
    }
    sends.forEach(Request::await);
  }

  private static List<Request> sendNumbered(Communicator ranks, Random random, int count) {
    List<Request> sends = new ArrayList<>();
    long[] numbers = new long[3];
    int to = (ranks.rank() + 1) % ranks.size();
    while (sends.size() < 3 * count) {
      int tag = random.nextInt(3);
      if (numbers[tag] < count) {
        int length = random.nextInt(10) == 0 ? LARGE / Long.BYTES : 1 + random.nextInt(20);
        long[] data = new long[length];
        data[0] = numbers[tag]++;
        sends.add(ranks.startSend(data, to, tag));
      }
    }
    return sends;
  }

  /** All send as fast as rank 0 answers; it must hear from everybody before long. */
  private static void fairness(Communicator ranks, long seed) {
    long[] go = {1};
    if (ranks.rank() > 0) {
      while (go[0] == 1) {
        ranks.send(go, 0, 1);
        ranks.receive(go, 0, 2);
      }
      return;
    }
    int[] heard = new int[ranks.size()];
    int quiet = ranks.size() - 1;
    int stopped = 0;
    for (int i = 0; stopped < ranks.size() - 1; i++) {
      assertThat(i).as("messages until all were heard").isLessThan(100_000);
      Message message = ranks.receive(new long[1], ANY_SOURCE, 1);
      if (++heard[message.source()] == 20) {
        quiet--;
      }
      stopped += quiet == 0 ? 1 : 0;
      ranks.send(new long[] {quiet == 0 ? 0 : 1}, message.source(), 2);
    }
  }

  private static void empty(Communicator ranks, long seed) {
    int to = (ranks.rank() + 1) % ranks.size();
    int from = Math.floorMod(ranks.rank() - 1, ranks.size());
    for (byte[] target : new byte[][] {{}, {42}}) {
      Request sent = ranks.startSend(new byte[0], to, 3);
      assertThat(ranks.receive(target, from, 3)).isEqualTo(new Message(from, 3, 0));
      assertThat(target.length == 0 || target[0] == 42).as("memory is untouched").isTrue();
      sent.await();
    }
  }

  private static void self(Communicator ranks, long seed) {
    int me = ranks.rank();
    long[] target = new long[LARGE / Long.BYTES];
    ranks.send(new long[] {5}, me, 1);
    assertThat(ranks.receive(target, me, 1)).isEqualTo(new Message(me, 1, Long.BYTES));
    assertThat(target[0]).isEqualTo(5);

    for (boolean sendFirst : new boolean[] {true, false}) {
      long[] data = new Random(seed).longs(target.length).toArray();
      Request first = sendFirst ? ranks.startSend(data, me, 2) : ranks.startReceive(target, -1, 2);
      Request second = sendFirst ? ranks.startReceive(target, -1, 2) : ranks.startSend(data, me, 2);
      second.await();
      first.await();
      assertThat(target).isEqualTo(data);
    }
  }

  private static void misfit(Communicator ranks, long seed) {
    int me = ranks.rank();
    for (int length : new int[] {17, LARGE}) {
      Request sent = ranks.startSend(new byte[length], me, 1);
      Request received = ranks.startReceive(new byte[16], me, 1);
      assertThatThrownBy(received::await)
          .isInstanceOf(CommunicationException.class)
          .hasMessageContaining("16 bytes");
      assertThatThrownBy(received::test).isInstanceOf(CommunicationException.class);
      sent.await();
    }
    ranks.send(new byte[] {1}, me, 1);
    assertThat(ranks.receive(new byte[16], me, 1).bytes()).isEqualTo(1);
  }

  /** From and to memory of every kind; with the receiver first, and with the sender first. */
  private static void memoryKinds(Communicator ranks, long seed) {
    if (ranks.rank() > 1) {
      return;
    }
    Random random = new Random(seed);
    try (Arena confined = Arena.ofConfined();
        Arena shared = Arena.ofShared()) {
      for (int bytes : new int[] {1, 1000, LARGE}) {
        byte[] content = new byte[bytes];
        for (int from = 0; from < 5; from++) {
          for (int to = 0; to < 5; to++) {
            random.nextBytes(content);
            if (ranks.rank() == 0) {
              MemorySegment data = memory(from, bytes, confined, shared);
              data.copyFrom(MemorySegment.ofArray(content));
              sendBothWays(ranks, data.asReadOnly());
            } else {
              receiveBothWays(ranks, memory(to, bytes, confined, shared), content);
            }
          }
        }
      }
    }
  }

  private static MemorySegment memory(int kind, int bytes, Arena confined, Arena shared) {
    return switch (kind) {
      case 0 -> MemorySegment.ofArray(new byte[bytes + 3]).asSlice(3, bytes);
      case 1 -> MemorySegment.ofArray(new double[bytes / 8 + 2]).asSlice(5, bytes);
      case 2 -> confined.allocate(bytes + 1L).asSlice(1);
      case 3 -> shared.allocate(bytes);
      default -> Arena.ofAuto().allocate(bytes);
    };
  }

  private static void sendBothWays(Communicator ranks, MemorySegment data) {
    ranks.receive(new byte[0], 1, 9); // the receiver is there
    ranks.send(data, 1, 1);
    Request sent = ranks.startSend(data, 1, 1);
    ranks.send(new byte[0], 1, 9);
    sent.await();
  }

  private static void receiveBothWays(Communicator ranks, MemorySegment target, byte[] content) {
    Request received = ranks.startReceive(target, 0, 1);
    ranks.send(new byte[0], 0, 9);
    received.await();
    assertThat(target.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(content);
    target.fill((byte) 0);
    ranks.receive(new byte[0], 0, 9); // the sender is there
    ranks.receive(target, 0, 1);
    assertThat(target.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(content);
  }

  private static void arrays(Communicator ranks, long seed) {
    int me = ranks.rank();
    ranks.send(new short[] {-1, 2}, me, 0);
    short[] shorts = new short[2];
    ranks.receive(shorts, me, 0);
    assertThat(shorts).containsExactly(-1, 2);
    ranks.send(new char[] {'x', '\uffff'}, me, 0);
    char[] chars = new char[2];
    ranks.receive(chars, me, 0);
    assertThat(chars).containsExactly('x', '\uffff');
    ranks.startSend(new int[] {-1, 2}, me, 0).await();
    int[] ints = new int[2];
    ranks.startReceive(ints, me, 0).await();
    assertThat(ints).containsExactly(-1, 2);
    ranks.startSend(new float[] {-1.5f, 2}, me, 0).await();
    float[] floats = new float[2];
    ranks.startReceive(floats, me, 0).await();
    assertThat(floats).containsExactly(-1.5f, 2);
    ranks.startSend(new double[] {-1.5, Double.NaN}, me, 0).await();
    double[] doubles = new double[2];
    ranks.startReceive(doubles, me, 0).await();
    assertThat(doubles).containsExactly(-1.5, Double.NaN);
  }

  /** Memory that only its own thread can reach must not make two ranks wait for each other. */
  private static void confinedExchange(Communicator ranks, long seed) {
    int right = (ranks.rank() + 1) % ranks.size();
    int left = Math.floorMod(ranks.rank() - 1, ranks.size());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(LARGE).fill((byte) ranks.rank());
      MemorySegment target = arena.allocate(LARGE);
      Request received = ranks.startReceive(target, left, 1);
      ranks.send(data, right, 1);
      received.await();
      assertFilled(target, left);
      Request sent = ranks.startSend(data, left, 1);
      ranks.receive(target, right, 1);
      sent.await();
      assertFilled(target, right);
      received = ranks.startReceive(target, left, 1);
      ranks.send(new byte[LARGE], right, 1);
      received.await();
      assertFilled(target, 0);
    }
  }

  private static void assertFilled(MemorySegment memory, int value) {
    byte[] expected = new byte[LARGE];
    Arrays.fill(expected, (byte) value);
    assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
  }

  private static void testAndAwait(Communicator ranks, long seed) {
    if (ranks.rank() == 0) {
      int[] target = new int[1];
      Request received = ranks.startReceive(target, 1, 1);
      assertThat(received.test()).isFalse();
      ranks.send(new byte[0], 1, 2);
      while (!received.test()) {
        Thread.onSpinWait();
      }
      assertThat(target).containsExactly(7);
      assertThat(received.await()).isEqualTo(new Message(1, 1, 4));
      assertThat(received.test()).isTrue();
      assertThat(received.await()).isEqualTo(new Message(1, 1, 4));
    } else if (ranks.rank() == 1) {
      ranks.receive(new byte[0], 0, 2);
      assertThat(ranks.startSend(new int[] {7}, 0, 1).await()).isEqualTo(new Message(1, 1, 4));
    }
  }

  private static void pollAndProbe(Communicator ranks, long seed) {
    if (ranks.rank() == 0) {
      assertThat(ranks.poll(1, 1)).isEmpty();
      assertThat(ranks.poll(ANY_SOURCE, ANY_TAG)).isEmpty();
      ranks.send(new byte[0], 1, 2);
      Message expected = new Message(1, 1, 24);
      assertThat(ranks.probe(1, 1)).isEqualTo(expected);
      assertThat(ranks.probe(ANY_SOURCE, ANY_TAG)).isEqualTo(expected);
      assertThat(ranks.poll(ANY_SOURCE, 1)).contains(expected);
      assertThat(ranks.poll(1, 5)).isEmpty();
      assertThat(ranks.receive(new byte[24], 1, 1)).isEqualTo(expected);
      assertThat(ranks.probe(1, ANY_TAG)).isEqualTo(new Message(1, 3, LARGE));
      ranks.receive(new byte[LARGE], 1, 3);
      assertThat(ranks.poll(ANY_SOURCE, ANY_TAG)).isEmpty();
    } else if (ranks.rank() == 1) {
      ranks.receive(new byte[0], 0, 2);
      ranks.send(new long[3], 0, 1);
      ranks.send(new byte[LARGE], 0, 3);
    }
  }

  private static void misuse(Communicator ranks, long seed) {
    byte[] none = {};
    int beyond = ranks.size();
    assertThatThrownBy(() -> ranks.send(none, beyond, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no rank " + beyond);
    assertThatThrownBy(() -> ranks.send(none, ANY_SOURCE, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ranks.send(none, 0, ANY_TAG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ANY_TAG");
    assertThatThrownBy(() -> ranks.send(none, 0, Communicator.MAX_TAG + 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1048576");
    assertThatThrownBy(() -> ranks.receive(none, -2, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-2");
    assertThatThrownBy(() -> ranks.poll(beyond, 0)).isInstanceOf(IllegalArgumentException.class);
    MemorySegment constant = MemorySegment.ofArray(new byte[1]).asReadOnly();
    assertThatThrownBy(() -> ranks.receive(constant, 0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("read-only");
    assertThatThrownBy(() -> ranks.broadcast(none, beyond))
        .isInstanceOf(IllegalArgumentException.class);
    ranks.send(new byte[1], ranks.rank(), Communicator.MAX_TAG);
    ranks.receive(new byte[1], ranks.rank(), Communicator.MAX_TAG);
  }

  private static void interrupt(Communicator ranks, long seed) {
    if (ranks.rank() == 0) {
      Request received = ranks.startReceive(new byte[1], 1, 1);
      Thread.currentThread().interrupt();
      assertThatThrownBy(received::await)
          .isInstanceOf(CommunicationException.class)
          .hasMessageContaining("interrupted");
      assertThatThrownBy(() -> ranks.probe(1, 2)).isInstanceOf(CommunicationException.class);
      assertThat(Thread.interrupted()).isTrue();
      ranks.send(new byte[0], 1, 3);
      assertThat(received.await().bytes()).isEqualTo(1);
    } else if (ranks.rank() == 1) {
      ranks.receive(new byte[0], 0, 3);
      ranks.send(new byte[1], 0, 1);
    }
  }

  /** Threads of all ranks send around the ring, each with a tag of its own. */
  private static void manyThreads(Communicator ranks, long seed) throws Exception {
    if (!ranks.isConcurrent()) {
      return;
    }
    List<Callable<Boolean>> work = new ArrayList<>();
    for (int tag = 0; tag < 4; tag++) {
      int mine = tag;
      work.add(() -> exchangeMany(ranks, mine, new Random(seed + mine)));
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(work.size())) {
      for (Future<Boolean> done : threads.invokeAll(work)) {
        assertThat(done.get()).isTrue();
      }
    }
  }

  private static boolean exchangeMany(Communicator ranks, int tag, Random random) {
    int to = (ranks.rank() + 1) % ranks.size();
    int from = Math.floorMod(ranks.rank() - 1, ranks.size());
    for (int i = 0; i < 100; i++) {
      int length = i % 20 == 0 ? LARGE / Long.BYTES : 1 + random.nextInt(10);
      long[] data = new long[length];
      data[length - 1] = i * 10L + tag;
      long[] target = new long[length];
      Request sent = ranks.startSend(data, to, tag);
      ranks.receive(target, from, tag);
      sent.await();
      assertThat(target).isEqualTo(data);
    }
    return true;
  }

  private static void moreThan2GiB(Communicator ranks, long seed) {
    if (ranks.rank() > 1 || !Boolean.getBoolean(CommunicatorScenarios.LARGE_MESSAGES)) {
      return;
    }
    long bytes = (1L << 31) + 5;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(bytes);
      if (ranks.rank() == 0) {
        for (long at = 0; at < bytes; at += 4099) {
          memory.set(ValueLayout.JAVA_BYTE, at, (byte) (at * 31));
        }
        memory.set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 77);
        ranks.send(memory, 1, 1);
        return;
      }
      assertThat(ranks.receive(memory, 0, 1)).isEqualTo(new Message(0, 1, bytes));
      for (long at = 0; at < bytes - 1; at += 4099) {
        assertThat(memory.get(ValueLayout.JAVA_BYTE, at) == (byte) (at * 31)).isTrue();
      }
      assertThat(memory.get(ValueLayout.JAVA_BYTE, bytes - 1)).isEqualTo((byte) 77);
    }
  }
}
