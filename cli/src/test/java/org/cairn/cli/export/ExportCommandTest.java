// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.Codec;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.cli.Cli;
import org.cairn.cli.ContainerByHand;
import org.cairn.cli.Damage;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.DatasetPlan;
import org.cairn.container.StagedBlocks;
import org.cairn.hash.Hashers;
import org.cairn.version.DatasetSpec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportCommandTest {
  @TempDir Path temp;
  private Path checkpoints;
  private Path out;

  @BeforeEach
  void setUp() {
    checkpoints = temp.resolve("checkpoints");
    out = temp.resolve("deep/target");
  }

  @Test
  void everyTypeComesBack() throws IOException {
    double[] doubles = new Random(1).doubles(5000).toArray();
    writeEveryType(doubles);

    Cli.Result result = Cli.run("export", checkpoints, "--to", out);

    assertThat(result.exitCode()).as(result.err()).isZero();
    Npy npy = Npy.read(out.resolve("doubles.npy"));
    double[] read = new double[5000];
    npy.elements().asDoubleBuffer().get(read);
    assertThat(read).isEqualTo(doubles);
    assertThat(npy.shape()).isEqualTo("(50, 100)");
    assertThat(npy.type()).isEqualTo("<f8");
    assertThat(Npy.read(out.resolve("floats.npy")).elements().asFloatBuffer().get(1))
        .isEqualTo(-0.5f);
    assertThat(Npy.read(out.resolve("longs.npy")).elements().getLong(8)).isEqualTo(Long.MIN_VALUE);
    assertThat(Npy.read(out.resolve("ints.npy")).elements().getInt(4)).isEqualTo(-7);
    assertThat(Npy.read(out.resolve("shorts.npy")).elements().getShort(2)).isEqualTo((short) -8);
    assertThat(Npy.read(out.resolve("chars.npy")).type()).isEqualTo("<u2");
    assertThat(Npy.read(out.resolve("booleans.npy")).elements().get(1)).isEqualTo((byte) 1);
    assertThat(Npy.read(out.resolve("bytes.npy")).type()).isEqualTo("|i1");
    assertThat(Npy.read(out.resolve("opaque.npy")).elements().remaining()).isEqualTo(3);
    assertThat(Npy.read(out.resolve("nothing.npy")).shape()).isEqualTo("(0,)");
    assertThat(Npy.read(out.resolve("zeros.npy")).elements().remaining()).isEqualTo(800_000);
    assertThat(Npy.read(out.resolve("coded.npy")).elements().getInt(4 * 9999)).isEqualTo(9999 / 7);
  }

  @Test
  void aFormatThatIsNoneIsTold() {
    writeEveryType(new double[5000]);

    Cli.Result unknown = Cli.run("export", checkpoints, "--format", "hdf5", "--to", out);
    Cli.Result other =
        Cli.run(
            "export",
            checkpoints,
            "--format",
            "npy",
            "--dataset",
            "longs",
            "--file",
            temp + "/x.h5");

    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err())
        .contains("'hdf5' is no format that can be written; there are npy, h5, vti, xdmf, raw")
        .contains("did you mean h5?");
    assertThat(other.exitCode()).isEqualTo(2);
    assertThat(other.err()).contains("do not agree");
    assertThat(temp.resolve("x.h5")).doesNotExist();
  }

  @Test
  void pythonReadsWhatWasExported() throws Exception {
    writeEveryType(new Random(1).doubles(5000).toArray());
    Path file = temp.resolve("d's.npy");

    Cli.Result result =
        Cli.run("export", checkpoints, "--dataset", "doubles", "--file", file, "--python");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out().lines()).hasSize(5).contains("import numpy as np");
    assertThat(result.out()).contains("doubles = np.load('" + temp + "/d\\'s.npy', mmap_mode='r')");
    Cli.Result raw =
        Cli.run(
            "export", checkpoints, "--dataset", "doubles", "--file", temp + "/d.raw", "--python");
    assertThat(raw.out()).contains("dtype='<f8', mode='r', shape=(50, 100,))");
    assertThat(Cli.run("export", checkpoints, "--to", out, "--format", "vti", "--python").err())
        .contains("--python is for npy, h5 and raw");
    for (String script : List.of(result.out(), raw.out())) {
      Process python =
          new ProcessBuilder("python3", "-c", script).redirectErrorStream(true).start();
      String said = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assumeTrue(!said.contains("No module named 'numpy'"), "NumPy is missing");
      assertThat(python.waitFor()).as(said).isZero();
      assertThat(said).contains("doubles float64 (50, 100)");
    }
  }

  private void writeEveryType(double[] doubles) {
    int[] coded = new int[10_000];
    java.util.Arrays.setAll(coded, i -> i / 7);
    try (Checkpointer cairn = Checkpointer.open(checkpoints)) {
      cairn.protect("doubles", doubles).shape(50, 100);
      cairn.protect("floats", new float[] {1, -0.5f});
      cairn.protect("longs", new long[] {1, Long.MIN_VALUE});
      cairn.protect("ints", new int[] {1, -7});
      cairn.protect("shorts", new short[] {1, -8});
      cairn.protect("chars", new char[] {'a', 'ß'});
      cairn.protect("booleans", new boolean[] {false, true});
      cairn.protect("bytes", new byte[] {1, -1});
      cairn.protect("nothing", new double[0]);
      cairn.protect("zeros", new double[100_000]);
      cairn.protect("coded", coded).codec(Codec.DEFLATE);
      cairn.protectOpaque("opaque", () -> new byte[] {1, 2, 3}, bytes -> {});
      cairn.checkpoint();
    }
  }

  @Test
  void numpyReadsTheFiles() throws Exception {
    assumeTrue(python("import numpy") == 0, "python3 with numpy is not installed");
    double[] doubles = new Random(1).doubles(5000).toArray();
    writeEveryType(doubles);

    assertThat(Cli.run("export", checkpoints, "--to", out).exitCode()).isZero();

    double sum = 0;
    for (double value : doubles) {
      sum += value;
    }
    assertThat(
            python(
                """
                import numpy, glob
                d = {f.split('/')[-1][:-4]: numpy.load(f) for f in glob.glob('%s/*.npy')}
                assert len(d) == 12
                assert d['doubles'].shape == (50, 100) and d['doubles'].dtype == 'float64'
                s = 0.0
                for x in d['doubles'].flat: s += x
                assert s == %s
                assert d['longs'][1] == -2**63 and d['shorts'][1] == -8
                assert list(d['booleans']) == [False, True] and d['booleans'].dtype == bool
                assert chr(d['chars'][1]) == '\\u00df'
                assert d['nothing'].shape == (0,) and not d['zeros'].any()
                assert d['coded'][9999] == 9999 // 7 and bytes(d['opaque']) == b'\\1\\2\\3'
                """
                    .formatted(out, sum)))
        .isZero();
  }

  private static int python(String code) throws Exception {
    try {
      Process process =
          new ProcessBuilder("python3", "-c", code)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      return process.waitFor(60, TimeUnit.SECONDS) ? process.exitValue() : -1;
    } catch (IOException e) {
      return -1;
    }
  }

  @Test
  void rawFilesAreTheBareElements() throws IOException {
    writeTwoVersions();

    Cli.Result result =
        Cli.run(
            "export",
            checkpoints,
            "--format",
            "raw",
            "--version",
            "1.1",
            "--dataset",
            "u",
            "--to",
            out);

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(files(out)).containsExactly("u.raw");
    assertThat(Files.readAllBytes(out.resolve("u.raw"))).hasSize(80).startsWith(0, 0, 0);
  }

  @Test
  void oneDatasetGoesToANamedFile() throws IOException {
    writeTwoVersions();
    Path file = temp.resolve("here.bin");

    assertThat(Cli.run("export", checkpoints, "--dataset", "u", "--file", file).exitCode())
        .isZero();

    assertThat(Npy.read(file).elements().order(ByteOrder.LITTLE_ENDIAN).getDouble(8))
        .isEqualTo(2.5);
  }

  @Test
  void jsonTellsWhichFileHoldsWhat() throws IOException {
    writeTwoVersions();

    Cli.Result result = Cli.run("export", "--json", checkpoints, "--to", out);

    assertThat(result.json().at("/version").asString()).isEqualTo("1.2");
    assertThat(result.json().at("/files/0/dataset").asString()).isEqualTo("u");
    assertThat(Path.of(result.json().at("/files/0/file").asString())).exists();
  }

  @Test
  void nothingIsOverwrittenUnlessForced() throws IOException {
    writeTwoVersions();
    Files.createDirectories(out);
    Files.writeString(out.resolve("u.npy"), "precious");

    Cli.Result refused = Cli.run("export", checkpoints, "--to", out);

    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains("u.npy: exists already; --force replaces it");
    assertThat(out.resolve("u.npy")).hasContent("precious");
    assertThat(files(out)).containsExactly("u.npy");
    assertThat(Cli.run("export", checkpoints, "--to", out, "--force").exitCode()).isZero();
    assertThat(Npy.read(out.resolve("u.npy")).type()).isEqualTo("<f8");
  }

  @Test
  void aLinkInTheTargetIsReplacedNotFollowed() throws IOException {
    writeTwoVersions();
    Files.createDirectories(out);
    Path victim = Files.writeString(temp.resolve("victim"), "precious");
    Files.createSymbolicLink(out.resolve("u.npy"), victim);

    assertThat(Cli.run("export", checkpoints, "--to", out).exitCode()).isEqualTo(1);
    assertThat(Cli.run("export", checkpoints, "--to", out, "--force").exitCode()).isZero();

    assertThat(victim).hasContent("precious");
    assertThat(out.resolve("u.npy")).isRegularFile();
  }

  @Test
  void aDamagedBlockLeavesNoFile() throws IOException {
    byte[] data = new byte[100_000];
    new Random(5).nextBytes(data);
    try (Checkpointer cairn = Checkpointer.open(checkpoints)) {
      cairn.protect("u", data);
      cairn.checkpoint();
    }
    Damage.flip(checkpoints.resolve("rank0.cairn"), 40_000);

    Cli.Result result = Cli.run("export", checkpoints, "--to", out);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err().lines()).hasSize(1);
    assertThat(result.err()).contains("of \"u\": digest");
    assertThat(files(out)).isEmpty();
  }

  @Test
  void wrongUsageIsExplained() {
    writeTwoVersions();

    assertThat(Cli.run("export", checkpoints).exitCode()).isEqualTo(2);
    assertThat(Cli.run("export", checkpoints, "--file", "x").exitCode()).isEqualTo(2);
    assertThat(Cli.run("export", checkpoints, "--to", "x", "--format", "csv").exitCode())
        .isEqualTo(2);
    Cli.Result unknown = Cli.run("export", checkpoints, "--to", out, "--dataset", "v");
    assertThat(unknown.exitCode()).isEqualTo(1);
    assertThat(unknown.err()).contains("version 1.2 has no dataset v; it has u");
  }

  /** The names that attackers and accidents produce; some only a hand-made container can hold. */
  @Test
  void hostileNamesStayInsideTheTarget() throws IOException {
    List<String> names =
        List.of(
            "../../x",
            "/etc/passwd",
            "..",
            ".",
            "",
            "a\nb",
            "a\0b",
            "con",
            "NUL.txt",
            "..\\..\\x",
            "C:\\x",
            "~root",
            ".bashrc",
            "-rf",
            "\u202egpj.exe",
            "%2E%2E%2Fx",
            "n".repeat(30_000));
    writeByHand(names);

    Cli.Result result = Cli.run("export", checkpoints, "--format", "raw", "--to", out);

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(files(out)).hasSize(names.size());
    assertThat(files(temp)).containsExactlyInAnyOrder("checkpoints", "deep");
    assertThat(files(temp.resolve("deep"))).containsExactly("target");
    assertThat(result.out()).doesNotContain("\u202e", "\0");
    for (int i = 0; i < names.size(); i++) {
      Path file = out.resolve(FileNames.of(names.get(i)) + ".raw");
      assertThat(Files.readAllBytes(file)).containsExactly(i, i, i);
    }
  }

  private void writeByHand(List<String> names) throws IOException {
    try (Arena arena = Arena.ofConfined();
        Container container = ContainerByHand.open(checkpoints)) {
      Commit commit = container.begin(Instant.EPOCH);
      StagedBlocks staged = new StagedBlocks(arena.allocate(4096));
      for (int i = 0; i < names.size(); i++) {
        DatasetPlan plan =
            commit.plan(
                new DatasetSpec(
                    names.get(i),
                    ElementType.BYTE,
                    List.of(3L),
                    3,
                    16384,
                    HashAlgorithm.XXH3_128,
                    Codec.NONE));
        staged.memory().asSlice(staged.used(), 3).fill((byte) i);
        long[] digest = new long[2];
        Hashers.of(HashAlgorithm.XXH3_128).hash(staged.memory(), staged.used(), 3, 3, digest, 0);
        staged.addRaw(plan.entry().slotOf(0), 3, digest[0], digest[1]);
      }
      commit.store(staged, 0);
      commit.publish();
    }
  }

  private void writeTwoVersions() {
    double[] u = new double[10];
    try (Checkpointer cairn = Checkpointer.open(checkpoints)) {
      cairn.protect("u", u);
      cairn.checkpoint();
      u[1] = 2.5;
      cairn.checkpoint();
    }
  }

  private static List<String> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void standardOutputIsForResults() {
    writeTwoVersions();

    Cli.Result result = Cli.run("export", checkpoints, "--to", out, "--progress");

    assertThat(result.out().getBytes(UTF_8)).doesNotContain('\r');
    assertThat(result.err()).contains("100 %");
  }
}
