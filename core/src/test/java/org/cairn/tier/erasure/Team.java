// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.cairn.Codec;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.container.Container;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.Deltas;
import org.cairn.tier.FileNames;
import org.cairn.version.VersionId;

/** The ranks of a test with one group. */
final class Team {
  final List<Member> members = new ArrayList<>();
  final ErasureGroups groups;
  final int parity;
  final int groupSize;
  private long sequence;
  VersionId stable = TestRun.id(0, 0, 1);

  Team(int size, int parity) {
    this(size, parity, rank -> new MemoryStore());
  }

  Team(int size, int parity, IntFunction<Store> stores) {
    this(size, parity, stores, size);
  }

  Team(int size, int parity, IntFunction<Store> stores, int groupSize) {
    this.parity = parity;
    this.groupSize = groupSize;
    List<String> domains = IntStream.range(0, size).mapToObj(i -> "node" + i).toList();
    this.groups = ErasureGroups.adapted(domains, groupSize, parity);
    for (int rank = 0; rank < size; rank++) {
      members.add(new Member(rank, stores.apply(rank)));
    }
  }

  int size() {
    return members.size();
  }

  /** What a rank does with its tier. */
  interface Deed {
    void run(ErasureTier tier, Member member, Communicator ranks) throws Exception;
  }

  void all(Deed deed) {
    all(deed, ranks -> ranks);
  }

  private void all(Deed deed, UnaryOperator<Communicator> through) {
    Ranks.run(size(), ranks -> with(through.apply(ranks), deed));
  }

  void with(Communicator ranks, Deed deed) throws Exception {
    Member member = members.get(ranks.rank());
    try (ErasureTier tier = new ErasureTier(ranks, member.home(size()), groups)) {
      if (stable.sequence() > 0) {
        tier.nowStable(stable);
      }
      deed.run(tier, member, ranks);
    }
  }

  VersionId checkpoint() throws IOException {
    VersionId id = TestRun.id(1, ++sequence, size());
    for (Member member : members) {
      member.checkpoint(id);
    }
    return id;
  }

  /** Protects a version and says how many bytes each rank sent. */
  long[] protect(VersionId id) {
    long[] sent = new long[size()];
    all((tier, member, ranks) -> sent[member.rank] = tier.protect(id, Deltas.UNKNOWN));
    stable = id;
    return sent;
  }

  /** Changes the states in many ways. */
  void change(Random random) {
    for (Member member : members) {
      change(member, random);
    }
  }

  static void change(Member member, Random random) {
    for (String name : List.copyOf(member.state.keySet())) {
      Member.Data data = Objects.requireNonNull(member.state.get(name));
      byte[] bytes = data.bytes();
      switch (random.nextInt(8)) {
        case 0 -> bytes = Arrays.copyOf(bytes, bytes.length / 2);
        case 1 -> bytes = Arrays.copyOf(bytes, bytes.length + random.nextInt(200_000));
        case 2 -> Arrays.fill(bytes, (byte) 0);
        case 3, 4, 5 -> scribble(bytes, random);
        case 6 -> {
          if (member.state.size() > 2) {
            member.state.remove(name);
            continue;
          }
        }
        default -> {}
      }
      member.put(name, bytes, data.blockSize(), data.codec());
    }
    if (random.nextInt(3) == 0) {
      add(member, random);
    }
  }

  static void scribble(byte[] bytes, Random random) {
    for (int i = 0; i < 5 && bytes.length > 0; i++) {
      int at = random.nextInt(bytes.length);
      int length = Math.min(bytes.length - at, 1 + random.nextInt(3000));
      byte[] noise = new byte[length];
      random.nextBytes(noise);
      System.arraycopy(noise, 0, bytes, at, length);
    }
  }

  static void add(Member member, Random random) {
    int[] sizes = {128, 1000, 4096, 16 << 10, 50_001, 200_000};
    Codec[] codecs = {Codec.NONE, Codec.NONE, Codec.DEFLATE};
    byte[] bytes = new byte[1 + random.nextInt(random.nextBoolean() ? 300 : 700_000)];
    if (random.nextInt(4) > 0) {
      scribble(bytes, random);
      random.nextBytes(bytes);
    }
    member.put(
        "d" + random.nextInt(1000),
        bytes,
        sizes[random.nextInt(sizes.length)],
        codecs[random.nextInt(codecs.length)]);
  }

  /** What is left after some ranks lost everything. */
  Team without(BitSet lost) {
    Team team = new Team(size(), parity, rank -> new MemoryStore(), groupSize);
    for (Member member : members) {
      Member copy = team.members.get(member.rank);
      copy.history.putAll(member.history);
      if (!lost.get(member.rank)) {
        copy.store = ((MemoryStore) member.store).copy();
      }
    }
    return team;
  }

  /** Rebuilds a version, and verifies it. */
  void rebuild(VersionId id, BitSet expected) {
    rebuild(id, expected, ranks -> ranks);
  }

  /** The same, through other communicators. */
  void rebuild(VersionId id, BitSet expected, UnaryOperator<Communicator> through) {
    BitSet rebuilt = new BitSet();
    all(
        (tier, member, ranks) -> {
          String file = FileNames.rebuilt(member.rank, "");
          Container[] target = new Container[1];
          try {
            boolean done =
                tier.rebuild(id, true, true, () -> target[0] = TestRun.open(member.store, file, 1));
            synchronized (rebuilt) {
              rebuilt.set(member.rank, done);
            }
          } finally {
            if (target[0] != null) {
              target[0].close();
            }
          }
          if (rebuilt.get(member.rank)) {
            member.verify(file, id);
            member.store.rename(file, FileNames.local(member.rank));
          }
        },
        through);
    assertThat(rebuilt).isEqualTo(expected);
  }

  /** All sets of at most so many members. */
  List<BitSet> losses(int most) {
    return IntStream.range(1, 1 << size())
        .filter(bits -> Integer.bitCount(bits) <= most)
        .mapToObj(bits -> BitSet.valueOf(new long[] {bits}))
        .toList();
  }
}
