// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.cairn.CorruptContainerException;
import org.cairn.clock.Clock;
import org.cairn.record.Digest;
import org.cairn.store.Store;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;

/**
 * Small flushes: two groups of two ranks with six blocks each, of which the second is zeros. Each
 * version writes some blocks and refers to older segments for the others.
 */
final class Flushes {
  static final int RANKS = 4;
  static final int BLOCKS = 6;
  private static final int BUFFER = 100;

  private Flushes() {}

  /** A clock that stands still until it is told. */
  static final class ManualClock implements Clock {
    private volatile Instant now = Instant.parse("2026-11-15T00:00:00Z");
    private Runnable event = () -> {};

    @Override
    public Instant now() {
      return now;
    }

    @Override
    public long nanos() {
      return now.toEpochMilli() * 1_000_000;
    }

    void pass(long seconds) {
      now = now.plusSeconds(seconds);
    }

    /** What happens while somebody waits. */
    void meanwhile(Runnable event) {
      this.event = event;
    }

    @Override
    public void pause(Duration time) {
      now = now.plus(time);
      event.run();
    }
  }

  static VersionId version(long sequence) {
    return TestRun.id(1, sequence, RANKS);
  }

  static Lineage lineage() {
    return TestRun.lineage(RANKS);
  }

  /** The segment of a group; a version is flushed once here, so the token can be any. */
  static SharedNames.Segment identity(long sequence, int group) {
    return new SharedNames.Segment(version(sequence), 0xcafe0000 + (int) sequence, group);
  }

  static String segment(long sequence, int group) {
    return identity(sequence, group).name();
  }

  static String manifest(long sequence) {
    return SharedNames.manifest(version(sequence));
  }

  /** The block of a rank as of a version; a version changes every other block or so. */
  static byte[] block(long sequence, int rank, int block) {
    if (block == 1) {
      return new byte[40];
    }
    long last = lastChange(sequence, rank, block);
    byte[] bytes = new byte[block == 5 ? 17 : 40];
    new Random(last * 1000 + rank * 10L + block).nextBytes(bytes);
    return bytes;
  }

  private static long lastChange(long sequence, int rank, int block) {
    long last = sequence;
    while (last > 1 && (last + rank + block) % 3 == 0) {
      last--;
    }
    return last;
  }

  static byte[] catalog(long sequence, int rank) {
    return ("catalog " + sequence + " of " + rank).getBytes(StandardCharsets.UTF_8);
  }

  /** Writes and publishes a version. */
  static Manifest flush(Store store, Clock clock, long sequence, Optional<Manifest> base)
      throws IOException {
    return publish(store, clock, sequence, groups(store, clock, sequence, base));
  }

  /** Writes and publishes a version whose indices are changes to those of another. */
  static Manifest flushChanges(Store store, Clock clock, long sequence, Manifest base)
      throws IOException {
    return publish(store, clock, sequence, groupsOfChanges(store, clock, sequence, base));
  }

  private static Manifest publish(
      Store store, Clock clock, long sequence, List<Manifest.Group> groups) throws IOException {
    Manifest manifest = Manifest.of(version(sequence), lineage(), clock.now(), groups);
    new SharedDirectory(store).publish(manifest);
    return manifest;
  }

  /** Writes the segments of a version. */
  static List<Manifest.Group> groups(
      Store store, Clock clock, long sequence, Optional<Manifest> base) throws IOException {
    List<Manifest.Group> groups = new ArrayList<>();
    for (int group = 0; group < 2; group++) {
      try (SegmentWriter writer =
          SegmentWriter.create(store, clock, identity(sequence, group), lineage(), BUFFER)) {
        base.ifPresent(manifest -> manifest.references().forEach(writer::reference));
        List<MemberIndex> members = new ArrayList<>();
        for (int rank = 2 * group; rank < 2 * group + 2; rank++) {
          members.add(member(store, writer, sequence, rank, base));
        }
        for (MemberIndex member : members) {
          writer.addMember(member);
        }
        groups.add(writer.finish());
      }
    }
    return groups;
  }

  private static List<Manifest.Group> groupsOfChanges(
      Store store, Clock clock, long sequence, Manifest base) throws IOException {
    List<Manifest.Group> groups = new ArrayList<>();
    for (int group = 0; group < 2; group++) {
      try (SegmentWriter writer =
          SegmentWriter.create(store, clock, identity(sequence, group), lineage(), BUFFER)) {
        base.references().forEach(writer::reference);
        for (int rank = 2 * group; rank < 2 * group + 2; rank++) {
          addChanges(store, writer, sequence, rank, base);
        }
        groups.add(writer.finish());
      }
    }
    return groups;
  }

