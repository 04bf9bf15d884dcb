// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.cairn.Codec;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.frame.Effort;
import org.cairn.frame.FrameInfo;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.record.SealedRecord;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

/** The list of frames by itself: what it says of addresses, and lists that cannot be. */
class SegmentFramesTest {
  private static final String FILE = "segment";
  private static final long PLACE = 1L << 40;

  private final MemoryStore store = new MemoryStore();

  private static FrameInfo info(long stored, long plain) {
    return new FrameInfo(stored, plain, Codec.ZSTD, new Digest(stored, plain));
  }

  private static BlockEntry block(long address, int length) {
    return new BlockEntry(0, address, length, SegmentFormat.FRAMED, length, 0, 0);
  }

  /** A list as it is read again, from a place far out. */
  private SegmentFrames read(RecordWriter list) throws IOException {
    return read(list, SealedRecord.checksumOf(list.bytes()));
  }

  private SegmentFrames read(RecordWriter list, Digest checksum) throws IOException {
    // As if a terabyte lay before it.
    try (StoreFile file = new Shifted(store.open("list", Store.Access.CREATE))) {
      file.write(PLACE, list.bytes());
      SegmentFrames.Place place = new SegmentFrames.Place(PLACE, list.position(), checksum);
      return SegmentFrames.read(file, FILE, place);
    }
  }

  /** A file that begins at a place far out. */
  private record Shifted(StoreFile file) implements StoreFile {
    @Override
    public String name() {
      return file.name();
    }

    @Override
    public boolean isNamed() throws IOException {
      return file.isNamed();
    }

    @Override
    public long size() throws IOException {
      return PLACE + file.size();
    }

    @Override
    public long read(long position, MemorySegment target) throws IOException {
      return file.read(position - PLACE, target);
    }

    @Override
    public void write(long position, MemorySegment source) throws IOException {
      file.write(position - PLACE, source);
    }

    @Override
    public void truncate(long size) throws IOException {
      file.truncate(size - PLACE);
    }

