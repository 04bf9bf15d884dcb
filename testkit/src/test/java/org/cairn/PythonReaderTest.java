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
import org.cairn.codec.Codec;
import org.cairn.container.BlockScan;
import org.cairn.container.ContainerReader;
import org.cairn.container.DatasetEntry;
import org.cairn.container.VersionInfo;
import org.cairn.container.VersionView;
import org.cairn.hash.HashAlgorithm;
import org.cairn.store.FileStore;
import org.cairn.store.Store;
import org.cairn.work.Workers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A reader in Python that was written from {@code docs/format/container.md} alone finds in
 * containers what Cairn finds: versions, root digests, the bytes of all datasets. If it does not,
 * the page is wrong or lacks something.
 */
@Timeout(120)
class PythonReaderTest {
  private static final Path READER = Path.of("src", "test", "python", "cairn_reader.py");
  private static final Path GOLDEN = Path.of("src", "test", "resources", "golden", "v2");

  @TempDir Path directory;

  private record Answer(int exit, List<String> lines) {}

  private static Answer ask(Object... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("python3", READER.toString()));
    Arrays.stream(arguments).map(Object::toString).forEach(command::add);
    Process python;
    try {
      python =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
              .start();
    } catch (IOException e) {
      throw new AssertionError("this test needs python3 on the PATH; ./setup installs it", e);
    }
    List<String> lines;
    try (var output = python.inputReader(StandardCharsets.UTF_8)) {
      lines = output.lines().toList();
    }
    return new Answer(python.waitFor(), lines);
  }

  @ParameterizedTest
  @ValueSource(strings = {"single", "several", "coded", "zeros", "example", "damaged-superblock"})
  void readsGoldenFiles(String name) throws Exception {
    Path file = directory.resolve(SampleState.FILE);
    Files.copy(GOLDEN.resolve(name + ".cairn"), file);
    assertAgrees(file);
  }

  @Test
  void findsADamagedBlock() throws Exception {
    Answer answer = ask(GOLDEN.resolve("damaged-block.cairn"));
    assertThat(answer.exit).isEqualTo(1);
    assertThat(answer.lines).contains("damage: block 0 of \"step\" has another digest");
  }

  @Test
  void readsWhatWasJustWritten() throws Exception {
    SampleState.write(FileStore.open(directory, true), 5);
    assertAgrees(directory.resolve(SampleState.FILE));
  }

  @Test
  void verifiesBlocksOfEveryLengthAndAlgorithm() throws Exception {
    Random random = new Random(3);
    try (Checkpointer cairn =
        Checkpointer.open(
            FileStore.open(directory, true), SampleState.options().acceptWeakHash())) {
      for (int length = 0; length < 300; length++) {
        cairn.protect("length " + length, bytes(length, random)).blockSize(1 << 20);
      }
      for (int length : new int[] {512, 1023, 1024, 1025, 1088, 1089, 2048, 5000}) {
        cairn.protect("length " + length, bytes(length, random)).blockSize(1 << 20);
      }
      for (HashAlgorithm algorithm : HashAlgorithm.values()) {
        cairn.protect(algorithm.label(), bytes(333, random)).hash(algorithm);
      }
      cairn
          .protect("deflate", "Cairn ".repeat(500).getBytes(StandardCharsets.UTF_8))
          .codec(Codec.DEFLATE);
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
    Answer answer = ask(GOLDEN.resolve("single.cairn"), "--extract", "chars", output);
    assertThat(answer.lines).isEmpty();
    assertThat(output).hasBinaryContent("Cairn".getBytes(StandardCharsets.UTF_16LE));
  }

  /** Cairn's own view of a file, in the words of the other reader. */
  private static void assertAgrees(Path file) throws Exception {
    Answer answer = ask(file);
    List<String> told =
        answer.lines.stream()
            .filter(line -> line.startsWith("version ") || line.startsWith("  \""))
            .toList();
    assertThat(told).isEqualTo(describe(file));
    assertThat(answer.lines).noneMatch(line -> line.startsWith("damage"));
    assertThat(answer.exit).isZero();
  }

  private static List<String> describe(Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    Store store = FileStore.open(Objects.requireNonNull(file.getParent()), false);
    try (ContainerReader reader = ContainerReader.open(store, SampleState.FILE);
        Workers alone = new Workers(1, "python")) {
      for (VersionInfo version : reader.versions()) {
        lines.add(
            "version %s root %016x%016x"
                .formatted(version.id().exact(), version.digestHigh(), version.digestLow()));
        VersionView view = reader.view(version.id());
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
