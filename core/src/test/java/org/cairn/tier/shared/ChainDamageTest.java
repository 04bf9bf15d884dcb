// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.tier.Deltas;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Versions whose indices are a chain, and bits that flip: lost are those versions that need the
 * byte, and no others.
 */
@Tag("slow")
class ChainDamageTest {
  private static final int RANKS = 2;
  private static final int VERSIONS = 5;
  private static final int GONE = 6;

  private final MemoryStore shared = new MemoryStore();
  private final SharedJob job = new SharedJob(shared, RANKS, SharedJob.job(1, RANKS));
  private final List<VersionId> versions = new ArrayList<>();
  private final Map<VersionId, Needed> needed = new HashMap<>();

  /** The ranges of files that a version cannot do without: where each begins and ends. */
  private static final class Needed {
    private final Map<String, TreeMap<Long, Long>> ranges = new HashMap<>();

    void add(String file, long from, long to) {
      ranges.computeIfAbsent(file, _ -> new TreeMap<>()).merge(from, to, Math::max);
    }

    boolean contains(String file, long at) {
      Map.Entry<Long, Long> range = ranges.getOrDefault(file, new TreeMap<>()).floorEntry(at);
      return range != null && at < range.getValue();
    }
  }

  @BeforeEach
  void flush() throws IOException {
    job.tiers = job.tiers.sharedRetain(VERSIONS);
    for (int i = 0; i < VERSIONS + GONE; i++) {
      versions.add(job.flush());
    }
    versions.subList(0, GONE).clear(); // but not the blocks and indices that others need
    for (VersionId version : versions) {
      needed.put(version, needs(version));
    }
    assertThat(chains()).as("links of the versions").contains(1, 2);
  }

  /** How many links each version has. */
  private List<Integer> chains() throws IOException {
    List<Integer> found = new ArrayList<>();
    for (VersionId version : versions) {
      found.add(chainOf(version, 0).size() - 1);
    }
    return found;
  }

  private List<String> chainOf(VersionId version, int rank) throws IOException {
    return SharedJob.chain(shared, version, rank);
  }

  private Needed needs(VersionId version) throws IOException {
    Needed all = new Needed();
    Manifest manifest = new SharedDirectory(shared).find(version);
    for (Reference reference : manifest.references()) {
      byte[] bytes = SegmentTest.contents(shared, reference.segment());
      ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      all.add(reference.segment(), 0, 96 + file.getInt(0x44));
      all.add(reference.segment(), file.getLong(bytes.length - 40), bytes.length);
    }
    try (OpenSegments segments = new OpenSegments(shared, manifest.references())) {
      for (int rank = 0; rank < RANKS; rank++) {
        for (String link : chainOf(version, rank)) {
          Member member = segments.open(link).memberInfo(rank);
          all.add(link, member.offset(), member.offset() + member.length());
        }
        String own = manifest.groupOf(rank).segment();
        MemberIndex index =
            MemberChain.read(segments, own, rank, manifest.rootOf(rank)).state().index();
        for (int block = 0; block < index.blocks(); block++) {
          BlockEntry entry = index.entry(block);
          all.add(
              index.segments().get(entry.segment()),
              entry.offset(),
              entry.offset() + entry.storedLength());
        }
      }
    }
    return all;
  }

  private void flip(String name, long at, int bit) throws IOException {
    try (StoreFile file = shared.open(name, Store.Access.WRITE)) {
      byte[] one = new byte[1];
      file.read(at, MemorySegment.ofArray(one));
      one[0] ^= (byte) (1 << bit);
      file.write(at, MemorySegment.ofArray(one));
    }
  }

  private TreeSet<VersionId> lost() {
    TreeSet<VersionId> found = new TreeSet<>();
    for (VersionId version : versions) {
      try {
        if (SharedCheck.verify(shared, version, (_, _, _, _) -> {}).damaged() > 0) {
          found.add(version);
        }
      } catch (IOException e) {
        found.add(version);
      }
    }
    return found;
  }

  /** Where something begins and ends that one version needs, and what lies between. */
  private TreeSet<Long> places(String file, long size) {
    TreeSet<Long> places = new TreeSet<>();
    for (long at = 0; at < size; at += 709) {
      places.add(at);
    }
    for (Needed one : needed.values()) {
      one.ranges
          .getOrDefault(file, new TreeMap<>())
          .forEach(
              (from, to) -> {
                boolean isBlock = to - from <= SharedJob.BLOCK;
                if (!isBlock || from % 16 == 1) { // there are many blocks
                  places.add(from);
                  places.add(to - 1);
                }
              });
    }
    return places;
  }