    @Override
    public void force() throws IOException {
      file.force();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  /** Offsets beyond 4 GiB, and addresses, too. */
  @SeededTest(seeds = 20)
  void whatIsWrittenIsReadAndEveryBlockIsFound(Random random) throws IOException {
    SegmentFrames.Builder builder = new SegmentFrames.Builder();
    long offset = random.nextInt(1000);
    long address = 0;
    List<Effort> efforts = new ArrayList<>();
    int count = 1 + random.nextInt(60);
    for (int i = 0; i < count; i++) {
      long stored = 4096 + random.nextInt(1 << 20);
      long plain = 1 + random.nextInt((int) (1L << random.nextInt(8, 27)));
      efforts.add(new Effort(random.nextInt(2), "why"));
      assertThat(builder.add(offset, info(stored, plain), Optional.of(efforts.getLast())))
          .isEqualTo(address);
      offset += stored + random.nextInt(1 << 30);
      address += plain;
    }
    RecordWriter out = RecordWriter.onHeap();
    builder.write(out);
    SegmentFrames frames = read(out);
    assertThat(frames.all()).hasSize(count);
    assertThat(frames.all())
        .extracting(frame -> frame.effort().orElseThrow())
        .containsExactlyElementsOf(efforts);
    for (SegmentFrames.Frame frame : frames.all()) {
      long inside = random.nextLong(frame.info().plainLength());
      int length = (int) (frame.info().plainLength() - inside);
      assertThat(frames.of(FILE, block(frame.address() + inside, length))).isSameAs(frame);
      assertThat(frames.of(FILE, block(frame.address(), 1))).isSameAs(frame);
      assertInNone(frames, frame.address() + inside, length + 1); // a part of the next
    }
    assertInNone(frames, address, 1);
    assertInNone(frames, Long.MAX_VALUE, 1);
    assertInNone(frames, Long.MAX_VALUE, Integer.MAX_VALUE);
  }

  private static void assertInNone(SegmentFrames frames, long address, int length) {
    assertThatThrownBy(() -> frames.of(FILE, block(address, length)))
        .isInstanceOf(CorruptContainerException.class)
        .hasMessageContainingAll(FILE, "address " + address, "is in no frame");
  }

  @Test
  void whereThereAreNoFramesThereAreNoBlocks() throws IOException {
    assertInNone(SegmentFrames.NONE, 0, 1);
    RecordWriter out = RecordWriter.onHeap();
    new SegmentFrames.Builder().write(out);
    assertThat(read(out).all()).isEmpty();
  }

  /** A list that says anything, with a checksum that is right. */
  private static RecordWriter list(long... offsetStoredPlain) {
    RecordWriter out = RecordWriter.onHeap().putInt(SegmentFormat.FRAMES_TAG);
    long body = out.begin();
    long field = out.beginField(1);
    for (int i = 0; i < offsetStoredPlain.length; i += 3) {
      out.putVarint(offsetStoredPlain[i]);
      info(offsetStoredPlain[i + 1], offsetStoredPlain[i + 2]).write(out);
    }
    return out.end(field).end(body).seal();
  }

  private void assertRefused(RecordWriter list, String why) {
    assertThatThrownBy(() -> read(list))
        .isInstanceOf(CorruptContainerException.class)
        .hasMessageContainingAll(FILE, why);
  }

  @Test
  void framesLieOneBehindTheOtherBeforeTheirList() throws IOException {
    assertThat(read(list(10, 20, 30, 30, 20, 30)).all()).hasSize(2);
    assertRefused(list(10, 20, 30, 29, 20, 30), "between 30 and");
    assertRefused(list(10, 20, 30, 5, 2, 3), "between 30 and");
    assertRefused(list(PLACE - 19, 20, 30), "one of 20 bytes at " + (PLACE - 19));
    assertRefused(list(PLACE + 1, 1, 1), "at " + (PLACE + 1));
    assertRefused(list(Long.MAX_VALUE, 20, 30), "at " + Long.MAX_VALUE);
  }

  @Test
  void framesThatCannotBeAreRefusedBeforeAnybodyTakesMemory() {
    assertRefused(list(10, 20, 1L << 42), "a frame of 4398046511104 bytes");
    assertRefused(list(10, 1L << 42, 20), "stored in 4398046511104");
    assertRefused(list(10, 0, 20), "stored in 0");
    assertRefused(list(10, 20, 1 << 27), "cannot be a frame of 134217728 bytes");
  }

  /** Those that segments of earlier releases have, and rescued ones. */
  @Test
  void framesOfWhichNobodyToldTheLevel() throws IOException {
    assertThat(read(list(10, 20, 30, 30, 20, 30)).all())
        .allSatisfy(frame -> assertThat(frame.effort()).isEmpty());
  }

  @Test
  void levelsAreThoseOfFramesThatAreThere() throws IOException {
    assertThat(read(listOfTwo(1)).all())
        .extracting(SegmentFrames.Frame::effort)
        .containsExactly(Optional.of(new Effort(6, "why")), Optional.empty());
    assertRefused(listOfTwo(3), "expected levels of 2 frames, found one of 3 behind 0");
    assertRefused(listOfTwo(2, 1), "found one of 1 behind 2");
    assertRefused(listOfTwo(0), "found one of 0");
  }

  private static RecordWriter listOfTwo(int... countsOfLevels) {
    RecordWriter out = RecordWriter.onHeap().putInt(SegmentFormat.FRAMES_TAG);
    long body = out.begin();
    long field = out.beginField(1);
    for (int i = 0; i < 2; i++) {
      out.putVarint(10 + 20 * i);
      info(20, 30).write(out);
    }
    out.end(field);
    field = out.beginField(3);
    for (int count : countsOfLevels) {
      out.putVarint(count);
      new Effort(6, "why").write(out);
    }
    return out.end(field).end(body).seal();
  }

  @Test
  void aCodecOfANewerReleaseIsNoDamage() {
    RecordWriter out = RecordWriter.onHeap().putInt(SegmentFormat.FRAMES_TAG);
    long body = out.begin();
    long field = out.beginField(1);
    out.putVarint(10).putVarint(20).putVarint(30).putByte(77);
    Digest.NONE.write(out);
    out.end(field).end(body).seal();
    assertThatThrownBy(() -> read(out))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContainingAll("codec number 77", "newer release");
  }

  @Test
  void listsThatAreCutOffOrOfAnotherSegmentAreRefused() {
    RecordWriter cut = RecordWriter.onHeap().putInt(SegmentFormat.FRAMES_TAG);
    long body = cut.begin();
    long field = cut.beginField(1);
    cut.putVarint(10).putVarint(20).putByte(1);
    assertRefused(cut.end(field).end(body).seal(), "");
    RecordWriter other = RecordWriter.onHeap().putInt(SegmentFormat.FOOTER_TAG);
    long fields = other.begin();
    assertRefused(other.end(fields).seal(), "a list of frames");
    assertThatThrownBy(() -> read(list(10, 20, 30), new Digest(1, 2)))
        .isInstanceOf(CorruptContainerException.class)
        .hasMessageContaining("found another one");
  }

  @Test
  void theListLiesBeforeTheFooter() throws IOException {
    for (long[] place :
        List.of(new long[] {90, 11}, new long[] {101, 0}, new long[] {5, 1L << 62})) {
      RecordWriter out = RecordWriter.onHeap();
      new SegmentFrames.Place(place[0], place[1], Digest.NONE).write(out);
      assertThatThrownBy(() -> SegmentFrames.Place.read(RecordReader.of(out.toArray(), FILE), 100))
          .isInstanceOf(CorruptContainerException.class)
          .hasMessageContaining("before the footer");
    }
    RecordWriter out = RecordWriter.onHeap();
    new SegmentFrames.Place(90, 10, Digest.NONE).write(out);
    assertThat(SegmentFrames.Place.read(RecordReader.of(out.toArray(), FILE), 100).offset())
        .isEqualTo(90);
  }
}
