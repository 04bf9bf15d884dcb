// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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
import org.cairn.Compression;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.frame.FrameOrder;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.random.Thorough;
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

  private static final boolean THOROUGH = Boolean.getBoolean(Thorough.PROPERTY);
  private static final int EVERY_LENGTH = THOROUGH ? 1 : 53;
  private static final int EVERY_BIT = THOROUGH ? 3 : 173;

  private static final String ITSELF = "(the pack itself)";

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
      List<Pack.Damage> damages = new ArrayList<>(open.knownDamages());
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

  /** Where the indices of the files lie. */
  private record Index(int offset, int end) {
    boolean has(long at) {
      return at >= offset && at < end;
    }
  }

  /** By their tags: in so small a pack nothing else looks like one. */
  private List<Index> indices() {
    List<Index> found = new ArrayList<>();
    ByteBuffer bytes = ByteBuffer.wrap(intact).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < intact.length - 8; i++) {
      if (bytes.getInt(i) == 0x5844494D) {
        found.add(new Index(i, i + 8 + bytes.getInt(i + 4) + 16));
      }
    }
    assertThat(found).hasSize(NAMES.size());
    return found;
  }

  @Test
  @Thorough
  void cutOffPacksGiveTheFilesWhoseIndexIsLeft() throws IOException {
    List<Index> indices = indices();
    for (int length = 0; length < intact.length; length += EVERY_LENGTH) {
      Files.write(pack, Arrays.copyOf(intact, length));
      Set<String> left = new HashSet<>();
      for (int i = 0; i < NAMES.size(); i++) {
        if (indices.get(i).end <= length) {
          left.add(NAMES.get(i));
        }
      }
      Found found = readDamaged();
      assertThat(found.whole).as("after %d bytes", length).isEqualTo(left);
      if (!left.isEmpty()) {
        assertThat(namesOf(found.damages)).contains(ITSELF).hasSize(1 + NAMES.size() - left.size());
      }
    }
  }

  private static List<String> namesOf(List<Pack.Damage> damages) {
    return damages.stream().map(damage -> damage.file().toString()).toList();
  }

  @Test
  @Thorough
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
        assertLacks(i, at, found);
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
    List<Index> indices = indices();
    for (int i = 0; i < indices.size(); i++) {
      if (indices.get(i).has(at)) {
        assertLacks(i, at, found);
        assertThat(found.damages).hasSize(1);
        assertThat(found.damages.getFirst().what()).contains(pack.toString(), "index of rank");
        return;
      }
    }
    assertThat(found.whole).as("byte %d", at).containsExactlyInAnyOrderElementsOf(NAMES);
    assertThat(namesOf(found.damages)).as("byte %d", at).containsExactly(ITSELF);
    assertThat(found.damages.getFirst().what()).contains(pack.toString(), "3 of 3 files");
  }

  private static void assertLacks(int number, long at, Found found) {
    List<String> others = new ArrayList<>(NAMES);
    others.remove(number);
    assertThat(found.whole).as("byte %d", at).containsExactlyInAnyOrderElementsOf(others);
  }

  @Test
  void aPackWithoutItsFirstSectorIsFoundByItsEnd() throws IOException {
    byte[] changed = intact.clone();
    Arrays.fill(changed, 0, (int) frames.getFirst().offset(), (byte) 0);
    Files.write(pack, changed);
    assertThat(read().whole).containsExactlyInAnyOrderElementsOf(NAMES);
  }

  /** Frames of no bytes, as many as fit: each is looked at once, and read with others. */
  @Test
  void frameOfNothingAfterFrameOfNothingComesToAnEnd() throws IOException {
    int begin = (int) frames.getFirst().offset();
    byte[] nothing = {1, 0, 0, 0, 1, 0};
    byte[] all = Arrays.copyOf(intact, begin + 200_000 * nothing.length);
    for (int i = begin; i < all.length; i++) {
      all[i] = nothing[(i - begin) % nothing.length];
    }
    Files.write(pack, all);
    assertThatThrownBy(() -> Pack.open(pack))
        .isInstanceOf(CorruptContainerException.class)
        .hasMessageContaining(pack.toString());
  }

  /** Records of another pack are content, however much they look like ours. */
  @Test
  @Thorough
  void whatIsPackedInAPackIsNotTakenForIt() throws IOException {
    Path in = Files.createDirectory(dir.resolve("outer"));
    Files.write(in.resolve("inner"), intact);
    Files.write(in.resolve("other"), new byte[] {1, 2, 3});
    Path outer = dir.resolve("outer.cairnpack");
    Packing.pack(in, outer, Packing.settings().with(Compression.none()));
    byte[] whole = Files.readAllBytes(outer);
    for (int length = 1; length < whole.length; length += THOROUGH ? 1 : 7) {
      Files.write(outer, Arrays.copyOf(whole, length));
      try (Pack open = Pack.open(outer)) {
        for (Pack.Member member : open.members()) {
          assertThat(member.file().name().toString()).as("after %d", length).isIn("inner", "other");
        }
      } catch (CorruptContainerException e) {
        assertThat(e).hasMessageContaining(outer.toString());
      }
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
