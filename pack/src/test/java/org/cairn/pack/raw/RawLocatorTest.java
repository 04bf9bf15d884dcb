// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.raw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.Locators;
import org.cairn.pack.locate.MemorySource;
import org.cairn.pack.locate.Probe;
import org.cairn.pack.locate.Variable;
import org.cairn.testkit.random.SeededTest;
import org.cairn.transform.Elements;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Data are where the person who described them says, or the description is refused. */
class RawLocatorTest {
  private static final Elements DOUBLES = Elements.floats(8, ByteOrder.LITTLE_ENDIAN);
  private static final Elements FLOATS = Elements.floats(4, ByteOrder.BIG_ENDIAN);

  private static final String USUAL =
      """
      # two kinds of files
      [[file]]
      match = "chk_*.bin"

      [[file.array]]
      name = "density"
      type = "f64le"
      shape = [2, 3]
      offset = 16

      [[file.array]]          # behind density
      name = "/flow/u"
      type = "f32be"
      shape = [4, 5]
      order = "fortran"
      repeat = 2
      every = 100

      [[file]]
      match = "particles.{dat,raw}"

      [[file.array]]
      name = "p"
      type = "record24"
      repeat = "end"
      """;

  private static RawLocator locator(String toml) throws DescriptionException {
    return new RawLocator(Description.parse(toml, "chk.toml"));
  }

  private static MemorySource file(String name, int size) {
    return Probe.file(name, new byte[size]);
  }

  @Test
  void arraysAreWhereTheDescriptionHasThem() throws IOException {
    RawLocator locator = locator(USUAL);
    Variable u = new Variable("/flow/u", FLOATS, List.of(2L, 5L, 4L));
    assertThat(Probe.located(locator, file("chk_7.bin", 1000)))
        .containsExactly(
            Extent.whole(new Variable("/density", DOUBLES, List.of(2L, 3L)), 16, 48),
            new Extent(u, List.of(0L, 0L, 0L), List.of(1L, 5L, 4L), 64, 80, false),
            new Extent(u, List.of(1L, 0L, 0L), List.of(1L, 5L, 4L), 164, 80, false));
    Elements records = Elements.integers(24, ByteOrder.LITTLE_ENDIAN);
    assertThat(Probe.located(locator, file("particles.raw", 24 * 10 + 23)))
        .containsExactly(Extent.whole(new Variable("/p", records, List.of(10L)), 0, 240));
    assertThat(locator.recognises(file("chk_7.bin.old", 1000))).isFalse();
    assertThat(locator.recognises(file("", 1000))).isFalse();
  }

  @Test
  void whatTheFileHasNotIsNoted() throws IOException {
    Hints hints = Probe.hints(locator(USUAL), file("chk_7.bin", 200));
    assertThat(hints.extents()).hasSize(2);
    assertThat(hints.notes())
        .containsExactly(new Hints.Note(64, "/flow/u is there 1 times, and not 2"));
    Probe.refusedStrictly(file("chk_7.bin", 200), hints);
    assertThat(Probe.hints(locator(USUAL), file("chk_7.bin", 10)).extents()).isEmpty();
    assertThat(Probe.hints(locator(USUAL), file("particles.dat", 10)).notes()).isEmpty();
  }

  @Test
  void repeatedArraysWithGapsGoToTheEnd() throws IOException {
    RawLocator locator =
        locator(
            """
            [[file]]
            match = "*"
            [[file.array]]
            name = "u"
            type = "i16le"
            shape = [5]
            offset = 4
            every = 18
            repeat = "end"
            """);
    assertThat(Probe.located(locator, file("any", 4 + 18 * 3 + 10)))
        .extracting(Extent::offset)
        .containsExactly(4L, 22L, 40L, 58L);
    assertThat(Probe.located(locator, file("any", 4 + 18 * 3 + 9))).hasSize(3);
  }

  @Test
  void aDescriptionIsAskedBeforeFormats() throws IOException {
    Locators locators = Locators.installed().after(locator(USUAL));
    assertThat(locators.locate(file("chk_1.bin", 1000)).format()).contains("described");
    assertThat(locators.locate(file("chk_1.dat", 1000)).format()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "f16le, 2, true, little, <f2", "f32be, 4, true, big, >f4", "f64be, 8, true, big, >f8",
    "i16be, 2, false, big, >i2", "u32le, 4, false, little, <u4", "i64le, 8, false, little, <i8",
    "u8, 1, false, little, |u1", "i8, 1, false, little, |i1", "record7, 7, false, little, |V7"
  })
  void typesHaveShortNames(String name, int width, boolean floating, String order, String numpy) {
    ByteOrder bytes = order.equals("big") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    Elements elements = new Elements(width, bytes, floating);
    assertThat(TypeNames.parse(name)).contains(elements);
    assertThat(TypeNames.numpy(name, elements)).hasToString(numpy);
  }