  private static void addChanges(
      Store store, SegmentWriter writer, long sequence, int rank, Manifest base)
      throws IOException {
    MemberIndex now = member(store, writer, sequence, rank, Optional.of(base));
    MemberIndex.Builder changes = new MemberIndex.Builder(rank);
    for (int i = 0; i < BLOCKS; i++) {
      BlockEntry entry = now.entry(i);
      if (entry.isZero() || !now.segments().get(entry.segment()).equals(writer.name())) {
        changes.addUnchanged(1);
      } else {
        changes.add(
            changes.segment(writer.name()),
            entry.offset(),
            entry.storedLength(),
            entry.codec(),
            entry.blockLength(),
            entry.digestLow(),
            entry.digestHigh());
      }
    }
    Map<String, Long> needed = new TreeMap<>(now.liveBytes());
    String linked = base.groupOf(rank).segment();
    try (SegmentReader older = SegmentReader.open(store, linked)) {
      Member member = older.memberInfo(rank);
      needed.merge(linked, member.length(), Long::sum);
      writer.addMember(
          changes.build(
              now.catalog(),
              now.root(),
              now.takenAt(),
              null,
              new Link(1, linked, member.checksum())),
          needed);
    }
  }

  private static MemberIndex member(
      Store store, SegmentWriter writer, long sequence, int rank, Optional<Manifest> base)
      throws IOException {
    MemberIndex.Builder index = new MemberIndex.Builder(rank);
    MemberIndex old = base.isPresent() ? index(store, base.get(), rank) : null;
    for (int i = 0; i < BLOCKS; i++) {
      byte[] bytes = block(sequence, rank, i);
      MemorySegment memory = MemorySegment.ofArray(bytes);
      long[] digest = digest(memory);
      if (i == 1) {
        index.add(BlockEntry.zero(bytes.length, digest[0], digest[1]));
      } else if (old != null && old.entry(i).digestLow() == digest[0]) {
        BlockEntry entry = old.entry(i);
        int segment = index.segment(old.segments().get(entry.segment()));
        index.add(
            new BlockEntry(
                segment, entry.offset(), bytes.length, 0, bytes.length, digest[0], digest[1]));
      } else {
        int segment = index.segment(writer.name());
        long offset = writer.append(memory);
        index.add(
            new BlockEntry(segment, offset, bytes.length, 0, bytes.length, digest[0], digest[1]));
      }
    }
    return index.build(
        catalog(sequence, rank),
        new Digest(sequence, rank),
        Instant.EPOCH.plusSeconds(sequence),
        sequence == 2 ? Verification.written(Instant.EPOCH.plusSeconds(2)) : null);
  }

  static long[] digest(MemorySegment bytes) {
    Digest digest = Digest.of(bytes);
    return new long[] {digest.low(), digest.high()};
  }

  static MemberIndex index(Store store, Manifest manifest, int rank) throws IOException {
    try (SegmentReader reader = SegmentReader.open(store, manifest.groupOf(rank).segment())) {
      return reader.member(rank);
    }
  }

  /** Reads everything of a version and compares it with what was written. */
  static void verify(Store store, Manifest manifest) throws IOException {
    long sequence = manifest.version().sequence();
    for (int rank = 0; rank < RANKS; rank++) {
      MemberIndex index = index(store, manifest, rank);
      check(manifest, rank, Arrays.equals(index.catalog(), catalog(sequence, rank)), "catalog");
      check(manifest, rank, index.blocks() == BLOCKS, "number of blocks");
      for (int i = 0; i < BLOCKS; i++) {
        byte[] found = read(store, index, i);
        check(manifest, rank, Arrays.equals(found, block(sequence, rank, i)), "block " + i);
      }
    }
  }

  private static void check(Manifest manifest, int rank, boolean holds, String what)
      throws IOException {
    if (!holds) {
      throw new CorruptContainerException(
          manifest.name(), -1, "%s of rank %d is wrong".formatted(what, rank));
    }
  }

  private static byte[] read(Store store, MemberIndex index, int block) throws IOException {
    if (index.runs().get(index.runOf(block)).isUnchanged()) {
      Link link = index.link().orElseThrow();
      try (SegmentReader older = SegmentReader.open(store, link.segment())) {
        return read(store, older.member(index.rank(), link.checksum()), block);
      }
    }
    BlockEntry entry = index.entry(block);
    byte[] bytes = new byte[entry.blockLength()];
    if (!entry.isZero()) {
      String name = index.segments().get(entry.segment());
      try (SegmentReader reader = SegmentReader.open(store, name)) {
        reader.read(entry, MemorySegment.ofArray(bytes));
      }
    }
    long[] digest = digest(MemorySegment.ofArray(bytes));
    if (digest[0] != entry.digestLow() || digest[1] != entry.digestHigh()) {
      throw new CorruptContainerException(index.segments().toString(), entry.offset(), "digest");
    }
    return bytes;
  }
}
