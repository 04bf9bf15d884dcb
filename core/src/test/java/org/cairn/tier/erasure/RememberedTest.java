// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.comm.Communicator;
import org.cairn.comm.RankFailedException;
import org.cairn.comm.Ranks;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.record.Digest;
import org.cairn.testkit.comm.Killed;
import org.cairn.testkit.comm.LossyCommunicator;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.Deltas;
import org.cairn.tier.FileNames;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Delta;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Parity that is made from what containers remember is that which a comparison of maps makes. */
@Tag("slow")
class RememberedTest {
  private static final int RANKS = 3;
  private static final int LOSSES = 1;
  private static final int BLOCK = 4 << 10;

  /** What happens between two versions, on all ranks alike. */
  private enum Event {
    /** The version is protected and stable. */
    PROTECTED,
    /** All ranks have the version, but no tier is told of it. */
    SKIPPED,
    /** One rank could not make the version durable. */
    FAILED_ON_ONE,
    /** The version is protected, but that is not agreed on. */
    NOT_SETTLED,
    /** All go back to the version stable last; their tiers are new. */
    RESTARTED
  }

  private record Step(Event event, long seed) {}

  private static List<Step> steps(Random random) {
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < 14; i++) {
      Event[] rare = Event.values();
      Event event = random.nextBoolean() ? Event.PROTECTED : rare[random.nextInt(rare.length)];
      steps.add(new Step(event, random.nextLong()));
    }
    steps.add(new Step(Event.PROTECTED, random.nextLong()));
    return steps;
  }

  /** One rank living through a history. */
  private static final class Life implements AutoCloseable {
    final Communicator comm;
    final Team team;
    final Member member;
    final Container container;
    final Map<VersionId, Map<String, Member.Data>> states = new LinkedHashMap<>();
    final AtomicInteger remembered;
    final boolean quick;
    ErasureTier tier;
    VersionId stable = TestRun.id(0, 0, RANKS);

    Life(Communicator comm, Team team, boolean quick, AtomicInteger remembered) throws IOException {
      this.comm = comm;
      this.team = team;
      this.member = team.members.get(comm.rank());
      this.quick = quick;
      this.remembered = remembered;
      member.retain = 8;
      container = member.open();
      container.rememberDeltas();
      tier = new ErasureTier(comm, member.home(RANKS), team.groups);
    }

    void live(Step step, VersionId id) throws IOException {
      Random random = new Random(step.seed + comm.rank());
      if (step.event == Event.RESTARTED && stable.sequence() > 0) {
        restart();
      }
      Team.change(member, random);
      boolean fails = step.event == Event.FAILED_ON_ONE && step.seed % RANKS == comm.rank();
      if (!fails) {
        member.checkpoint(container, id);
        Map<String, Member.Data> state = new LinkedHashMap<>();
        member.state.forEach(
            (name, data) ->
                state.put(
                    name, new Member.Data(data.bytes().clone(), data.blockSize(), data.codec())));
        states.put(id, state);
      }
      comm.barrier();
      if (step.event != Event.SKIPPED && step.event != Event.FAILED_ON_ONE) {
        tier.protect(id, deltas(id));
        comm.barrier();
        if (step.event != Event.NOT_SETTLED) {
          tier.nowStable(id);
          stable = id;
        }
      }
    }

    private Deltas deltas(VersionId id) {
      return (base, root) -> {
        Optional<Delta> delta = container.delta(base, root, id);
        delta.ifPresent(_ -> remembered.incrementAndGet());
        return quick ? delta : Deltas.UNKNOWN.since(base, root);
      };
    }

    private void restart() throws IOException {
      VersionInfo back =
          container.versions().stream()
              .filter(version -> version.id().equals(stable))
              .findFirst()
              .orElseThrow();
      container.continueFrom(back);
      member.state.clear();
      Objects.requireNonNull(states.get(stable))
          .forEach(
              (name, data) ->
                  member.put(name, data.bytes().clone(), data.blockSize(), data.codec()));
      tier.close();
      tier = new ErasureTier(comm, member.home(RANKS), team.groups);
      tier.nowStable(stable);
    }

    @Override
    public void close() throws IOException {
      tier.close();
      container.close();
    }
  }

  private static VersionId live(Team team, List<Step> steps, boolean quick, AtomicInteger known) {
    team.members.forEach(member -> Team.add(member, Seeds.content(member.rank)));
    Ranks.run(
        RANKS,
        comm -> {
          try (Life life = new Life(comm, team, quick, known)) {
            for (int i = 0; i < steps.size(); i++) {
              life.live(steps.get(i), TestRun.id(1, i + 1, RANKS));
            }
          }
        });
    return TestRun.id(1, steps.size(), RANKS);
  }

  @SeededTest(seeds = 5)
  void deltasAndMapsMakeTheSameParity(Random random) throws IOException {
    List<Step> steps = steps(random);
    AtomicInteger known = new AtomicInteger();
    Team quick = new Team(RANKS, LOSSES);
    Team slow = new Team(RANKS, LOSSES);
    VersionId newest = live(quick, steps, true, known);
    live(slow, steps, false, new AtomicInteger());
    assertThat(known).as("deltas that were remembered").hasPositiveValue();
    for (int rank = 0; rank < RANKS; rank++) {
      assertSame(quick.members.get(rank), slow.members.get(rank));
    }
    BitSet lost = BitSet.valueOf(new long[] {1L << random.nextInt(RANKS)});
    quick.without(lost).rebuild(newest, lost);
  }

  /** All versions of two parity containers have the same datasets with the same bytes. */
  private static void assertSame(Member one, Member other) throws IOException {
    String file = FileNames.parity(one.rank);
    try (ContainerReader left = ContainerReader.open(one.store, file);
        ContainerReader right = ContainerReader.open(other.store, file)) {
      assertThat(left.versions()).isNotEmpty().hasSameSizeAs(right.versions());
      for (int i = 0; i < left.versions().size(); i++) {
        VersionInfo version = left.versions().get(i);
        assertThat(version.id()).isEqualTo(right.versions().get(i).id());
        assertSame(left.view(version.id()), right.view(version.id()));
      }
    }
  }

  private static void assertSame(VersionView left, VersionView right) throws IOException {
    assertThat(left.datasets().stream().map(DatasetEntry::name).toList())
        .containsExactlyElementsOf(right.datasets().stream().map(DatasetEntry::name).toList());
    for (DatasetEntry dataset : left.datasets()) {
      String name = dataset.name();
      assertThat(ParityFile.read(left, name, Integer.MAX_VALUE))
          .as("%s of %s", name, left.info().id())
          .isEqualTo(ParityFile.read(right, name, Integer.MAX_VALUE));
    }
    assertThat(left.info().digestLow()).isEqualTo(right.info().digestLow());
    assertThat(left.info().digestHigh()).isEqualTo(right.info().digestHigh());
  }

  // When something is wrong.

  private static byte[] noise(int bytes, long seed) {
    byte[] noise = new byte[bytes];
    new Random(seed).nextBytes(noise);
    return noise;
  }

  /** A team of four with two versions, the first of which is protected, and what leads between. */
  private static final class Pair {
    final Team team = new Team(4, 2);
    final VersionId old = TestRun.id(1, 1, 4);
    final VersionId id = TestRun.id(1, 2, 4);
    final List<Delta> deltas = new ArrayList<>();

    /** Whether all blocks change: then damage to old ones leaves the new ones alone. */
    Pair(boolean all) throws IOException {
      for (Member member : team.members) {
        member.put("field", noise(300_000, member.rank), BLOCK);
        member.checkpoint(old);
      }
      team.protect(old);
      for (Member member : team.members) {
        byte[] next = noise(300_000, 50 + member.rank);
        byte[] field = Objects.requireNonNull(member.state.get("field")).bytes();
        System.arraycopy(next, 0, field, 0, all ? next.length : 3 * BLOCK);
        try (Container container = member.open()) {
          container.rememberDeltas();
          VersionInfo base = container.versions().getFirst();
          member.checkpoint(container, id);
          Digest root = new Digest(base.digestLow(), base.digestHigh());
          deltas.add(container.delta(old, root, id).orElseThrow());
        }
      }
    }

    /** What is remembered; places are the same in a copy of the files. */
    Deltas deltas(int rank) {
      Delta delta = deltas.get(rank);
      return (base, root) -> base.equals(old) ? Optional.of(delta) : Optional.empty();
    }

    /** Protects the second version, and loses any two ranks. */
    void protect() {
      team.all((tier, member, ranks) -> tier.protect(id, deltas(member.rank)));
      for (BitSet lost : team.losses(2)) {
        team.without(lost).rebuild(id, lost);
      }
    }
  }

  @Test
  void aDamagedOldBlockIsDoneWithout() throws IOException {
    Pair pair = new Pair(true);
    ProtectTest.damage(pair.team.members.get(1).store, FileNames.local(1), pair.old, "field");
    pair.protect();
  }

  @Test
  void damagedOldParityIsDoneWithout() throws IOException {
    for (String dataset : List.of("parity", "map.2", "map.1", "head.2", "head.0", "layout")) {
      Pair pair = new Pair(false);
      ProtectTest.damage(pair.team.members.get(2).store, FileNames.parity(2), pair.old, dataset);
      pair.protect();
    }
  }

  /** A rank whose container cannot remember compares maps, and the others need not know. */
  @Test
  void oneMayRememberAndAnotherNot() throws IOException {
    Pair pair = new Pair(false);
    pair.team.all(
        (tier, member, ranks) ->
            tier.protect(pair.id, member.rank == 1 ? Deltas.UNKNOWN : pair.deltas(member.rank)));
    for (BitSet lost : pair.team.losses(2)) {
      pair.team.without(lost).rebuild(pair.id, lost);
    }
  }

  /** The states are equal, but a patch by slot would change the digests of other blocks. */
  @Test
  void aContainerWithOtherSlotsThanParityKnowsIsNoMatter() throws IOException {
    Team team = new Team(RANKS, LOSSES);
    for (Member member : team.members) {
      member.put("a", noise(100_000, member.rank), BLOCK);
      member.put("b", noise(50_000, 10 + member.rank), BLOCK);
    }
    VersionId old = team.checkpoint();
    team.protect(old);
    Member again = team.members.get(1);
    Member.Data first = Objects.requireNonNull(again.state.remove("a"));
    again.state.put("a", first);
    again.store.delete(FileNames.local(1));
    VersionId id = TestRun.id(1, 2, RANKS);
    try (Container container = again.open()) {
      container.rememberDeltas();
      again.checkpoint(container, old);
      for (Member member : team.members) {
        Objects.requireNonNull(member.state.get("a")).bytes()[0]++;
      }
      again.checkpoint(container, id);
      team.members.get(0).checkpoint(id);
      team.members.get(2).checkpoint(id);
      AtomicInteger remembered = new AtomicInteger();
      team.all(
          (tier, member, ranks) ->
              tier.protect(
                  id,
                  (base, root) -> {
                    Optional<Delta> delta =
                        member == again ? container.delta(base, root, id) : Optional.empty();
                    delta.ifPresent(_ -> remembered.incrementAndGet());
                    return delta;
                  }));
      assertThat(remembered).as("deltas").hasPositiveValue();
    }
    for (BitSet lost : team.losses(LOSSES)) {
      team.without(lost).rebuild(id, lost);
    }
  }

  @Test
  void theDeathOfARankLeavesTheOldVersion() throws IOException {
    Pair pair = new Pair(false);
    int died = 0;
    for (int at = 1; at < 120; at += 13) {
      Team copy = pair.team.without(new BitSet());
      copy.stable = pair.old;
      int kill = at;
      boolean killed = false;
      try {
        Ranks.run(
            4,
            ranks -> {
              LossyCommunicator lossy = new LossyCommunicator(ranks, kill);
              if (ranks.rank() == kill % 4) {
                lossy.killAt(kill);
              }
              copy.with(
                  lossy, (tier, member, same) -> tier.protect(pair.id, pair.deltas(member.rank)));
            });
      } catch (RankFailedException e) {
        assertThat(e.getCause()).isInstanceOf(Killed.class);
        killed = true;
        died++;
      }
      BitSet lost = BitSet.valueOf(new long[] {0b11L << kill % 3});
      copy.without(lost).rebuild(killed ? pair.old : pair.id, lost);
      copy.all((tier, member, ranks) -> tier.protect(pair.id, pair.deltas(member.rank)));
      copy.without(lost).rebuild(pair.id, lost);
    }
    assertThat(died).isGreaterThan(2);
  }
}
