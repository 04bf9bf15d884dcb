// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.cairn.comm.Communicator.ANY_SOURCE;
import static org.cairn.comm.Communicator.ANY_TAG;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.comm.Reduction;
import org.cairn.comm.Request;

/** Scenarios of what must not mix: communicators among each other, programs and collectives. */
final class GroupScenarios {
  private GroupScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("who shares the host", 1, GroupScenarios::whoSharesTheHost),
        new Scenario("domains are known to all", 1, GroupScenarios::domains),
        new Scenario("split", 1, GroupScenarios::split),
        new Scenario("negative colors", 1, GroupScenarios::negativeColors),
        new Scenario("duplicates do not mix", 1, GroupScenarios::duplicate),
        new Scenario("splits do not mix", 2, GroupScenarios::isolation),
        new Scenario("any tag does not match collectives", 2, GroupScenarios::anyTag));
  }

  /** Tests have one machine, however their failure domains are called. */
  private static void whoSharesTheHost(Communicator ranks, long seed) {
    assertThat(ranks.ranksOnHost()).isEqualTo(ranks.size());
    try (Communicator part = ranks.split(ranks.rank() % 2, 0)) {
      assertThat(part.ranksOnHost()).isEqualTo(ranks.size());
    }
    try (Communicator copy = ranks.duplicate()) {
      assertThat(copy.size()).isEqualTo(ranks.size());
      assertThat(copy.rank()).isEqualTo(ranks.rank());
      assertThat(copy.domain(0)).isEqualTo(ranks.domain(0));
    }
  }

  private static void domains(Communicator ranks, long seed) {
    String all =
        String.join("|", IntStream.range(0, ranks.size()).mapToObj(ranks::domain).toList());
    assertThat(ranks.domain(ranks.rank())).isNotEmpty();
    for (byte[] other : ranks.allGather(all.getBytes(StandardCharsets.UTF_8))) {
      assertThat(new String(other, StandardCharsets.UTF_8)).isEqualTo(all);
    }
  }

  private static void split(Communicator ranks, long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 3; round++) {
      int[] colors = random.ints(ranks.size(), 0, 3).toArray();
      int[] keys = random.ints(ranks.size(), -2, 3).toArray();
      List<Integer> expected =
          IntStream.range(0, ranks.size())
              .filter(rank -> colors[rank] == colors[ranks.rank()])
              .boxed()
              .sorted(Comparator.comparingInt(rank -> keys[rank]))
              .toList();
      try (Communicator part = ranks.split(colors[ranks.rank()], keys[ranks.rank()])) {
        assertThat(part.size()).isEqualTo(expected.size());
        assertThat(part.rank()).isEqualTo(expected.indexOf(ranks.rank()));
        long[] members = new long[part.size()];
        part.allGather(new long[] {ranks.rank()}, members);
        for (int rank = 0; rank < part.size(); rank++) {
          assertThat(members[rank]).isEqualTo(expected.get(rank).intValue());
          assertThat(part.domain(rank)).isEqualTo(ranks.domain(expected.get(rank)));
        }
        splitAgain(part);
      }
    }
  }

  private static void splitAgain(Communicator part) {
    try (Communicator reversed = part.split(0, -part.rank())) {
      assertThat(reversed.rank()).isEqualTo(part.size() - 1 - part.rank());
      assertThat(reversed.allReduce(1, Reduction.SUM)).isEqualTo(part.size());
    }
  }

  private static void negativeColors(Communicator ranks, long seed) {
    int odd = ranks.size() - 1;
    assertThatThrownBy(() -> ranks.split(ranks.rank() == odd ? -7 : 1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rank " + odd)
        .hasMessageContaining("-7");
  }

  private static void duplicate(Communicator ranks, long seed) {
    int to = (ranks.rank() + 1) % ranks.size();
    int[] target = new int[1];
    Communicator twin = ranks.duplicate();
    assertThat(twin.rank()).isEqualTo(ranks.rank());
    assertThat(twin.size()).isEqualTo(ranks.size());
    Request received = twin.startReceive(target, ANY_SOURCE, ANY_TAG);
    ranks.send(new int[] {1}, to, 0);
    int[] other = new int[1];
    ranks.receive(other, ANY_SOURCE, ANY_TAG);
    assertThat(other).containsExactly(1);
    assertThat(received.test()).isFalse();
    ranks.barrier(); // all have looked
    twin.send(new int[] {2}, to, 0);
    received.await();
    assertThat(target).containsExactly(2);
    twin.close();
    twin.close();
    ranks.barrier();
  }

  private static void isolation(Communicator ranks, long seed) {
    try (Communicator half = ranks.split(ranks.rank() % 2, 0)) {
      int to = (half.rank() + 1) % half.size();
      ranks.send(new int[] {10}, ranks.rank(), 0);
      half.send(new int[] {20 + ranks.rank() % 2}, to, 0);
      int[] target = new int[1];
      half.receive(target, ANY_SOURCE, 0);
      assertThat(target).containsExactly(20 + ranks.rank() % 2);
      ranks.receive(target, ANY_SOURCE, ANY_TAG);
      assertThat(target).containsExactly(10);
      assertThat(half.poll(ANY_SOURCE, ANY_TAG)).isEmpty();
    }
  }

  /** A receive of anything is open while collectives go on around it. */
  private static void anyTag(Communicator ranks, long seed) throws InterruptedException {
    int[] target = new int[1];
    Request received = ranks.startReceive(target, ANY_SOURCE, ANY_TAG);
    if (ranks.rank() == 0) {
      Thread.sleep(5); // the messages of a collective have arrived
      assertThat(ranks.poll(ANY_SOURCE, ANY_TAG)).isEmpty();
    }
    ranks.barrier();
    ranks.allReduce(1, Reduction.SUM);
    ranks.broadcast(new long[20_000], ranks.size() - 1);
    ranks.allGather(new byte[ranks.rank()]);
    ranks.allToAll(new int[ranks.size()], new int[ranks.size()]);
    assertThat(received.test()).isFalse();
    ranks.barrier();
    int to = (ranks.rank() + 1) % ranks.size();
    ranks.send(new int[] {ranks.rank()}, to, 0);
    Message message = received.await();
    assertThat(target).containsExactly(message.source());
  }
}
