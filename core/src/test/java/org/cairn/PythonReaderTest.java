// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.cairn.codec.BlockCodecs;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.container.BlockScan;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.hash.WeakHash;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.process.PythonProgram;
import org.cairn.testkit.process.PythonProgram.Answer;
import org.cairn.testkit.random.Seeds;
import org.cairn.tier.shared.Manifest;
import org.cairn.tier.shared.SharedDirectory;
import org.cairn.version.DatasetEntry;
import org.cairn.version.RootDigest;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.work.Workers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A reader in Python that was written from {@code docs/format} alone finds in containers and shared
 * directories what Cairn finds: versions, root digests, the bytes of all datasets. Cairn restores
 * what a writer in Python wrote that knows no more. If one of them fails, a page is wrong or lacks
 * something.
 */
@Timeout(600)
@Tag("slow")
class PythonReaderTest {
  private static final Path GOLDEN = Path.of("../core/src/test/resources/golden");
  private static final Path CONTAINERS = GOLDEN.resolve("v2");
  private static final int RANKS = 3;

  @TempDir Path directory;

  private static Answer ask(Object... arguments) throws IOException, InterruptedException {
    return PythonProgram.run("cairn_reader.py", arguments);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "single",
        "several",
        "coded",
        "zeros",
        "example",
        "divided",
        "spooky",
        "damaged-superblock"
      })
  void readsGoldenFiles(String name) throws Exception {
    Path file = directory.resolve(SampleState.FILE);
    Files.copy(CONTAINERS.resolve(name + ".cairn"), file);
    assertAgrees(file);
  }

  @Test
  void findsADamagedBlock() throws Exception {
    Answer answer = ask(CONTAINERS.resolve("damaged-block.cairn"));
    assertThat(answer.exit()).isEqualTo(1);
    assertThat(answer.lines()).contains("damage: block 0 of \"step\" has another digest");
  }

  @Test
  void readsWhatWasJustWritten() throws Exception {
    SampleState.write(DirectoryStore.open(directory, true), 5);
    assertAgrees(directory.resolve(SampleState.FILE));
  }

  @Test
  void verifiesBlocksOfEveryLengthAlgorithmAndCodec() throws Exception {
    Random random = Seeds.content(3);
    try (Checkpointer cairn =
        Checkpointer.open(DirectoryStore.open(directory, true), SampleState.options())) {
      for (int length = 0; length < 300; length++) {
        cairn.protect("length " + length, bytes(length, random)).blockSize(1 << 20);
      }
      for (int length : new int[] {512, 1023, 1024, 1025, 1088, 1089, 2048, 5000}) {
        cairn.protect("length " + length, bytes(length, random)).blockSize(1 << 20);
      }
      for (HashAlgorithm algorithm : WeakHash.withStrong()) {
        cairn.protect(algorithm.label(), bytes(333, random)).hash(algorithm);
      }
      for (Codec codec : Codec.values()) {
        if (BlockCodecs.unavailable(codec).isEmpty()) {
          byte[] words = "Cairn %s ".formatted(codec).repeat(500).getBytes(StandardCharsets.UTF_8);
          cairn.protect(codec.label(), words).codec(codec);
        }
      }
      cairn.checkpoint();
    }
    assertAgrees(directory.resolve(SampleState.FILE));
  }

  private static byte[] bytes(int length, Random random) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  void extractsADataset() throws Exception {
    Path output = directory.resolve("out");
    Answer answer = ask(CONTAINERS.resolve("single.cairn"), "--extract", "chars", output);
    assertThat(answer.lines()).isEmpty();
    assertThat(output).hasBinaryContent("Cairn".getBytes(StandardCharsets.UTF_16LE));
  }

  // ---------------------------------------------------------------- shared directories

  @Test
  void readsASharedDirectory() throws Exception {
    Path shared = Files.createDirectory(directory.resolve("shared"));
    Path job = directory.resolve("job");
    Ranks.run(RANKS, ranks -> flush(job, shared, ranks));
    List<Manifest> versions =
        new SharedDirectory(DirectoryStore.open(shared, false)).list().versions();
    assertThat(versions).hasSizeGreaterThan(1);
    assertThat(versions.getFirst().references())
        .as("some blocks lie in older segments")
        .hasSizeGreaterThan(versions.getFirst().groups().size());
    List<String> expected = new ArrayList<>();
    for (Manifest manifest : versions) {
      expected.add("version %s of %d ranks".formatted(manifest.version().exact(), RANKS));
      for (int rank = 0; rank < RANKS; rank++) {
        expected.addAll(describeRank(job, rank, manifest.version()));
      }
    }
    assertTells(ask(shared), expected);
    Path output = directory.resolve("out");
    assertThat(ask(shared, "--extract", 2, "sparse", output).lines()).isEmpty();
    SampleState last = new SampleState();
    last.become(6);
    assertThat(output).hasBinaryContent(last.sparse);

    Path segment = shared.resolve(versions.getFirst().groupOf(0).segment());
    byte[] bytes = Files.readAllBytes(segment);
    bytes[300] ^= 1; // Blocks lie there.
    Files.write(segment, bytes);
    Answer damaged = ask(shared);
    assertThat(damaged.exit()).isEqualTo(1);
    assertThat(damaged.lines()).anyMatch(line -> line.startsWith("damage: block "));
  }

  /** Frames of one rank, of several, blocks that are stored once for two ranks, and heads. */
  @Test
  void readsACompressedSharedDirectory() throws Exception {
    Path shared = Files.createDirectory(directory.resolve("shared"));
    Path job = directory.resolve("job");
    Tiers tiers =
        Tiers.none()
            .shared(DirectoryStore.open(shared, true), 1)
            .sharedGroup(2)
            .compression(Compression.small())
            .frame(8 << 10);
    Ranks.run(RANKS, ranks -> flush(job, tiers, ranks));
    List<String> expected = new ArrayList<>();
    for (Manifest manifest :
        new SharedDirectory(DirectoryStore.open(shared, false)).list().versions()) {
      assertThat(manifest.references()).anyMatch(one -> one.frameBytes() > 0);
      expected.add("version %s of %d ranks".formatted(manifest.version().exact(), RANKS));
      for (int rank = 0; rank < RANKS; rank++) {
        expected.addAll(describeRank(job, rank, manifest.version()));
      }
    }
    assertTells(ask(shared), expected);
  }

  private static void flush(Path job, Path shared, Communicator ranks) throws IOException {
    flush(job, Tiers.none().shared(DirectoryStore.open(shared, true), 1).sharedGroup(2), ranks);
  }

  private static void flush(Path job, Tiers tiers, Communicator ranks) throws IOException {
    try (Checkpointer cairn = Checkpointer.open(job, ranks, SampleState.options().tiers(tiers))) {
      SampleState state = new SampleState();
      state.protect(cairn);
      cairn.protect("constant", bytes(100 * SampleState.BLOCK, Seeds.content(ranks.rank())));
      for (int i = 1; i <= 4; i++) {
        state.become(i + ranks.rank());
        cairn.checkpoint().await(TierKind.SHARED);
      }
    }
  }

  /** What the container of a rank has of a version. */
  private static List<String> describeRank(Path job, int rank, VersionId version)
      throws IOException {
    Store store = DirectoryStore.open(job.resolve("rank" + rank), false);
    try (ContainerReader reader = ContainerReader.open(store, Checkpointer.containerName(rank))) {
      VersionView view = reader.view(version);
      List<String> lines = new ArrayList<>();
      lines.add(
          "rank %d root %016x%016x"
              .formatted(rank, view.info().digestHigh(), view.info().digestLow()));
      lines.addAll(describe(view));
      return lines;
    }
  }

  /** The golden ones have no datasets, but all records around them. */
  @Test
  void readsTheRecordsOfGoldenSegments() throws Exception {
    Path shared = GOLDEN.resolve("segment-v2");
    List<String> expected = new ArrayList<>();
    for (Manifest manifest :
        new SharedDirectory(DirectoryStore.open(shared, false)).list().versions()) {
      expected.add("version %s of 4 ranks".formatted(manifest.version().exact()));
      for (int rank = 0; rank < 4; rank++) {
        expected.add("rank %d root %s".formatted(rank, manifest.rootOf(rank)));
      }
    }
    assertThat(expected).hasSize(15);
    assertTells(ask(shared, "--records"), expected);
  }

  // ---------------------------------------------------------------- the writer

  @Test
  void restoresAContainerWrittenInPython() throws Exception {
    Path file = directory.resolve(SampleState.FILE);
    Answer answer = PythonProgram.run("cairn_writer.py", file);
    assertThat(answer.exit()).as("%s", answer.lines()).isZero();
    Store store = DirectoryStore.open(directory, true);
    try (ContainerReader reader = ContainerReader.open(store, SampleState.FILE)) {
      assertThat(reader.problems()).isEmpty();
      VersionInfo version = reader.versions().getFirst();
      assertThat(reader.versions()).hasSize(1);
      // The map is compared with the root digest on the way.
      VersionView view = reader.view(version.id());
      assertThat(answer.lines()).containsExactly(RootDigest.of(view).toString());
      assertThat(version.blocks()).isEqualTo(39);
      assertThat(view.isZero(view.find("u").orElseThrow(), 1)).isTrue();
      assertThat(view.find("u").orElseThrow().spec().shape()).containsExactly(50L, 100L);
    }
    assertAgrees(file);

    WrittenState state = new WrittenState();
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults().threads(1))) {
      state.protect(cairn);
      assertThat(cairn.restart().isRestored()).isTrue();
      state.assertRestored();
      state.step().set(8);
      cairn.checkpoint();
    }
    assertAgrees(file);
    assertThat(ask(file).lines()).anyMatch(line -> line.startsWith("version 2.2@"));
  }

  @Test
  void restoresASharedDirectoryWrittenInPython() throws Exception {
    Path shared = Files.createDirectory(directory.resolve("shared"));
    Answer answer = PythonProgram.run("cairn_writer.py", "--shared", shared);
    assertThat(answer.exit()).as("%s", answer.lines()).isZero();
    SharedDirectory.Listing listing =
        new SharedDirectory(DirectoryStore.open(shared, false)).list();
    assertThat(listing.problems()).isEmpty();
    Manifest manifest = listing.versions().getFirst();
    assertThat(answer.lines())
        .containsExactly(manifest.rootOf(0).toString(), manifest.rootOf(1).toString());
    assertThat(ask(shared).exit()).isZero();
    Ranks.run(
        2,
        ranks -> {
          Tiers tiers = Tiers.none().shared(DirectoryStore.open(shared, true), 1);
          Options options = Options.defaults().threads(1).tiers(tiers);
          WrittenState state = new WrittenState();
          try (Checkpointer cairn = Checkpointer.open(directory.resolve("job"), ranks, options)) {
            state.protect(cairn);
            assertThat(cairn.restart().version().orElseThrow()).isEqualTo(manifest.version());
          }
          if (ranks.rank() == 0) {
            state.assertRestored();
          } else {
            assertThat(state.step().get()).isZero();
            assertThat(state.u).containsOnly(0);
          }
        });
  }

  /** What {@code sample()} in {@code cairn_writer.py} makes. */
  private static final class WrittenState {
    final double[] u = new double[5000];
    final byte[] words = new byte[1500];
    final int[] zeros = new int[1000];
    private LongCell step = new LongCell(new long[1]);

    void protect(Checkpointer cairn) {
      Arrays.fill(u, Double.NaN);
      Arrays.fill(zeros, -1);
      step = cairn.protect("step", 0L);
      cairn.protect("u", u).shape(50, 100);
      cairn.protect("words", words).hash(HashAlgorithm.SHA_256).codec(Codec.DEFLATE);
      cairn.protect("zeros", zeros);
      cairn.protect("nothing", new short[0]);
    }

    LongCell step() {
      return step;
    }

    void assertRestored() {
      assertThat(step.get()).isEqualTo(7);
      double[] expected = new double[5000];
      for (int i = 0; i < 2048; i++) {
        expected[i] = i / 8.0;
      }
      expected[4999] = -1;
      assertThat(u).isEqualTo(expected);
      assertThat(words).asString().isEqualTo("It is written. ".repeat(100));
      assertThat(zeros).containsOnly(0);
    }
  }

  // ---------------------------------------------------------------- comparing

  /** Cairn's own view of a file, in the words of the other reader. */
  private static void assertAgrees(Path file) throws Exception {
    assertTells(ask(file), describe(file));
  }

  private static void assertTells(Answer answer, List<String> expected) {
    assertThat(answer.lines()).noneMatch(line -> line.startsWith("damage"));
    List<String> told =
        answer.lines().stream()
            .filter(line -> line.matches("version .*|rank .*| {2}\".*"))
            .map(PythonReaderTest::withoutUndecoded)
            .toList();
    boolean undecoded = told.stream().anyMatch(line -> line.endsWith("codec zstd"));
    assertThat(told)
        .isEqualTo(
            expected.stream()
                .map(line -> undecoded ? line.replaceFirst("(codec zstd): .*", "$1") : line)
                .toList());
    assertThat(answer.exit()).isZero();
  }

  /** Python has Zstandard only where its library is installed; Cairn brings its own. */
  private static String withoutUndecoded(String line) {
    return line.replaceFirst("(codec zstd): \\d+ blocks not decoded$", "$1");
  }

  private static List<String> describe(Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    Store store = DirectoryStore.open(Objects.requireNonNull(file.getParent()), false);
    try (ContainerReader reader = ContainerReader.open(store, SampleState.FILE)) {
      for (VersionInfo version : reader.versions()) {
        lines.add(
            "version %s root %016x%016x"
                .formatted(version.id().exact(), version.digestHigh(), version.digestLow()));
        lines.addAll(describe(reader.view(version.id())));
      }
    }
    return lines;
  }

  private static List<String> describe(VersionView view) throws IOException {
    List<String> lines = new ArrayList<>();
    try (Workers alone = new Workers(1, "python")) {
      for (DatasetEntry dataset : view.datasets()) {
        lines.add(
            "  \"%s\" %s%s blocks of %d, %s, codec %s: %s"
                .formatted(
                    dataset.name(),
                    dataset.spec().type().label(),
                    dataset.spec().shape(),
                    dataset.spec().blockSize(),
                    dataset.spec().algorithm().label(),
                    dataset.spec().codec().label(),
                    sha256(view, dataset, alone)));
      }
    }
    return lines;
  }

  private static String sha256(VersionView view, DatasetEntry dataset, Workers alone)
      throws IOException {
    byte[] content = new byte[Math.toIntExact(dataset.spec().byteLength())];
    BlockScan.run(
        view,
        List.of(dataset),
        alone,
        (entry, block, bytes) ->
            MemorySegment.copy(
                bytes,
                0,
                MemorySegment.ofArray(content),
                (long) block * entry.spec().blockSize(),
                bytes.byteSize()),
        false,
        done -> {});
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
