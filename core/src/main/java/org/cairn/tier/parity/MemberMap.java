// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.parity;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.cairn.container.VersionImage;
import org.cairn.container.VersionView;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;

/**
 * All that is needed to understand and verify the bytes of a member: its version without the bytes,
 * and where they lie.
 *
 * <pre>
 * Map   → headBytes:u32 imageBytes:u32 Image Space
 * Whole → 0:u32 Map
 * Patch → 1:u32 digest:u128 head:counted tail:counted runs:u32 (offset:u32 bytes:counted){runs}
 * </pre>
 *
 * <p>A patch holds the head of the image and the space as they are, and of the digests those that
 * differ. The digest is that of the whole outcome: a patch that was applied to something else than
 * what it was made from is noticed.
 */
final class MemberMap {
  /** As long as an array can be: 16 bytes a block, and names. */
  static final int MAX_BYTES = Integer.MAX_VALUE - 8;

  private static final int WHOLE = 0;
  private static final int PATCH = 1;
  private static final int PREFIX = 8;

  /** Digests differ as a whole; shorter gaps between two that differ are sent along. */
  private static final int STEP = 16;

  private final byte[] bytes;
  private final int headBytes;
  private final VersionImage image;
  private final ByteSpace space;

  private MemberMap(byte[] bytes, int headBytes, VersionImage image, ByteSpace space) {
    this.bytes = bytes;
    this.headBytes = headBytes;
    this.image = image;
    this.space = space;
  }

  static MemberMap of(VersionView view, ByteSpace space) throws IOException {
    try (Arena arena = Supply.confinedArena()) {
      VersionImage image = VersionImage.of(view, arena);
      RecordWriter out = RecordWriter.onHeap();
      out.putInt(Math.toIntExact(image.headLength()));
      out.putInt(Math.toIntExact(image.bytes().byteSize()));
      out.putBytes(image.bytes().toArray(ValueLayout.JAVA_BYTE)).putBytes(space.write());
      return read(out.toArray(), "a map");
    }
  }

  static MemberMap read(byte[] bytes, String origin) throws IOException {
    return RecordReader.parse(
        bytes,
        origin,
        in -> {
          int headBytes = in.getInt();
          VersionImage image = VersionImage.read(in.getMemory(in.getCount(1)), origin);
          if (headBytes != image.headLength()) {
            throw in.corrupt("a head of %d bytes, not %d".formatted(headBytes, image.headLength()));
          }
          return new MemberMap(bytes, headBytes, image, ByteSpace.read(in));
        });
  }

  byte[] bytes() {
    return bytes;
  }

  VersionImage image() {
    return image;
  }

  ByteSpace space() {
    return space;
  }

  private int digestsAt() {
    return PREFIX + headBytes;
  }

  private int spaceAt() {
    return PREFIX + Math.toIntExact(image.bytes().byteSize());
  }

  /** As a message to somebody who has nothing. */
  byte[] whole() {
    return RecordWriter.onHeap().putInt(WHOLE).putBytes(bytes).toArray();
  }

  /** As a message to somebody who has {@code base}; whole if that is so different. */
  byte[] since(MemberMap base) {
    if (base.digestsAt() != digestsAt() || base.spaceAt() != spaceAt()) {
      return whole();
    }
    RecordWriter runs = RecordWriter.onHeap();
    int count = 0;
    for (int at = digestsAt(); at < spaceAt(); ) {
      int differs = Arrays.mismatch(bytes, at, spaceAt(), base.bytes, at, spaceAt());
      if (differs < 0) {
        break;
      }
      int from = at + differs / STEP * STEP;
      int to = Math.min(spaceAt(), from + STEP);
      while (to < spaceAt() && !sameStep(base, to)) {
        to = Math.min(spaceAt(), to + STEP);
      }
      runs.putInt(from).putCounted(Arrays.copyOfRange(bytes, from, to));
      count++;
      at = to;
    }
    RecordWriter out = RecordWriter.onHeap().putInt(PATCH);
    Digest.of(bytes).write(out);
    out.putCounted(Arrays.copyOfRange(bytes, 0, digestsAt()));
    out.putCounted(Arrays.copyOfRange(bytes, spaceAt(), bytes.length));
    byte[] patch = out.putInt(count).putBytes(runs.toArray()).toArray();
    return patch.length < bytes.length ? patch : whole();
  }

  private boolean sameStep(MemberMap base, int at) {
    int end = Math.min(spaceAt(), at + STEP);
    return Arrays.equals(bytes, at, end, base.bytes, at, end);
  }

  /** Whether a message needs the base that it was made from. */
  static boolean isPatch(byte[] message, String origin) throws IOException {
    return RecordReader.of(message, origin).getInt() == PATCH;
  }

  static MemberMap fromWhole(byte[] message, String origin) throws IOException {
    RecordReader in = RecordReader.of(message, origin);
    int kind = in.getInt();
    if (kind != WHOLE) {
      throw in.corrupt("expected a whole map, found a message of kind " + kind);
    }
    return read(in.getRest(), origin);
  }

  /** What becomes of this map with a patch. */
  MemberMap patched(byte[] patch, String origin) throws IOException {
    byte[] made =
        RecordReader.parse(
            patch,
            origin,
            in -> {
              in.getInt();
              Digest expected = Digest.read(in);
              byte[] outcome = apply(in);
              if (!Digest.of(outcome).equals(expected)) {
                throw in.corrupt("a patch that does not fit what it is a patch to");
              }
              return outcome;
            });
    return read(made, origin);
  }

  private byte[] apply(RecordReader in) throws IOException {
    byte[] head = in.getCounted();
    byte[] tail = in.getCounted();
    byte[] made = Arrays.copyOf(bytes, spaceAt() + tail.length);
    System.arraycopy(head, 0, made, 0, head.length);
    System.arraycopy(tail, 0, made, spaceAt(), tail.length);
    int runs = in.getCount(8);
    for (int i = 0; i < runs; i++) {
      int at = in.getInt();
      byte[] run = in.getCounted();
      System.arraycopy(run, 0, made, at, run.length);
    }
    return made;
  }
}