  @Test
  void aFlippedBitCostsTheVersionsThatNeedIt() throws IOException {
    int flips = 0;
    TreeSet<Integer> severities = new TreeSet<>();
    for (String name : shared.list()) {
      if (SharedNames.segment(name).isEmpty()) {
        continue;
      }
      for (long at : places(name, SegmentTest.contents(shared, name).length)) {
        int bit = flips++ % 8;
        flip(name, at, bit);
        TreeSet<VersionId> expected = new TreeSet<>();
        versions.stream()
            .filter(version -> Objects.requireNonNull(needed.get(version)).contains(name, at))
            .forEach(expected::add);
        assertThat(lost()).as("bit %d of byte %d of %s", bit, at, name).isEqualTo(expected);
        severities.add(expected.size());
        flip(name, at, bit);
      }
    }
    assertThat(lost()).isEmpty();
    assertThat(severities).as("versions lost by one bit").contains(0, 1, 2, VERSIONS);
  }

  /** What is in a manifest is in footers too. */
  @Test
  void aFlippedBitInAManifestCostsNothing() throws IOException {
    for (VersionId version : versions) {
      String name = SharedNames.manifest(version);
      for (int at = 0; at < SegmentTest.contents(shared, name).length; at += 67) {
        flip(name, at, at % 8);
        assertThat(lost()).as("byte %d of %s", at, name).isEmpty();
        flip(name, at, at % 8);
      }
    }
  }

  /** Whoever restarts is told which file it is. */
  @Test
  void aDamagedLinkIsNamed() throws IOException {
    VersionId last = versions.getLast();
    String link = chainOf(last, 1).getLast();
    try (SegmentReader segment = SegmentReader.open(shared, link)) {
      flip(link, segment.memberInfo(1).offset() + 100, 3);
    }
    assertThatThrownBy(() -> job.verify(last)).hasMessageContaining(link);
    assertThat(SharedCheck.verify(shared, last, (_, _, _, _) -> {}).damages())
        .singleElement()
        .satisfies(damage -> assertThat(damage.file()).contains(link));
  }

  @Test
  void anUnreadableLinkMakesTheNextFlushWhole() throws IOException {
    String link = chainOf(versions.getLast(), 1).getLast();
    try (SegmentReader segment = SegmentReader.open(shared, link)) {
      flip(link, segment.memberInfo(1).offset() + 100, 3);
    }
    VersionId next = job.flush();
    assertWhole(next, 1);
    assertThat(chainOf(next, 0)).as("the other rank goes on").endsWith(link);
    job.verify(next);
  }

  /** All that the version links to was written with it. */
  private void assertWhole(VersionId version, int rank) throws IOException {
    assertThat(chainOf(version, rank))
        .hasSize(2)
        .allSatisfy(
            name ->
                assertThat(SharedNames.segment(name).orElseThrow().version()).isEqualTo(version));
  }

  /** A tier that remembers everything reads no index; but once in a round it does. */
  @Test
  void aLinkThatDecaysIsFoundInTheNextRound() throws IOException {
    VersionId[] taken = new VersionId[3];
    job.all(
        (tier, comm) -> {
          for (int i = 0; i < taken.length; i++) {
            if (comm.rank() == 0) {
              taken[i] = job.checkpoint();
              if (i == 2) {
                String link = chainOf(taken[1], 0).getLast();
                assertThat(link).as("a link").isNotEqualTo(chainOf(taken[1], 0).getFirst());
                try (SegmentReader segment = SegmentReader.open(shared, link)) {
                  flip(link, segment.memberInfo(0).offset() + 100, 3);
                }
                job.clock.pass(Duration.ofMinutes(25));
              }
            }
            comm.barrier();
            VersionId version = Objects.requireNonNull(taken[i]);
            tier.protect(version, Deltas.UNKNOWN);
            comm.barrier();
            tier.nowStable(version);
          }
        });
    assertWhole(Objects.requireNonNull(taken[2]), 0);
    assertThat(job.scrubs).anySatisfy(report -> assertThat(report.damages()).hasSize(1));
    job.verify(Objects.requireNonNull(taken[2]));
  }
}