  // ------------------------------------------------------------ refusals

  private static void refused(String toml, String message) {
    assertThatThrownBy(() -> Description.parse(toml, "chk.toml"))
        .isInstanceOf(DescriptionException.class)
        .hasMessageStartingWith(message);
  }

  /** An array with one line of its own. */
  private static String with(String line) {
    return "[[file]]\nmatch = '*'\n[[file.array]]\nname = 'u'\n" + line + "\n";
  }

  @Test
  void errorsHaveLineAndColumn() {
    refused("[[file]]\nmatch = ", "chk.toml, line 2, column 9: ");
    refused(
        "[[files]]\n", "chk.toml, line 1, column 1: \"files\" is no key here; there are [file]");
    refused("file = 3", "chk.toml, line 1, column 1: \"file\" is to be a list");
    refused("file = [3]", "chk.toml, line 1, column 1: \"file\" is to be tables, as [[file]]");
    refused("[[file]]\n", "chk.toml, line 1, column 1: \"match\" is missing");
    refused("[[file]]\nmatch = 3", "chk.toml, line 2, column 1: \"match\" is to be a text");
    refused("[[file]]\nmatch = '[a'", "chk.toml, line 2, column 1: no pattern");
    refused(
        with("tpye = 'f64le'"),
        "chk.toml, line 5, column 1: \"tpye\" is no key here; there are "
            + "[every, name, offset, order, repeat, shape, type]");
    refused(with(""), "chk.toml, line 3, column 1: \"type\" is missing");
    refused(with("type = 'f24le'"), "chk.toml, line 5, column 1: no type: \"f24le\"");
    refused(with("type = 'f64'"), "chk.toml, line 5, column 1: no type: \"f64\"");
    refused(with("type = 'record0'"), "chk.toml, line 5, column 1: no type");
    refused(with("type = 'record9999'"), "chk.toml, line 5, column 1: no type");
    refused(with("type = 'u8'\nshape = [3, 0]"), "chk.toml, line 6, column 1: \"shape\" is to be");
    refused(
        with("type = 'u8'\nshape = 3"), "chk.toml, line 6, column 1: \"shape\" is to be a list");
    refused(
        with("type = 'u8'\nshape = [4611686018427387904, 2]"),
        "chk.toml, line 6, column 1: more than 2^63 bytes");
    refused(with("type = 'u8'\noffset = -1"), "chk.toml, line 6, column 1: \"offset\" is to be");
    refused(with("type = 'u8'\nrepeat = 0"), "chk.toml, line 6, column 1: \"repeat\" is to be");
    refused(with("type = 'u8'\nrepeat = 'all'"), "chk.toml, line 6, column 1: neither a number");
    refused(with("type = 'f64le'\nevery = 7"), "chk.toml, line 6, column 1: \"every\" is to be");
    refused(with("type = 'u8'\norder = 'C'"), "chk.toml, line 6, column 1: neither \"c\" nor");
    refused(
        with("type = 'u8'\nrepeat = 9223372036854775807\nevery = 2"),
        "chk.toml, line 6, column 1: more than 2^63 bytes");
    refused(
        with("type = 'u8'\n[[file.array]]\nname = '/u'\ntype = 'u8'"),
        "chk.toml, line 7, column 1: there is an array of this name already");
    refused(
        with("type = 'u8'\nrepeat = 'end'\n[[file.array]]\nname = 'v'\ntype = 'u8'"),
        "chk.toml, line 7, column 1: the array before has no end");
  }

  @Test
  void aDescriptionIsReadFromAFile(@TempDir Path dir) throws IOException {
    Path path = Files.writeString(dir.resolve("chk.toml"), USUAL);
    assertThat(Description.read(path)).isEqualTo(Description.parse(USUAL, "elsewhere"));
    Files.writeString(path, "[[file]]");
    assertThatThrownBy(() -> Description.read(path)).hasMessageContaining(path + ", line 1");
  }

  @SeededTest(seeds = 10)
  void damagedDescriptionsAreRefusedOrMeanSomething(Random random) throws IOException {
    for (int i = 0; i < 30; i++) {
      char[] text = USUAL.toCharArray();
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        text[random.nextInt(text.length)] = (char) (' ' + random.nextInt(95));
      }
      try {
        Probe.survives(locator(new String(text)), file("chk_7.bin", random.nextInt(1000)));
      } catch (DescriptionException e) {
        assertThat(e).hasMessageMatching("(?s)chk.toml, line \\d+, column \\d+: .*");
      }
    }
  }
}
