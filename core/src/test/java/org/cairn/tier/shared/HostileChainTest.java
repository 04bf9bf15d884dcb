// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.cairn.CorruptContainerException;
import org.cairn.clock.Clock;
import org.cairn.record.Digest;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.store.CountingStore;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Chains of indices that nobody honest has written: refused, and soon. */
class HostileChainTest {
  private static final int RANK = 0;

  private final CountingStore store = new CountingStore(new MemoryStore());
  private final SharedJob job = new SharedJob(store, 1, SharedJob.job(1, 1));
  private final List<Reference> references = new ArrayList<>();
  private VersionId version = Flushes.version(1);
  private MemberIndex whole = new MemberIndex.Builder(RANK).build(new byte[0]);
  private Link last = new Link(1, "none", Digest.NONE);

  @BeforeEach
  void flush() throws IOException {
    version = job.flush();
    Manifest manifest = new SharedDirectory(store).find(version);
    references.addAll(manifest.references());
    try (SegmentReader segment = SegmentReader.open(store, manifest.groupOf(RANK).segment())) {
      last = segment.member(RANK).link().orElseThrow();
    }
    whole = SharedJob.index(store, version, RANK);
  }

  /** Apart from the tokens of honest flushes. */
  private SharedNames.Segment identity(int token) {
    return new SharedNames.Segment(version, 0x70000000 + token, 0);
  }

  /** A segment with an index that leaves all blocks to another. */
  private Link forge(int token, Link link, byte[] catalog, int blocks) throws IOException {
    SharedNames.Segment identity = identity(token);
    try (SegmentWriter writer =
        SegmentWriter.create(store, Clock.system(), identity, job.lineage)) {
      if (!link.segment().equals(writer.name())) {
        writer.reference(new Reference(link.segment(), 1, 1, Digest.NONE));
      }
      MemberIndex.Builder index = new MemberIndex.Builder(RANK);
      index.addUnchanged(blocks);
      writer.addMember(index.build(catalog, whole.root(), Instant.EPOCH, null, link), Map.of());
      for (Reference one : writer.finish().references()) {
        if (one.segment().equals(writer.name())) {
          references.add(one);
        }
      }
    }
    try (SegmentReader segment = SegmentReader.open(store, identity.name())) {
      return new Link(link.number() + 1, segment.name(), segment.memberInfo(RANK).checksum());
    }
  }

  private Link forge(int token, Link link) throws IOException {
    return forge(token, link, whole.catalog(), whole.blocks());
  }

  private MemberChain.Resolved read(Link newest) throws IOException {
    try (OpenSegments segments = new OpenSegments(store, references)) {
      return MemberChain.read(segments, newest.segment(), RANK, whole.root());
    }
  }

  private void assertRefused(Link newest, String why) {
    assertThatThrownBy(() -> read(newest))
        .isInstanceOf(CorruptContainerException.class)
        .hasMessageContaining(why);
  }

  @Test
  void eightLinksAreFollowedAndNoMore() throws IOException {
    Link link = last;
    for (int i = 1; i <= 8; i++) {
      link = forge(i, link);
    }
    assertThat(read(link).state().index().blocks()).isEqualTo(whole.blocks());
    assertThat(read(link).chain()).as("none of them lies apart").isEqualTo(Chain.NONE);
    assertRefused(forge(9, link), "more than 8 links");
  }

  @Test
  void aChainOfAThousandIsRefusedAfterAFew() throws IOException {
    Link link = last;
    for (int i = 1; i <= 1000; i++) {
      link = forge(i, new Link(Math.min(i, 63), link.segment(), link.checksum()));
    }
    long before = store.bytes().read();
    assertRefused(link, "a link to number 63");
    assertThat(store.bytes().read() - before).isLessThan(100_000);
  }

  /** Nobody can write a checksum into what it is the checksum of. */
  @Test
  void aChainToItselfIsRefused() throws IOException {
    String own = identity(1).name();
    assertRefused(forge(1, new Link(5, own, last.checksum())), "another one");
  }

  @Test
  void aLinkUpwardsIsRefused() throws IOException {
    Link high = forge(1, new Link(9, last.segment(), last.checksum()));
    assertRefused(forge(2, new Link(9, high.segment(), high.checksum())), "a link to number 9");
  }

  @Test
  void blocksThatNobodyHasAreRefused() throws IOException {
    assertRefused(forge(1, last, whole.catalog(), whole.blocks() + 1), "and an index of");
    byte[] renamed =
        new String(whole.catalog(), StandardCharsets.ISO_8859_1)
            .replace("field", "fjord")
            .getBytes(StandardCharsets.ISO_8859_1);
    assertRefused(forge(2, last, renamed, whole.blocks()), "which does not have it");
  }

  @Test
  void anotherStateThanWasToldIsRefused() throws IOException {
    Link link = forge(1, last);
    try (OpenSegments segments = new OpenSegments(store, references)) {
      assertThatThrownBy(() -> MemberChain.read(segments, link.segment(), RANK, new Digest(1, 2)))
          .isInstanceOf(CorruptContainerException.class)
          .hasMessageContaining("root digest");
    }
  }

  @Test
  void numbersBeyondTheEndAreRefused() throws IOException {
    Link link = forge(1, new Link(64, last.segment(), last.checksum()));
    assertRefused(link, "from 1 to 63");
  }
}
