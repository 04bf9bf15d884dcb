// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.npy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.FileSource;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.MemorySource;
import org.cairn.pack.locate.NumpyType;
import org.cairn.pack.locate.Probe;
import org.cairn.pack.locate.Python;
import org.cairn.pack.locate.Variable;
import org.cairn.testkit.random.SeededTest;
import org.cairn.transform.Elements;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The array of a .npy file is where its header says, and what it says. */
class NpyLocatorTest {
  private static final NpyLocator LOCATOR = new NpyLocator();

  @TempDir Path dir;

  private static MemorySource file(int version, String header, int dataBytes) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', (byte) version, 0});
    byte[] text = (header + "   \n").getBytes(StandardCharsets.UTF_8);
    int lengthBytes = version == 1 ? 2 : 4;
    for (int i = 0; i < lengthBytes; i++) {
      bytes.write(text.length >> 8 * i);
    }
    bytes.writeBytes(text);
    bytes.writeBytes(new byte[dataBytes]);
    return Probe.file("rho_0012.npy", bytes.toByteArray());
  }

  private static MemorySource file(String descr, String fortran, String shape, int dataBytes) {
    return file(
        1,
        "{'descr': %s, 'fortran_order': %s, 'shape': %s, }".formatted(descr, fortran, shape),
        dataBytes);
  }

  private static Variable variable(Elements elements, Long... shape) {
    return new Variable("/rho_#", elements, List.of(shape));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void anArrayIsBehindItsHeader(int version) throws IOException {
    MemorySource file =
        file(version, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 5), }", 120);
    Elements doubles = Elements.floats(8, ByteOrder.LITTLE_ENDIAN);
    assertThat(Probe.located(LOCATOR, file))
        .containsExactly(Extent.whole(variable(doubles, 3L, 5L), file.size() - 120, 120));
  }

  @Test
  void axesOfFortranAreReversed() throws IOException {
    MemorySource file = file("'>f4'", "True", "(2, 3L, 5)", 120);
    Elements floats = Elements.floats(4, ByteOrder.BIG_ENDIAN);
    assertThat(Probe.located(LOCATOR, file))
        .containsExactly(Extent.whole(variable(floats, 5L, 3L, 2L), file.size() - 120, 120));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "'<f2'; 2; little; true; <f2",
        "'>f8'; 8; big; true; >f8",
        "'<f16'; 16; little; false; <f16",
        "'|b1'; 1; little; false; |b1",
        "'|u1'; 1; little; false; |u1",
        "'>i2'; 2; big; false; >i2",
        "'<u4'; 4; little; false; <u4",
        "'>i8'; 8; big; false; >i8",
        "'<c8'; 8; little; false; <c8",
        "'<c16'; 16; little; false; <c16",
        "'<M8[ns]'; 8; little; false; <M8[ns]",
        "'|V12'; 12; little; false; |V12",
        "[('x', '<f8'), ('n', '>i4'), ('', '|V4')]; 16; little; false; |V16",
        "[('m', '<f4', (3, 2)), (('title', 'n'), '|S3'), ('u', '<U2')]; 35; little; false; |V35",
        "[('p', [('x', '<f8'), ('y', '<f8')], (2,)), ('k', '<i4', 3)]; 44; little; false; |V44",
      })
  void typesAreThoseOfNumPy(String descr, int width, String order, boolean floating, String type)
      throws IOException {
    // CsvSource takes quotes as its own.
    String quoted = descr.startsWith("[") || descr.startsWith("'") ? descr : "'" + descr + "'";
    ByteOrder bytes = order.equals("big") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    MemorySource file = file(quoted, "False", "(4,)", 4 * width);
    assertThat(Probe.located(LOCATOR, file))
        .containsExactly(
            Extent.whole(
                new Variable(
                    "/rho_#",
                    new Elements(width, bytes, floating),
                    new NumpyType(type),
                    List.of(4L)),
                file.size() - 4 * width,
                4 * width));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'<U4'",
        "'|O'",
        "'|S8'",
        "[('a', '<f8'), ('b', '|O')]",
        "[('a', '<f8', (1000000000, 1000000000))]",
        "'<x8'",
        "'<f99999999'",
        "[]",
        "[('a',)]",
        "17",
      })
  void textObjectsAndWhatIsNotKnownAreRest(String descr) throws IOException {
    Hints hints = Probe.hints(LOCATOR, file(descr, "False", "(4,)", 100));
    assertThat(hints.extents()).isEmpty();
    assertThat(hints.notes()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "{'descr': '<f8'",
        "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'fortran_order': 3, 'shape': (3,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), } x",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': ('a',), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999, 9999999999), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
        "{'descr': '<f8', 'fortran_order': False 'shape': (3,), }",
        "{('descr',): '<f8'}",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
        "{'descr\\",
        "(3,)",
      })
  void headersThatMakeNoSenseAreNoted(String header) throws IOException {
    Hints hints = Probe.hints(LOCATOR, file(1, header, 100));
    assertThat(hints.extents()).isEmpty();
    assertThat(hints.notes()).hasSize(1);
  }

  @Test
  void hostileHeadersTakeNoStackAndNoTime() throws IOException {
    Probe.survives(LOCATOR, file(2, "[".repeat(1_000_000), 0));
    Probe.survives(LOCATOR, file(2, "{" + "'AaAa':1,'BBBB':1,'AaBB':1,".repeat(10_000), 0));
    Hints hints = Probe.hints(LOCATOR, file(2, " ".repeat(1 << 20), 0));
    assertThat(hints.notes())
        .extracting(Hints.Note::text)
        .containsExactly("a header of 1,048,580 bytes");
  }

  @SeededTest(seeds = 40)
  void damageDoesNoHarm(Random random) throws IOException {
    String descr = random.nextBoolean() ? "'<f8'" : "[('x', '<f8', (2, 2)), ('y', [('z', '>i4')])]";
    MemorySource file = file(descr, "False", "(4, 3)", random.nextInt(500));
    Probe.survivesDamage(LOCATOR, file, random);
  }

  /** NumPy writes files; the bytes that were located are those of its arrays. */
  @Test
  void bytesAreThoseThatNumPyWrote() throws IOException {
    Python.run(
        dir,
        "numpy",
        """
        import numpy as np
        a = np.arange(60, dtype='<f8').reshape(3, 4, 5)
        np.save('c.npy', a)
        np.save('f.npy', np.asfortranarray(a))
        np.save('b.npy', a.astype('>i4'))
        np.save('s.npy', np.zeros(7, dtype=np.dtype([('x', 'f8'), ('n', 'i2')], align=True)))
        np.save('n.npy', np.zeros(7, dtype=[('\u00e4\u4e2d', 'f8'), ('n', 'i2', (3,))]))
        np.save('0.npy', np.float32(3))
        """);
    Extent c = only("c.npy", "/c");
    assertThat(c.variable().shape()).containsExactly(3L, 4L, 5L);
    assertThat(bytes("c.npy", c).getDouble(8 * 59)).isEqualTo(59);
    Extent f = only("f.npy", "/f");
    assertThat(f.variable().shape()).containsExactly(5L, 4L, 3L);
    assertThat(bytes("f.npy", f).getDouble(8)).isEqualTo(20);
    Extent b = only("b.npy", "/b");
    assertThat(b.variable().elements()).isEqualTo(Elements.integers(4, ByteOrder.BIG_ENDIAN));
    assertThat(bytes("b.npy", b).order(ByteOrder.BIG_ENDIAN).getInt(4 * 7)).isEqualTo(7);
    assertThat(only("s.npy", "/s").variable().elements().width()).isEqualTo(16);
    assertThat(only("n.npy", "/n").variable().elements().width()).isEqualTo(14);
    Extent scalar = only("0.npy", "/#");
    assertThat(bytes("0.npy", scalar).getFloat(0)).isEqualTo(3);
    assertThat(scalar.variable().shape()).isEmpty();
  }

  /** The array of a file, which ends with it. */
  private Extent only(String name, String variable) throws IOException {
    try (FileSource file = FileSource.open(dir.resolve(name))) {
      List<Extent> found = Probe.located(LOCATOR, file);
      assertThat(found).hasSize(1);
      Extent extent = found.getFirst();
      assertThat(extent.variable().name()).isEqualTo(variable);
      assertThat(extent.offset() + extent.length()).isEqualTo(file.size());
      return extent;
    }
  }

  private ByteBuffer bytes(String name, Extent extent) throws IOException {
    byte[] bytes = new byte[(int) extent.length()];
    try (FileSource file = FileSource.open(dir.resolve(name))) {
      file.read(extent.offset(), MemorySegment.ofArray(bytes));
    }
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
