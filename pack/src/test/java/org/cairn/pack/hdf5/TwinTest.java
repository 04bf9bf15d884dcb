// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.cairn.pack.locate.ByteSource;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.MalformedException;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever knows headers by their twin finds what one finds who takes each apart. */
class TwinTest {
  @TempDir private static Path folder;

  private static final List<Bytes> FILES = new ArrayList<>();

  @BeforeAll
  static void write() throws IOException {
    LibHdf5 library = LibHdf5.required();
    for (int version : new int[] {Zoo.EARLIEST, Zoo.V18, Zoo.V110}) {
      Zoo zoo = new Zoo(library, folder.resolve("twins" + version), version);
      for (int i = 0; i < 40; i++) {
        zoo.put("a" + i, zoo.doubles(), 2, 3);
        if (i % 10 == 0) {
          zoo.put("b" + i, zoo.type("STD_I16BE", 2), 3, 2);
          zoo.putEmpty("c" + i, zoo.doubles(), zoo.space(axes(2, 3), axes(2, 3)), Zoo.AS_USUAL);
          zoo.put("d" + i, zoo.doubles(), axes(2, 3), axes(2, 3), list -> zoo.chunk(list, 2, 3));
        }
      }
      Bytes bytes = zoo.close();
      assertThat(zoo.verify(bytes).extents()).hasSize(48);
      FILES.add(bytes);
    }
  }

  private static long[] axes(long... lengths) {
    return lengths;
  }

  @Test
  void stepsAreCountedAlike() throws IOException {
    for (Bytes file : FILES) {
      assertThat(messagesOf(file, true)).isEqualTo(messagesOf(file, false));
    }
  }

  /** The most steps with which a file is too large: steps count what is not looked at, too. */
  private static long messagesOf(Bytes file, boolean byTwins) throws IOException {
    long steps = 0;
    while (!locate(file, byTwins, ++steps, 1_000).complete) {
      // One more.
    }
    return steps;
  }

  @SeededTest(seeds = 400)
  void damageIsSeenAlike(Random random) throws IOException {
    byte[] bytes = FILES.get(random.nextInt(FILES.size())).bytes().clone();
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 1 + random.nextInt(40); i > 0; i--) {
      int at = random.nextInt(bytes.length - Long.BYTES);
      switch (random.nextInt(4)) {
        case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> bytes[at] = (byte) random.nextInt();
        case 2 -> bytes[at] = (byte) random.nextInt(20);
        default -> buffer.putShort(at, (short) random.nextInt(300));
      }
    }
    int length = random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length;
    Bytes damaged = new Bytes(Arrays.copyOf(bytes, length));
    long steps = random.nextInt(4) == 0 ? random.nextInt(400) : 50_000;
    int extents = random.nextInt(4) == 0 ? random.nextInt(48) : 1_000;
    Found expected = locate(damaged, false, steps, extents);
    Found found = locate(damaged, true, steps, extents);
    assertThat(found.complete).isEqualTo(expected.complete);
    assertThat(found.hints.extents()).isEqualTo(expected.hints.extents());
    assertThat(found.hints.notes()).isEqualTo(expected.hints.notes());
  }

  private record Found(Hints hints, boolean complete) {}

  private static Found locate(Bytes file, boolean byTwins, long steps, int extents)
      throws IOException {
    Hints hints = new Hints(steps, extents);
    try {
      new Hdf5Locator(byTwins).locate(file, hints);
      return new Found(hints, true);
    } catch (Hints.ExhaustedException e) {
      return new Found(hints, false);
    }
  }

  /** Pages that come and go, single ones and several at once, are those of the file. */
  @SeededTest(seeds = 20)
  void pagesAreThoseOfTheFile(Random random) throws IOException, MalformedException {
    byte[] bytes = new byte[random.nextInt(12 << 20) + 100];
    random.nextBytes(bytes);
    Pages pages = new Pages(new Bytes(bytes));
    long at = 0;
    for (int i = 0; i < 20_000; i++) {
      at = random.nextInt(3) == 0 ? random.nextInt(bytes.length) : at + random.nextInt(20_000);
      at = Math.min(at, bytes.length - Long.BYTES);
      long expected = 0;
      for (int k = 7; k >= 0; k--) {
        expected = expected << 8 | bytes[(int) at + k] & 0xFF;
      }
      if (pages.number(at, Long.BYTES) != expected) {
        throw new AssertionError("at " + at);
      }
      at = at >= bytes.length - 40_000 ? 0 : at;
    }
  }

  /** What cannot be read is not there the next time either. */
  @Test
  void pagesThatCannotBeReadStayUnread() throws IOException, MalformedException {
    byte[] bytes = new byte[1 << 20];
    Arrays.fill(bytes, (byte) 1);
    boolean[] fails = {false};
    ByteSource source =
        new ByteSource() {
          @Override
          public long size() {
            return bytes.length;
          }

          @Override
          public void read(long offset, MemorySegment target) throws IOException {
            if (fails[0]) {
              throw new IOException("no");
            }
            target.copyFrom(MemorySegment.ofArray(bytes).asSlice(offset, target.byteSize()));
          }
        };
    Pages pages = new Pages(source);
    for (int at : new int[] {0, 16 << 10, 80 << 10, 400 << 10}) {
      fails[0] = true;
      assertThatThrownBy(() -> pages.number(at, 1)).isInstanceOf(IOException.class);
      fails[0] = false;
      assertThat(pages.number(at, 1)).isEqualTo(1);
    }
  }
}
