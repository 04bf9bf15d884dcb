// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.DatasetEntry;
import org.cairn.container.StagedBlocks;
import org.cairn.container.VersionHead;
import org.cairn.store.Store;
import org.cairn.tier.Fragment;
import org.cairn.tier.Home;
import org.cairn.tier.Tier;
import org.cairn.tier.TierKind;
import org.cairn.version.VersionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps versions in a directory that all ranks see, as immutable segments: one for each group of
 * ranks and version, with the blocks that changed since the version flushed before. The first rank
 * of a group writes for all of them.
 *
 * <p>Blocks that lie in segments of which little is still needed are written again; so old segments
 * become free in the end, and nothing has to be read back for that.
 */
public final class SharedTier implements Tier {
  private static final Logger LOG = LoggerFactory.getLogger(SharedTier.class);

  /** A segment of which less than this part is needed is emptied by the next flush. */
  private static final double LEAST_LIVE = 0.5;

  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final Duration GRACE = Duration.ofMinutes(10);
  private static final int STAGING_BYTES = 4 << 20;

  private final Communicator comm;
  private final Communicator group;
  private final int groupNumber;
  private final Home home;
  private final Store shared;
  private final SharedDirectory directory;
  private final Collector collector;
  private final Clock clock;

  /**
   * The tier of one rank; collective.
   *
   * @param comm for this tier alone; stays the caller's to close
   * @param home where the rank's own container is
   * @param shared the directory that all ranks see
   * @param groupSize how many ranks write a segment together
   * @param retain how many versions to keep
   */
  public SharedTier(
      Communicator comm, Home home, Store shared, int groupSize, int retain, Clock clock) {
    this.comm = comm;
    this.groupNumber = comm.rank() / groupSize;
    this.group = comm.split(groupNumber, comm.rank());
    this.home = home;
    this.shared = shared;
    this.directory = new SharedDirectory(shared);
    this.collector = new Collector(shared, clock, retain, LEASE, GRACE);
    this.clock = clock;
  }

  @Override
  public TierKind kind() {
    return TierKind.SHARED;
  }

  @Override
  public long protect(VersionId version) throws IOException {
    Base base = agreeOnBase(version);
    if (base.complete) {
      return 0;
    }
    byte[] mine;
    long bytes = 0;
    try (FlushSource source = new FlushSource(home, shared, version, base.version)) {
      source.prepare(base.emptied);
      bytes = source.newBytes();
      mine = group.rank() == 0 ? lead(version, source) : follow(source);
    }
    publish(version, mine);
    return bytes;
  }

  /**
   * What a flush is compared with.
   *
   * @param complete whether the version is there already
   * @param version the newest version there is; empty if none can be used
   * @param emptied segments that nothing should be left in
   */
  private record Base(boolean complete, Optional<VersionId> version, Set<String> emptied) {}

  /** The first rank looks, for all: others might see another state of the directory. */
  private Base agreeOnBase(VersionId version) throws IOException {
    byte[] message = new byte[0];
    if (comm.rank() == 0) {
      message = describeBase(version);
    }
    List<byte[]> all = comm.allGather(message);
    RecordInput in = RecordInput.of(all.getFirst(), "rank 0");
    String failure = new String(in.raw(in.count(1)), StandardCharsets.UTF_8);
    if (!failure.isEmpty()) {
      throw new IOException("rank 0 cannot list the shared directory: " + failure);
    }
    boolean complete = in.notNegative("complete") != 0;
    boolean present = in.notNegative("present") != 0;
    Optional<VersionId> newest = present ? Optional.of(in.version()) : Optional.empty();
    Set<String> emptied = new HashSet<>();
    for (int i = in.count(5); i > 0; i--) {
      emptied.add(in.name());
    }
    return new Base(complete, newest, emptied);
  }

  private byte[] describeBase(VersionId version) {
    try {
      List<Manifest> manifests =
          directory.list().versions().stream()
              .filter(manifest -> manifest.version().ranks() == version.ranks())
              .toList();
      boolean complete =
          manifests.stream().anyMatch(manifest -> manifest.version().equals(version));
      List<String> emptied = new ArrayList<>();
      if (!manifests.isEmpty()) {
        SharedDirectory.use(manifests.subList(0, 1))
            .forEach(
                (segment, use) -> {
                  if (use.newest() < LEAST_LIVE * use.size()) {
                    emptied.add(segment);
                  }
                });
      }
      RecordOutput out = new RecordOutput().u32(0);
      out.u32(complete ? 1 : 0).u32(manifests.isEmpty() ? 0 : 1);
      if (!manifests.isEmpty()) {
        out.version(manifests.getFirst().version());
      }
      out.u32(emptied.size());
      emptied.forEach(out::text);
      return bytes(out);
    } catch (IOException e) {
      byte[] text = String.valueOf(e).getBytes(StandardCharsets.UTF_8);
      return bytes(new RecordOutput().u32(text.length).raw(text));
    }
  }

  private static byte[] bytes(RecordOutput out) {
    return out.checksum().toMemory().toArray(ValueLayout.JAVA_BYTE);
  }

  // ---------------------------------------------------------------- a group writes its segment

  /** What a group has to say in the end: its part of the manifest, or why there is none. */
  private byte[] lead(VersionId version, FlushSource own) throws IOException {
    GroupFlush flush = new GroupFlush(group, shared, clock, version, groupNumber);
    return flush.lead(own);
  }

