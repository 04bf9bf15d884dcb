// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.cairn.Checkpointer;
import org.cairn.ElementType;
import org.cairn.Part;
import org.cairn.cli.Cli;
import org.cairn.comm.Ranks;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Arrays that are divided among ranks are written as one. */
class ExportArrayTest {
  private static final int RANKS = 3;
  private static final int COLUMNS = 5;

  @TempDir Path temp;
  private Path job;
  private Path file;

  /** Two rows each, and a row of a neighbour on either side that holds nothing of use. */
  @BeforeEach
  void save() {
    job = temp.resolve("job");
    file = temp.resolve("u.npy");
    Ranks.run(
        RANKS,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(job, comm)) {
            double[] u = new double[4 * COLUMNS];
            Arrays.setAll(
                u,
                i -> {
                  int row = i / COLUMNS;
                  return row == 0 || row == 3
                      ? Double.NaN
                      : 100 * (2 * comm.rank() + row - 1) + i % COLUMNS;
                });
            cairn
                .protect("u", u)
                .part(
                    Part.of(
                            new long[] {2 * RANKS, COLUMNS},
                            new long[] {2L * comm.rank(), 0},
                            new long[] {2, COLUMNS})
                        .halo(1, 0));
            cairn.protect("id", new long[] {comm.rank(), comm.rank()}).bag(1);
            cairn.protect("own", new int[] {comm.rank()});
            cairn.checkpoint();
          }
        });
  }

  private double[] doubles() throws IOException {
    Npy npy = Npy.read(file);
    double[] read = new double[npy.elements().remaining() / 8];
    npy.elements().asDoubleBuffer().get(read);
    return read;
  }

  @Test
  void theWholeArrayIsOneFile() throws IOException {
    Cli.Result result = Cli.run("export", job, "--dataset", "u", "--file", file);
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(Npy.read(file).shape()).isEqualTo("(6, 5)");
    double[] expected = new double[6 * COLUMNS];
    Arrays.setAll(expected, i -> 100 * (i / COLUMNS) + i % COLUMNS);
    assertThat(doubles()).isEqualTo(expected);
    assertThat(result.out()).contains("u", "double", "240 B");
  }

  @Test
  void aSliceIsWhatNumPyWouldTake() throws IOException {
    assertThat(
            Cli.run("export", job, "--dataset", "u", "--slice", "1:-1,3", "--file", file)
                .exitCode())
        .isZero();
    assertThat(Npy.read(file).shape()).isEqualTo("(4,)");
    assertThat(doubles()).containsExactly(103, 203, 303, 403);
    assertThat(
            Cli.run("export", job, "--dataset", "u", "--slice", "-1", "--file", file, "--force")
                .exitCode())
        .isZero();
    assertThat(doubles()).containsExactly(500, 501, 502, 503, 504);
  }

  @Test
  void allThatRanksHaveTogetherIsExported() throws IOException {
    Path out = temp.resolve("out");
    assertThat(Cli.run("export", job, "--to", out).exitCode()).isZero();
    try (Stream<Path> files = Files.list(out)) {
      assertThat(files.map(one -> one.getFileName().toString()))
          .containsExactlyInAnyOrder("u.npy", "id.npy");
    }
    assertThat(Npy.read(out.resolve("id.npy")).elements().getLong(8 * 4)).isEqualTo(2);
  }

  private Cli.Result ofVersion(String version) {
    return Cli.run("export", job, "--version", version, "--dataset", "u", "--file", file);
  }

  @Test
  void whatCannotBeSaysWhy() throws IOException {
    assertThat(Cli.run("export", job, "--dataset", "own", "--file", file).err())
        .contains("have u, id together", "--rank");
    assertThat(Cli.run("export", job, "--dataset", "u", "--slice", "0:9", "--file", file).err())
        .contains("axis 0 of u: double[6][5] has elements 0 to 5");
    assertThat(Cli.run("export", job, "--dataset", "u", "--slice", "4:-4", "--file", file).err())
        .contains("axis 0 of u: double[6][5] would end at 2, before it begins at 4");
    assertThat(Cli.run("export", job, "--dataset", "u", "--slice", "1,2,3", "--file", file).err())
        .contains("has 3 axes");
    assertThat(Cli.run("export", job, "--dataset", "u", "--slice", "x", "--file", file).err())
        .contains("\"x\" is no part of an axis");
    assertThat(
            Cli.run("export", job, "--rank", "1", "--dataset", "u", "--slice", "1", "--file", file)
                .err())
        .contains("not with --rank");
    assertThat(ofVersion("7.7").err()).contains("has no version 7.7; it has 1.1");
    assertThat(Cli.run("export", job, "--dataset", "u", "--file", temp.resolve("no/u.npy")).err())
        .contains("no/u.npy cannot be written", "no is no folder")
        .doesNotContain(".part");
    assertThat(Cli.run("diff", job, "7.7", "1.1", "--dataset", "u").err())
        .contains("has no version 7.7; it has 1.1");
    assertThat(file).doesNotExist();
    Path lost = temp.resolve("lost");
    Files.move(job.resolve("rank1"), lost);
    Cli.Result result = Cli.run("export", job, "--dataset", "u", "--file", file);
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("no version of which every rank is there", "[0, 2] are here");
    assertThat(ofVersion("7.7").err()).contains("has no version 7.7; it has 1.1");
    assertThat(file).doesNotExist();
  }

  @Test
  void oneRankIsExportedAsItIs() throws IOException {
    assertThat(Cli.run("export", job, "--rank", "1", "--dataset", "u", "--file", file).exitCode())
        .isZero();
    assertThat(Npy.read(file).shape()).isEqualTo("(4, 5)");
  }

  @Test
  void showTellsHowArraysAreDivided() {
    Cli.Result result = Cli.run("show", job);
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out())
        .contains(
            "Array u of version 1.1: double[6][5], 240 B, in 3 parts",
            "rank 1  [2:4, 0:5]",
            "Array id of version 1.1: long[6]");
    assertThat(Cli.run("show", "--json", job).out()).contains("\"part\" : \"[2:4, 0:5]\"");
  }

  @Test
  void paraViewFindsTheElementsBehindTheHead() throws IOException {
    Path vti = temp.resolve("u.vti");
    assertThat(Cli.run("export", job, "--dataset", "u", "--file", vti).exitCode()).isZero();
    byte[] bytes = Files.readAllBytes(vti);
    String text = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
    assertThat(text)
        .contains("WholeExtent=\"0 4 0 5 0 0\"", "type=\"Float64\" Name=\"u\"")
        .endsWith("</VTKFile>\n");
    ByteBuffer data = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int start = text.indexOf("\n_") + 2;
    assertThat(data.getLong(start)).isEqualTo(240);
    assertThat(data.getDouble(start + 8 + 8 * 7)).isEqualTo(102);
  }

  @Test
  void xdmfSaysWhatIsInTheFileBesideIt() throws Exception {
    Path xdmf = temp.resolve("my u.xdmf");
    Cli.Result result = Cli.run("export", job, "--dataset", "u", "--file", xdmf);
    assertThat(result.exitCode()).as(result.err()).isZero();
    Element item = (Element) xml(xdmf).getElementsByTagName("DataItem").item(2);
    assertThat(item.getAttribute("NumberType")).isEqualTo("Float");
    assertThat(item.getAttribute("Precision")).isEqualTo("8");
    assertThat(item.getAttribute("Endian")).isEqualTo("Little");
    assertThat(item.getAttribute("Dimensions")).isEqualTo("1 6 5");
    Path raw = temp.resolve(item.getTextContent());
    assertThat(result.out()).contains("my u.xdmf, ", raw.toString());
    ByteBuffer elements = ByteBuffer.wrap(Files.readAllBytes(raw)).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(elements.remaining()).isEqualTo(240);
    for (int i = 0; i < 30; i++) {
      assertThat(elements.getDouble(8 * i)).isEqualTo(100 * (i / COLUMNS) + i % COLUMNS);
    }
    NodeList said = xml(xdmf).getElementsByTagName("Information");
    Map<String, String> attributes = new HashMap<>();
    for (int i = 0; i < said.getLength(); i++) {
      Element one = (Element) said.item(i);
      attributes.put(one.getAttribute("Name"), one.getAttribute("Value"));
    }
    assertThat(attributes).containsEntry("step", "1").containsEntry("shape", "[6, 5]");
    assertThat(attributes.get("version")).startsWith("1.1@");
    assertThat(Cli.run("export", job, "--dataset", "u", "--file", xdmf).err())
        .contains("--force replaces it");
    Files.delete(xdmf);
    assertThat(Cli.run("export", job, "--dataset", "u", "--file", xdmf).err())
        .contains(raw.toString(), "--force replaces it");
    assertThat(xdmf).doesNotExist();
  }

  private static Document xml(Path file) throws Exception {
    return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
  }

  @Test
  void xdmfIsRefusedBeforeAnythingIsWritten() throws IOException {
    Path out = temp.resolve("out");
    assertThat(Cli.run("export", job, "--format", "xdmf", "--to", out).err())
        .contains("an .xdmf file has 2 or 3 axes", "id has shape [6]");
    assertThat(out).doesNotExist();
    Exportable opaque =
        new Exportable("o", ElementType.OPAQUE, List.of(2L, 3L), 6, DatasetFile.Content.NONE);
    assertThatThrownBy(() -> Xdmf.of(opaque, Path.of("o.raw"), 1, Map.of()))
        .hasMessageContaining("--format raw has its bytes");
  }

  /** Who finds the one finds the other, whatever happens in between. */
  @Test
  void noXdmfSpeaksOfElementsThatAreNotThere() throws IOException {
    Path xdmf = temp.resolve("u.xdmf");
    assertThat(Cli.run("export", job, "--dataset", "u", "--file", xdmf).exitCode()).isZero();
    Files.delete(temp.resolve("u.raw"));
    Files.createDirectories(temp.resolve("u.raw/in the way"));
    Cli.Result result = Cli.run("export", job, "--dataset", "u", "--file", xdmf, "--force");
    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(xdmf).doesNotExist();
    try (Stream<Path> files = Files.list(temp)) {
      assertThat(files.map(one -> one.getFileName().toString()))
          .doesNotContain("u.xdmf")
          .noneMatch(name -> name.endsWith(".part"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "DOUBLE, Float, 8",
    "FLOAT, Float, 4",
    "LONG, Int, 8",
    "INT, Int, 4",
    "SHORT, Short, 2",
    "CHAR, UShort, 2",
    "BYTE, Char, 1",
    "BOOLEAN, UChar, 1"
  })
  void xdmfHasNumbersOfAllKinds(ElementType type, String number, int precision) {
    Exportable array =
        new Exportable(
            "<u & \"v\">\uD800", type, List.of(4L, 2L, 3L), 24, DatasetFile.Content.NONE);
    String text = new String(Xdmf.of(array, Path.of("u.raw"), 7, Map.of("a", "b")), UTF_8);
    assertThat(text)
        .contains(
            "NumberType=\"%s\" Precision=\"%d\"".formatted(number, precision),
            "Dimensions=\"4 2 3\">u.raw<",
            "Name=\"&lt;u &amp; &quot;v&quot;&gt;?\"",
            "<Time Value=\"7\"/>");
  }

  /** Known values of Jenkins's hash, from its author's page. */
  @Test
  void metadataOfHdf5HasItsChecksum() {
    assertThat(Hdf5Head.checksum(new byte[0], 0, 0)).isEqualTo(0xdeadbeef);
    byte[] text = "Four score and seven years ago".getBytes(US_ASCII);
    assertThat(Hdf5Head.checksum(text, 0, text.length)).isEqualTo(0x17770551);
  }

  /** Our own locator finds it, and HDF5's tools, which set-up installs. */
  @Test
  void hdf5FindsTheArrayAndItsAttributes() throws Exception {
    Path h5 = temp.resolve("u.h5");
    assertThat(Cli.run("export", job, "--dataset", "u", "--file", h5).exitCode()).isZero();
    Path pack = temp.resolve("u.cairnpack");
    assertThat(Cli.run("pack", h5, "-o", pack).exitCode()).isZero();
    assertThat(
            Cli.run("export", pack, "--member", "u.h5", "--dataset", "/u", "--file", file)
                .exitCode())
        .isZero();
    assertThat(Npy.read(file).shape()).isEqualTo("(6, 5)");
    assertThat(doubles()).contains(0, 504).doesNotContain(Double.NaN);
    Process dump = new ProcessBuilder("h5dump", h5.toString()).redirectErrorStream(true).start();
    String text = new String(dump.getInputStream().readAllBytes(), US_ASCII);
    assertThat(dump.waitFor()).as(text).isZero();
    assertThat(text)
        .contains(
            "H5T_IEEE_F64LE", "( 6, 5 )", "ATTRIBUTE \"version\"", "\"1.1@", "(5,0): 500, 501")
        .containsPattern("\"shape\" \\{\\s+DATATYPE +H5T_STD_I64LE\\s[^:]+: 6, 5\\s")
        .containsPattern("\"step\" \\{\\s+DATATYPE +H5T_STD_I64LE\\s[^:]+: 1\\s");
  }

  @Test
  void aFieldIsDrawn() throws IOException {
    Path png = temp.resolve("u.png");
    Cli.Result result = Cli.run("export", job, "--dataset", "u", "--png", png);
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).contains("Colours go from 0.0 to 504.0");
    java.awt.image.BufferedImage image = javax.imageio.ImageIO.read(png.toFile());
    assertThat(image.getWidth()).isEqualTo(5);
    assertThat(image.getHeight()).isEqualTo(6);
    assertThat(image.getRGB(0, 0) & 0xFFFFFF).isEqualTo(0x440154);
    assertThat(image.getRGB(4, 5) & 0xFFFFFF).isEqualTo(0xFDE725);
    assertThat(Cli.run("export", job, "--dataset", "id", "--png", temp.resolve("x.png")).err())
        .contains("a picture has two axes");
  }

  @Test
  void statisticsAreThoseOfTheWholeArrayAndNotOfGhosts() {
    Cli.Result result = Cli.run("show", "--stats", job);
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).containsPattern("u +double +\\[6, 5] +0.0 +504.0 +252.0 +0");
    assertThat(Cli.run("show", "--stats", "--json", job).out()).contains("\"mean\" : 252.0");
  }

  @Test
  void aDifferenceIsToldInPlacesOfTheWholeArray() {
    Ranks.run(
        RANKS,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(job, comm)) {
            double[] u = new double[4 * COLUMNS];
            long[] ids = new long[2];
            int[] own = new int[1];
            cairn
                .protect("u", u)
                .part(
                    Part.of(
                            new long[] {2 * RANKS, COLUMNS},
                            new long[] {2L * comm.rank(), 0},
                            new long[] {2, COLUMNS})
                        .halo(1, 0));
            cairn.protect("id", ids).bag(1);
            cairn.protect("own", own);
            cairn.restart();
            Arrays.fill(u, 0, COLUMNS, 7); // a ghost
            if (comm.rank() > 0) {
              u[COLUMNS + 2] += comm.rank();
            }
            cairn.checkpoint();
          }
        });
    Cli.Result result = Cli.run("diff", job, "1.1", "2.2", "--dataset", "u");
    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out()).contains("2 of 30 elements changed", "[2:5, 2:3]", "2.0 at [4, 2]");
    assertThat(Cli.run("diff", job, "1.1", "2.2", "--dataset", "id").out()).contains("is the same");
    assertThat(Cli.run("diff", job, "1.1", "2.2", "--dataset", "u", "--exit-code").exitCode())
        .isEqualTo(1);
    assertThat(Cli.run("diff", job, "1.1", "2.2", "--dataset", "own").err())
        .contains("no array own together; they have u, id");
  }

  private void saveLongs(Path to, long[] all) {
    Ranks.run(
        2,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(to, comm)) {
            long[] own = new long[2];
            cairn
                .protect("n", own)
                .part(Part.of(new long[] {4}, new long[] {2L * comm.rank()}, new long[] {2}));
            cairn.restart();
            System.arraycopy(all, 2 * comm.rank(), own, 0, 2);
            cairn.checkpoint();
          }
        });
  }

  /** As {@code double} these are all the same. */
  @Test
  void largeIntegersAreNotRounded() {
    Path longs = temp.resolve("longs");
    long large = 1L << 62;
    saveLongs(longs, new long[] {large - 1, large, large + 1, large});
    saveLongs(longs, new long[] {large - 1, large, large + 2, large});
    assertThat(Cli.run("show", "--stats", longs).out())
        .containsPattern("n +long +\\[4] +" + (large - 1) + " +" + (large + 2) + " +4.6\\d+E18 +0");
    assertThat(Cli.run("diff", longs, "1.1", "2.2", "--dataset", "n").out())
        .contains("1 of 4 elements", "the largest difference is 1 at [2]");
    var figures = Cli.run("show", "--stats", "--json", longs).json().get("arrays").get(0);
    assertThat(figures.get("figures").get("min").toString()).isEqualTo("" + (large - 1));
  }

  @Test
  void integersMayBeAsFarApartAsTheyCan() {
    Path longs = temp.resolve("longs");
    saveLongs(longs, new long[] {Long.MIN_VALUE, -3, 0, Long.MAX_VALUE});
    saveLongs(longs, new long[] {Long.MAX_VALUE, -3, 1, Long.MAX_VALUE});
    assertThat(Cli.run("show", "--stats", "--version", "1.1", longs).out())
        .contains(" " + Long.MIN_VALUE + " ", " " + Long.MAX_VALUE + " ");
    assertThat(Cli.run("diff", longs, "1.1", "2.2", "--dataset", "n").out())
        .contains("the largest difference is 18446744073709551615 at [0]");
    var difference =
        Cli.run("diff", longs, "1.1", "2.2", "--dataset", "n", "--json").json().get("largest");
    assertThat(difference.toString()).isEqualTo("18446744073709551615");
  }

  @Test
  void integersThatAreTheSameDifferByZero() {
    Path longs = temp.resolve("longs");
    saveLongs(longs, new long[] {1, -3, 0, 5});
    saveLongs(longs, new long[] {1, -3, 0, 5});
    assertThat(Cli.run("show", "--stats", longs).out()).containsPattern("\\[4] +-3 +5 +0.75 +0");
    assertThat(
            Cli.run("diff", longs, "1.1", "2.2", "--dataset", "n", "--json")
                .json()
                .get("largest")
                .toString())
        .isEqualTo("0");
  }
}
