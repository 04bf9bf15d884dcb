// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.cairn.Codec;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.codec.ZstdCompressor;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.cairn.testkit.random.SeededTest;
import org.cairn.transform.Elements;
import org.cairn.transform.Transform;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whatever is put into a frame comes out; whatever was not is an error. */
class FrameTest {
  private static final String FILE = "a.segment";
  private static final Elements DOUBLES = Elements.floats(8, ByteOrder.LITTLE_ENDIAN);

  private final FrameEncoder encoder = new FrameEncoder();
  private final FrameDecoder decoder = new FrameDecoder();

  @AfterEach
  void close() {
    encoder.close();
    decoder.close();
    Supply.uncontrolled();
  }

  /** A frame in memory. */
  private record Stored(FrameInfo info, byte[] bytes) {
    MemorySegment memory() {
      return MemorySegment.ofArray(bytes);
    }

    /** The same bytes with a checksum that is right. */
    static Stored of(byte[] bytes, long plainLength, Codec codec) {
      return new Stored(new FrameInfo(bytes.length, plainLength, codec, Digest.of(bytes)), bytes);
    }
  }

  private Stored encode(List<Piece> pieces, int level, MemorySegment target) {
    FrameInfo info = encoder.encode(pieces, level, target);
    return new Stored(info, target.asSlice(0, info.storedLength()).toArray(ValueLayout.JAVA_BYTE));
  }

  private Stored encode(List<Piece> pieces, int level) {
    return encode(pieces, level, Arena.ofAuto().allocate(FrameEncoder.mostStored(pieces)));
  }

  private byte[] decode(Stored stored) throws IOException {
    byte[] plain = new byte[(int) stored.info.plainLength()];
    decoder.decode(stored.memory(), stored.info, FILE, 700, MemorySegment.ofArray(plain));
    return plain;
  }

  private static List<Piece> one(byte[] bytes, Transform transform) {
    return List.of(new Piece(MemorySegment.ofArray(bytes), transform));
  }