  private byte[] follow(FlushSource own) throws IOException {
    GroupFlush.follow(group, own);
    return new byte[0];
  }

  /** Only if all groups have finished: the manifest makes their segments a version. */
  private void publish(VersionId version, byte[] mine) throws IOException {
    List<Manifest.Group> groups = new ArrayList<>();
    List<String> failures = new ArrayList<>();
    for (byte[] message : comm.allGather(mine)) {
      if (message.length > 0) {
        GroupFlush.read(message, groups, failures);
      }
    }
    if (!failures.isEmpty()) {
      throw new IOException(String.join("; ", failures));
    }
    if (comm.rank() == 0) {
      directory.publish(Manifest.of(version, clock.now(), groups));
    }
  }

  @Override
  public void settled(VersionId version) {
    if (comm.rank() != 0) {
      return;
    }
    try {
      collector.collect();
    } catch (IOException e) {
      LOG.warn("old versions in the shared directory stay for now: {}", e.toString());
    }
  }

  // ---------------------------------------------------------------- bringing a state back

  /** What a rank can have from a shared directory, of jobs of one name. */
  public static List<Fragment> fragments(Store shared, int rank, String job) throws IOException {
    List<Fragment.Held> held =
        versions(shared).stream()
            .map(version -> new Fragment.Held(version, java.time.Instant.EPOCH, 0, 0))
            .toList();
    return List.of(
        new Fragment(TierKind.SHARED, rank, "", "", held, null, 0, null, Fragment.State.USED, ""));
  }

  /** The versions that can be had from a shared directory, newest first. */
  public static List<VersionId> versions(Store shared) throws IOException {
    SharedDirectory directory = new SharedDirectory(shared);
    List<VersionId> versions = new ArrayList<>();
    directory.list().versions().forEach(manifest -> versions.add(manifest.version()));
    directory.reconstruct().forEach(manifest -> versions.add(manifest.version()));
    return versions;
  }

  /** Writes the state of a rank into a fresh container. */
  public static void rebuild(Store shared, VersionId version, int rank, Container target)
      throws IOException {
    Manifest manifest = manifest(shared, version);
    try (SegmentReader segment = SegmentReader.open(shared, manifest.groupOf(rank).segment());
        Segments segments = new Segments(shared)) {
      MemberIndex index = segment.member(rank);
      VersionHead head =
          VersionHead.read(MemorySegment.ofArray(index.catalog()), "segment " + segment.name());
      Commit commit = target.begin(head.info().id(), head.info().takenAt());
      try {
        commit.copy(head.datasets(), head.info());
        copy(head, index, segments, commit);
        commit.publish();
      } finally {
        commit.abort();
      }
    }
  }

  private static Manifest manifest(Store shared, VersionId version) throws IOException {
    SharedDirectory directory = new SharedDirectory(shared);
    List<Manifest> all = new ArrayList<>(directory.list().versions());
    all.addAll(directory.reconstruct());
    return all.stream()
        .filter(manifest -> manifest.version().equals(version))
        .findFirst()
        .orElseThrow(
            () -> new IOException("version " + version + " is not in the shared directory"));
  }

  private static void copy(VersionHead head, MemberIndex index, Segments segments, Commit commit)
      throws IOException {
    try (Arena arena = Arena.ofShared()) {
      StagedBlocks staged = new StagedBlocks(arena.allocate(STAGING_BYTES, 64));
      int number = 0;
      for (DatasetEntry dataset : head.datasets()) {
        for (int block = 0; block < dataset.blocks(); block++) {
          BlockEntry entry = index.entry(number++);
          if (staged.room() < entry.storedLength()) {
            commit.store(staged, 0);
            staged.clear();
          }
          stage(dataset, block, entry, index, segments, staged);
        }
      }
      commit.store(staged, 0);
    }
  }

  private static void stage(
      DatasetEntry dataset,
      int block,
      BlockEntry entry,
      MemberIndex index,
      Segments segments,
      StagedBlocks staged)
      throws IOException {
    int slot = dataset.slotOf(block);
    int length = dataset.blockLength(block);
    if (entry.isZero()) {
      staged.addZero(slot, length);
      return;
    }
    SegmentReader segment = segments.open(index.segments().get(entry.segment()));
    segment.read(entry, staged.memory().asSlice(staged.used(), entry.storedLength()));
    if (entry.codec() == 0) {
      staged.addRaw(slot, length, entry.digestLow(), entry.digestHigh());
    } else {
      staged.addCoded(
          slot, length, entry.codec(), entry.storedLength(), entry.digestLow(), entry.digestHigh());
    }
  }

  /** Segments that stay open while a state is read from them. */
  private static final class Segments implements AutoCloseable {
    private final Store shared;
    private final Map<String, SegmentReader> open = new HashMap<>();

    Segments(Store shared) {
      this.shared = shared;
    }

    SegmentReader open(String name) throws IOException {
      SegmentReader reader = open.get(name);
      if (reader == null) {
        reader = SegmentReader.open(shared, name);
        open.put(name, reader);
      }
      return reader;
    }

    @Override
    public void close() throws IOException {
      for (SegmentReader reader : open.values()) {
        reader.close();
      }
    }
  }

  @Override
  public void close() {
    group.close();
  }
}
