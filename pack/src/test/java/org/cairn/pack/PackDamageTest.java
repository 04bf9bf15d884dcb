// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.frame.FrameOrder;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.random.Turn;
import org.cairn.tier.shared.SegmentFrames;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever happens to the bytes of a pack: what it gives is what went in, what it does not give it
 * names, and files whose bytes were not hit are there.
 */
class PackDamageTest {
  private static final List<String> NAMES = List.of("a", "b", "c");

  private static final boolean THOROUGH = Boolean.getBoolean(Turn.THOROUGH);
  private static final int EVERY_LENGTH = THOROUGH ? 1 : 53;
  private static final int EVERY_BIT = THOROUGH ? 1 : 173;

  @TempDir Path dir;
  private final Map<String, byte[]> files = new TreeMap<>();
  private final Workers workers = new Workers(1, "reading");
  private Path pack;
  private byte[] intact;
  private List<SegmentFrames.Frame> frames;

  @BeforeEach
  void makePack() throws IOException {
    Path in = Files.createDirectory(dir.resolve("in"));
    Random random = Seeds.content(7);
    for (String name : NAMES) {
      byte[] bytes = new byte[600];
      ByteBuffer numbers = ByteBuffer.wrap(bytes);
      for (int i = 0; i < 500; i += 4) {
        numbers.putInt(i, 1000 * name.charAt(0) + i + random.nextInt(2));
      }
      files.put(name, bytes);
      Files.write(in.resolve(name), bytes);
    }
    pack = dir.resolve("small.cairnpack");
    // One frame for each file.
    FrameOrder.Sizes sizes = new FrameOrder.Sizes(1, 1 << 16, 1 << 16);
    Packing.pack(in, pack, Packing.settings(FrameOrder.AGNOSTIC, sizes, Packing.BUDGET, 1));
    intact = Files.readAllBytes(pack);
    try (Pack open = Pack.open(pack)) {
      frames = open.frames();
    }
    assertThat(frames).hasSize(NAMES.size());
  }

  @AfterEach
  void stop() {
    workers.close();
  }

  /** What a pack gives and says. */
  private record Found(Set<String> whole, List<Pack.Damage> damages) {}

  /** Reads all; bytes that come out are those that went in, or this fails. */
  private Found read() throws IOException {
    try (Pack open = Pack.open(pack)) {
      Set<String> whole = new HashSet<>();
      List<Pack.Damage> damages = new ArrayList<>(open.lost());
      for (Pack.Member member : open.members()) {
        byte[] expected = files.get(member.file().name().toString());
        assertThat(expected).as("a file called %s", member.file().name()).isNotNull();
        List<Pack.Damage> found =
            open.read(List.of(member.all(new Comparing(member, expected))), workers, _ -> {});
        damages.addAll(found);
        if (found.isEmpty()) {
          whole.add(member.file().name().toString());
        }
      }
      assertThat(open.verify(workers, _ -> {})).hasSameSizeAs(damages);
      assertThat(open.verifyStored(_ -> {}).stream().map(Pack.Damage::file).distinct())
          .as("the quick look names the same files")
          .containsExactlyInAnyOrderElementsOf(damages.stream().map(Pack.Damage::file).toList());
      return new Found(whole, damages);
    }
  }

  private record Comparing(Pack.Member member, byte[] expected) implements VersionSource.Sink {
    @Override
    public void block(DatasetEntry dataset, int block, MemorySegment bytes) throws IOException {
      byte[] found = bytes.toArray(ValueLayout.JAVA_BYTE);
      member.forEachPlace(
          dataset,
          block,
          (offset, length) ->
              assertThat(found)
                  .isEqualTo(Arrays.copyOfRange(expected, (int) offset, (int) (offset + length))));
    }

    @Override
    public void zeros(DatasetEntry dataset, int first, int count) {
      throw new AssertionError("there are no zeros");
    }
  }

  /** Reads a pack that is not what it was. */
  private Found readDamaged() throws IOException {
    try {
      return read();
    } catch (CorruptContainerException | UnsupportedFormatException e) {
      assertThat(e).hasMessageContaining(pack.toString());
      return new Found(Set.of(), List.of());
    }
  }

  @Test
  void asItIsAllIsThere() throws IOException {
    Found found = read();
    assertThat(found.whole).containsExactlyInAnyOrderElementsOf(NAMES);
    assertThat(found.damages).isEmpty();
  }

  @Test
  void noCutOffPackIsRead() throws IOException {
    for (int length = 0; length < intact.length; length += EVERY_LENGTH) {
      Files.write(pack, Arrays.copyOf(intact, length));
      assertThat(readDamaged().whole).as("after %d bytes", length).isEmpty();
    }
  }

  @Test
  void everyChangedBitIsFoundAndCostsWhatItIsIn() throws IOException {
    for (int bit = 0; bit < 8 * intact.length; bit += EVERY_BIT) {
      byte[] changed = intact.clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(pack, changed);
      check(bit / 8, readDamaged());
    }
  }

  private void check(long at, Found found) {
    for (int i = 0; i < frames.size(); i++) {
      SegmentFrames.Frame frame = frames.get(i);
      if (at >= frame.offset() && at < frame.offset() + frame.info().storedLength()) {
        List<String> others = new ArrayList<>(NAMES);
        others.remove(i);
        assertThat(found.whole).as("byte %d", at).containsExactlyInAnyOrderElementsOf(others);
        assertThat(found.damages)
            .singleElement()
            .satisfies(
                damage -> assertThat(damage.file()).hasToString(NAMES.get(frames.indexOf(frame))))
            .satisfies(
                damage ->
                    assertThat(damage.what())
                        .contains(pack.toString(), "frame", "offset " + frame.offset()));
        return;
      }
    }
    long first = frames.getLast().offset() + frames.getLast().info().storedLength();
    if (at >= first && !found.whole.isEmpty()) { // an index
      assertThat(found.whole).as("byte %d", at).hasSize(NAMES.size() - 1);
      assertThat(found.damages).hasSize(1);
      assertThat(found.damages.getFirst().what()).contains(pack.toString(), "index of rank");
    } else {
      assertThat(found.whole).as("byte %d", at).isEmpty();
    }
  }

  /**
   * An index that is damaged costs the file that it is of: that is so of a third of what follows.
   */
  @Test
  void indicesStandAlone() throws IOException {
    long first = frames.getLast().offset() + frames.getLast().info().storedLength();
    byte[] changed = intact.clone();
    changed[(int) first + 40] ^= 1;
    Files.write(pack, changed);
    Found found = read();
    assertThat(found.whole).containsExactlyInAnyOrder("b", "c");
    assertThat(found.damages)
        .extracting(damage -> damage.file().toString())
        .containsExactly("(file 0)");
    Path out = Files.createDirectory(dir.resolve("out"));
    assertThat(Packing.unpack(pack, out, 1)).hasSize(1);
    Packing.assertOnly(out, "b", "c");
  }

  @Test
  void whatIsDamagedIsNotUnpackedAndTheRestIs() throws IOException {
    byte[] changed = intact.clone();
    changed[(int) frames.get(1).offset() + 5] ^= 1;
    Files.write(pack, changed);
    Path out = Files.createDirectory(dir.resolve("out"));
    assertThat(Packing.unpack(pack, out, 1))
        .extracting(damage -> damage.file().toString())
        .containsExactly("b");
    Packing.assertOnly(out, "a", "c");
    assertThat(Files.readAllBytes(out.resolve("c"))).isEqualTo(files.get("c"));
  }
}