  private static byte[] smooth(int count) {
    MemorySegment bytes = MemorySegment.ofArray(new byte[8 * count]);
    for (int i = 0; i < count; i++) {
      bytes.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8L * i, 3 + Math.sin(i * 1e-3));
    }
    return bytes.toArray(ValueLayout.JAVA_BYTE);
  }

  // ---------------------------------------------------------------- all comes back

  @SeededTest(seeds = 60)
  void whateverThePiecesAreTheyComeBack(Random random) throws IOException {
    List<Piece> pieces = Pieces.any(random);
    byte[] plain = Pieces.plain(pieces);
    Stored stored = encode(pieces, random.nextInt(8));
    assertThat(stored.info.plainLength()).isEqualTo(plain.length);
    assertThat(decode(stored)).isEqualTo(plain);
    readRanges(random, stored, plain);
  }

  private void readRanges(Random random, Stored stored, byte[] plain) throws IOException {
    decoder.open(stored.memory(), stored.info, FILE, 0);
    for (int i = 0; i < 8; i++) {
      int from = random.nextInt(plain.length + 1);
      int to = from + random.nextInt(plain.length - from + 1);
      byte[] part = new byte[to - from];
      decoder.read(from, MemorySegment.ofArray(part));
      assertThat(part).as("%d to %d", from, to).isEqualTo(Arrays.copyOfRange(plain, from, to));
    }
    assertThatThrownBy(() -> decoder.read(plain.length, MemorySegment.ofArray(new byte[1])))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @SeededTest(seeds = 12)
  void memoryOnTheHeapAndThatOfThePiecesIsAsGood(Random random) throws IOException {
    List<Piece> pieces = Pieces.any(random);
    byte[] plain = Pieces.plain(pieces);
    long most = FrameEncoder.mostStored(pieces);
    Stored onHeap = encode(pieces, 3, MemorySegment.ofArray(new byte[(int) most]));
    assertThat(onHeap.info).isEqualTo(encode(pieces, 3).info);
    MemorySegment shared = Arena.ofAuto().allocate(most);
    List<Piece> inside = new ArrayList<>();
    long at = 0;
    for (Piece piece : pieces) {
      long size = piece.bytes().byteSize();
      inside.add(new Piece(shared.asSlice(at, size).copyFrom(piece.bytes()), piece.transform()));
      at += size;
    }
    int level = random.nextInt(4);
    assertThat(decode(encode(inside, level, shared))).isEqualTo(plain);
  }

  /** Stored as they are, pieces move within their memory where they can, and else round about. */
  @SeededTest(seeds = 24)
  void whereverPiecesLieInTheTargetTheyAreReadBeforeItIsWritten(Random random) throws IOException {
    List<Piece> pieces = Pieces.any(random);
    byte[] plain = Pieces.plain(pieces);
    long most = FrameEncoder.mostStored(pieces);
    MemorySegment memory = Arena.ofAuto().allocate(4 * most + 64);
    List<Piece> inside = new ArrayList<>();
    long at = most + random.nextInt(3) - 1;
    boolean scattered = random.nextBoolean();
    for (Piece piece : scattered ? pieces.reversed() : pieces) {
      long size = piece.bytes().byteSize();
      inside.add(new Piece(memory.asSlice(at, size).copyFrom(piece.bytes()), piece.transform()));
      at += size;
    }
    if (scattered) {
      Collections.reverse(inside);
    }
    MemorySegment target = memory.asSlice(random.nextBoolean() ? most : most + 5);
    assertThat(decode(encode(inside, FrameEncoder.NO_LEVEL, target))).isEqualTo(plain);
  }

  @Test
  void smoothNumbersBecomeSmallAndNoiseHardlyGrows() throws IOException {
    byte[] smooth = smooth(100_000);
    Stored stored = encode(one(smooth, Transform.differences(DOUBLES, List.of(1), true)), 3);
    assertThat(stored.info.codec()).isEqualTo(Codec.ZSTD);
    assertThat(stored.bytes.length).isLessThan(smooth.length * 5 / 8);
    byte[] noise = new byte[20_000];
    new Random(1).nextBytes(noise);
    Stored raw = encode(one(noise, Transform.shuffle(DOUBLES)), 6);
    assertThat(raw.info.codec()).isEqualTo(Codec.NONE);
    assertThat(raw.bytes.length).isLessThan(noise.length + noise.length / 1000);
    assertThat(decode(raw)).isEqualTo(noise);
  }

  /** A frame that did not become smaller leaves zstd in the middle of it. */
  @Test
  void anEncoderGoesOnAfterNoise() throws IOException {
    byte[] noise = new byte[20_000];
    new Random(1).nextBytes(noise);
    for (int level : new int[] {6, 1, 9, 19, 3}) {
      assertThat(encode(one(noise, Transform.NONE), level).info.codec()).isEqualTo(Codec.NONE);
      byte[] smooth = smooth(1000 * level);
      assertThat(decode(encode(one(smooth, Transform.NONE), level + 1 > 19 ? 1 : level + 1)))
          .isEqualTo(smooth);
    }
  }

  @Test
  void whatRepeatsFromPieceToPieceIsStoredOnce() {
    byte[] table = new byte[1 << 20];
    new Random(2).nextBytes(table);
    Piece piece = new Piece(MemorySegment.ofArray(table), Transform.NONE);
    assertThat(encode(List.of(piece, piece, piece, piece), 1).bytes.length)
        .isLessThan(table.length + table.length / 50);
  }

  /** A twin from another machine becomes as small. */
  @Test
  void theByteOrderDoesNotMatter() {
    byte[] little = smooth(50_000);
    byte[] big = new byte[little.length];
    for (int i = 0; i < little.length; i++) {
      big[i] = little[i ^ 7];
    }
    Elements bigDoubles = Elements.floats(8, ByteOrder.BIG_ENDIAN);
    int one = encode(one(little, Transform.differences(DOUBLES, List.of(1), true)), 3).bytes.length;
    int two = encode(one(big, Transform.differences(bigDoubles, List.of(1), true)), 3).bytes.length;
    assertThat(two).isCloseTo(one, within(4));
  }

  @Test
  void onlyPiecesThatAreWantedAreBroughtBackAndOnlyOnce() throws IOException {
    List<Piece> pieces = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      pieces.add(
          new Piece(
              MemorySegment.ofArray(smooth(16_000)),
              Transform.differences(DOUBLES, List.of(1), true)));
    }
    Stored stored = encode(pieces, 1);
    decoder.open(stored.memory(), stored.info, FILE, 0);
    List<Long> taken = new ArrayList<>();
    Supply.controlledBy((_, amount) -> taken.add(amount));
    for (int i = 0; i < 8; i++) {
      decoder.read(5 * 128_000 + i * 16_000, MemorySegment.ofArray(new byte[16_000]));
    }
    assertThat(taken.stream().mapToLong(Long::longValue).sum())
        .as("memory for one piece and its transform, not for the frame")
        .isLessThan(4 * 128_000);
  }

  // ---------------------------------------------------------------- damage

  private static void isRefused(FrameTest test, Stored stored) {
    assertThatThrownBy(() -> test.decode(stored))
        .isInstanceOf(CorruptContainerException.class)
        .hasMessageContaining(FILE);
  }

  @Test
  void everyTruncationAndEveryBitFlipIsAnError() {
    for (int level : new int[] {0, 3}) {
      Stored stored =
          encode(one(smooth(60), Transform.differences(DOUBLES, List.of(1), true)), level);
      for (int length = 0; length < stored.bytes.length; length++) {
        isRefused(this, new Stored(stored.info, Arrays.copyOf(stored.bytes, length)));
      }
      isRefused(
          this, new Stored(stored.info, Arrays.copyOf(stored.bytes, stored.bytes.length + 1)));
      for (int bit = 0; bit < 8 * stored.bytes.length; bit++) {
        byte[] bytes = stored.bytes.clone();
        bytes[bit / 8] ^= (byte) (1 << bit % 8);
        isRefused(this, new Stored(stored.info, bytes));
      }
    }
  }

  /** Whoever changes bytes may change the checksum: other data may come out, but nothing breaks. */
  @Test
  void damageWithTheRightChecksumIsRefusedOrHarmless() {
    for (int level : new int[] {0, 3}) {
      Stored stored =
          encode(one(smooth(60), Transform.differences(DOUBLES, List.of(1), true)), level);
      int refused = 0;
      for (int bit = 0; bit < 8 * stored.bytes.length; bit++) {
        byte[] bytes = stored.bytes.clone();
        bytes[bit / 8] ^= (byte) (1 << bit % 8);
        try {
          byte[] plain = decode(Stored.of(bytes, 480, stored.info.codec()));
          assertThat(plain).hasSize(480);
        } catch (IOException e) {
          assertThat(e).hasMessageContaining(FILE);
          refused++;
        }
      }
      assertThat(refused).isGreaterThan(20);
      for (int length = 1; length < stored.bytes.length; length++) {
        isRefused(this, Stored.of(Arrays.copyOf(stored.bytes, length), 480, stored.info.codec()));
      }
      isRefused(
          this,
          Stored.of(
              Arrays.copyOf(stored.bytes, stored.bytes.length + 1), 480, stored.info.codec()));
    }
  }

  private static byte[] content(RecordWriter table, int plainLength) {
    return table.putBytes(new byte[plainLength]).toArray();
  }

  private void isRefused(RecordWriter table, int behind, long plainLength, String message) {
    byte[] content = content(table, behind);
    assertThatThrownBy(() -> decode(Stored.of(content, plainLength, Codec.NONE)))
        .isInstanceOf(CorruptContainerException.class)
        .hasMessageContaining(message);
  }

  private static RecordWriter table(long count, long... lengths) {
    RecordWriter out = RecordWriter.onHeap().putVarint(count);
    for (long length : lengths) {
      out.putVarint(length);
      Transform.NONE.write(out);
    }
    return out;
  }

  @Test
  void tablesThatDoNotFitAreRefused() {
    isRefused(table(Integer.MAX_VALUE, 10), 10, 10, "does not fit");
    isRefused(table(1L << 40, 10), 10, 10, "number of pieces");
    isRefused(table(1, Long.MAX_VALUE), 10, 10, "where 10 of 10 are left");
    isRefused(table(2, 6, 5), 10, 10, "where 4 of 10 are left");
    isRefused(table(2, 6, 3), 10, 10, "pieces of 9 bytes");
    isRefused(table(1, 10), 11, 10, "11 bytes behind the table");
    isRefused(table(1, 10), 4, 3, "where 3 of 3 are left");
    isRefused(table(3, 10, 0), 10, 10, "");
  }

  @Test
  void aTransformOfANewerReleaseIsNamedAsSuch() {
    for (int[] transform : new int[][] {{3, 0}, {200, 0}, {1, 8}}) {
      RecordWriter out = table(1);
      out.putVarint(10).putByte(transform[0]).putByte(transform[1]).putVarint(1).putVarint(0);
      assertThatThrownBy(() -> decode(Stored.of(content(out, 10), 10, Codec.NONE)))
          .isInstanceOf(UnsupportedFormatException.class)
          .hasMessageContaining("newer release")
          .hasMessageContaining(FILE);
    }
  }

  /** Nobody takes memory for a claim. */
  @Test
  void claimsThatCannotBeTakeNoMemory() {
    long[] taken = new long[1];
    byte[] few = Arrays.copyOf(encode(one(smooth(60), Transform.NONE), 3).bytes, 40);
    Supply.controlledBy((_, amount) -> taken[0] += amount);
    for (long plain : new long[] {1L << 40, Long.MAX_VALUE, -1, 1 << 27, 1 << 22}) {
      for (Codec codec : new Codec[] {Codec.NONE, Codec.ZSTD, Codec.LZ4}) {
        FrameInfo info = new FrameInfo(few.length, plain, codec, Digest.of(few));
        assertThatThrownBy(() -> decoder.open(MemorySegment.ofArray(few), info, FILE, 9))
            .isInstanceOf(CorruptContainerException.class)
            .hasMessageContaining("offset 9");
      }
    }
    assertThat(taken[0]).isLessThan(1000);
  }

  /** Header fields of a frame of 2 MiB that says it has a window of 2 GiB, or another size. */
  @Test
  void zstdFramesThatClaimMoreThanTheyMayAreRefusedWithoutMemory() {
    byte[] plain = new byte[1 << 20];
    Stored good = encode(one(plain, Transform.NONE), 1);
    long[] taken = new long[1];
    Supply.controlledBy((_, amount) -> taken[0] += amount);
    for (byte[] header :
        new byte[][] {
          {(byte) 0x80, (byte) (21 << 3), 8, 0, 16, 0}, // a window of 2 GiB
          {(byte) 0xE0, 0, 0, 0, 0, 0, 1, 0, 0}, // 1 TiB in one segment
          {(byte) 0xE0, -1, -1, -1, -1, -1, -1, -1, -1},
          {(byte) 0x81, 10 << 3, 1, 8, 0, 16, 0}, // a dictionary
          {0, 10 << 3}, // no size
        }) {
      byte[] bytes = good.bytes.clone();
      System.arraycopy(header, 0, bytes, 4, header.length);
      isRefused(this, Stored.of(bytes, plain.length, Codec.ZSTD));
    }
    assertThat(taken[0]).isLessThan(plain.length + 1000);
  }

  @Test
  void twoZstdFramesAreNotOne() {
    byte[] content = content(table(1, 5000), 5000);
    MemorySegment source = Arena.ofAuto().allocate(content.length);
    source.copyFrom(MemorySegment.ofArray(content));
    MemorySegment target = Arena.ofAuto().allocate(10_000);
    try (ZstdCompressor zstd = new ZstdCompressor()) {
      int first = (int) zstd.compress(source, target, 1);
      byte[] twice = Arrays.copyOf(target.toArray(ValueLayout.JAVA_BYTE), 2 * first);
      System.arraycopy(twice, 0, twice, first, first);
      isRefused(this, Stored.of(twice, 5000, Codec.ZSTD));
    }
  }

  @Test
  void aDecoderGoesOnAfterDamage() throws IOException {
    Stored good = encode(one(smooth(60), Transform.shuffle(DOUBLES)), 3);
    byte[] bytes = good.bytes.clone();
    bytes[20] ^= 1;
    isRefused(this, new Stored(good.info, bytes));
    assertThat(decode(good)).isEqualTo(smooth(60));
    assertThatThrownBy(() -> good.info.verify(MemorySegment.ofArray(bytes), FILE, 4))
        .isInstanceOf(CorruptContainerException.class)
        .hasMessageContaining("checksum");
    good.info.verify(good.memory(), FILE, 4);
  }

  @Test
  void whatIsKeptOutsideIsReadAsItWasWritten() throws IOException {
    FrameInfo info = new FrameInfo(100, 4000, Codec.ZSTD, new Digest(5, 6));
    RecordWriter out = RecordWriter.onHeap();
    info.write(out);
    assertThat(FrameInfo.read(RecordReader.of(out.toArray(), FILE))).isEqualTo(info);
    byte[] newer = out.toArray();
    newer[3] = 9;
    assertThatThrownBy(() -> FrameInfo.read(RecordReader.of(newer, FILE)))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("newer release");
    byte[] absurd = out.toArray();
    absurd[3] = (byte) Codec.NONE.id();
    assertThatThrownBy(() -> FrameInfo.read(RecordReader.of(absurd, FILE)))
        .isInstanceOf(CorruptContainerException.class);
  }

  /** The example of docs/design/aggregation.md. */
  @Test
  void aTableIsAsThePageHasIt() {
    MemorySegment numbers = MemorySegment.ofArray(new double[] {0, 1, 2, 3});
    RecordWriter out = RecordWriter.onHeap();
    FrameTable.write(
        List.of(
            new Piece(numbers, Transform.NONE),
            new Piece(numbers, Transform.differences(DOUBLES, List.of(1), true))),
        out);
    assertThat(HexFormat.ofDelimiter(" ").formatHex(out.toArray()))
        .isEqualTo("02 20 00 00 01 00 20 01 06 08 01 01");
  }

  @Test
  void tooManyPiecesAreRefused() {
    Piece empty = new Piece(MemorySegment.NULL, Transform.NONE);
    List<Piece> many = Collections.nCopies(FrameTable.MOST_PIECES + 1, empty);
    assertThatThrownBy(() -> encode(many, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThat(encode(many.subList(1, many.size()), 1).info.plainLength()).isZero();
  }
}
