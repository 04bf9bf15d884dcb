// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.cairn.comm.Ranks;
import org.cairn.store.DirectoryStore;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was saved can be read by another program, verified, in part or whole. */
class CheckpointsTest {
  @TempDir Path directory;

  private static Options options() {
    return SampleState.options();
  }

  private void save(double... u) {
    try (Checkpointer cairn = Checkpointer.open(directory, options())) {
      cairn.protect("u", u);
      cairn.checkpoint();
    }
  }

  @Test
  void theNewestVersionIsRead() {
    try (Checkpointer cairn = Checkpointer.open(directory, options())) {
      double[] u = {1, 2, 3};
      cairn.protect("u", u);
      cairn.checkpoint();
      u[0] = 9;
      cairn.checkpoint();
      // Beside the writer.
      try (Checkpoints saved = Checkpoints.open(directory)) {
        assertThat(saved.newest().read("u").doubles()).containsExactly(9, 2, 3);
        assertThat(saved.versions()).hasSize(2);
        assertThat(saved.version("1.1").read("u").doubles()).containsExactly(1, 2, 3);
        assertThat(saved.newest().toString()).startsWith("version 1.2@").contains("by 1 ranks");
      }
    }
  }

  @Test
  void everyTypeIsReadAsWhatItIsAndNothingElse() {
    try (Checkpointer cairn = Checkpointer.open(directory, options())) {
      cairn.protect("byte", new byte[] {1});
      cairn.protect("boolean", new boolean[] {true, false});
      cairn.protect("char", new char[] {'c'});
      cairn.protect("short", new short[] {2});
      cairn.protect("int", new int[] {3});
      cairn.protect("long", new long[] {4});
      cairn.protect("float", new float[] {5});
      cairn.protect("double", new double[][] {{6, 7}, {8, 9}, {10, 11}});
      cairn.protectOpaque("opaque", () -> new byte[] {12}, bytes -> {});
      cairn.checkpoint();
    }
    try (Checkpoints saved = Checkpoints.open(directory)) {
      SavedVersion newest = saved.newest();
      assertThat(newest.read("byte").bytes()).containsExactly(1);
      assertThat(newest.read("boolean").booleans()).containsExactly(true, false);
      assertThat(newest.read("char").chars()).containsExactly('c');
      assertThat(newest.read("short").shorts()).containsExactly((short) 2);
      assertThat(newest.read("int").ints()).containsExactly(3);
      assertThat(newest.read("long").longs()).containsExactly(4);
      assertThat(newest.read("float").floats()).containsExactly(5);
      assertThat(newest.read("double").doubles()).containsExactly(6, 7, 8, 9, 10, 11);
      assertThat(newest.read("double").shape()).containsExactly(3L, 2L);
      assertThat(newest.read("opaque").bytes()).containsExactly(12);
      assertThat(newest.datasets()).hasSize(9);
      assertThatThrownBy(newest.read("double")::floats)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("double: double[3][2] has no elements of type float");
    }
  }

  @SeededTest(seeds = 6)
  void anySliceIsThatPartOfTheWhole(Random random) throws IOException {
    int length = 1 + random.nextInt(4000);
    double[] u = new double[length];
    for (int i = 0; i < length; i++) {
      u[i] = random.nextInt(5) == 0 || i > 2000 ? 0 : random.nextDouble();
    }
    Path place = directory.resolve("s" + random.nextLong());
    Options odd = options().blockSize(128 + random.nextInt(40));
    try (Checkpointer cairn = Checkpointer.open(place, odd)) {
      cairn.protect("u", u).codec(random.nextBoolean() ? Codec.DEFLATE : Codec.NONE);
      cairn.checkpoint();
    }
    try (Checkpoints saved = Checkpoints.open(place);
        Arena confined = Arena.ofConfined()) {
      SavedDataset whole = saved.newest().read("u");
      assertThat(whole.doubles()).containsExactly(u);
      for (int i = 0; i < 20; i++) {
        int from = random.nextInt(length + 1);
        int count = random.nextInt(length - from + 1);
        SavedDataset slice = whole.slice(from, count);
        double[] expected = Arrays.copyOfRange(u, from, from + count);
        assertThat(slice.doubles()).containsExactly(expected);
        MemorySegment memory = slice.segment(confined);
        assertThat(memory.toArray(ValueLayout.JAVA_DOUBLE)).containsExactly(expected);
        Path file = directory.resolve("f" + random.nextLong());
        try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
          slice.writeTo(channel, 5, done -> {});
        }
        byte[] written = Files.readAllBytes(file);
        assertThat(Arrays.copyOfRange(written, Math.min(5, written.length), written.length))
            .containsExactly(MemorySegment.ofArray(expected).toArray(ValueLayout.JAVA_BYTE));
      }
      assertThatThrownBy(() -> whole.slice(1, length))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void aSliceOfASliceCountsFromThere() {
    save(0, 1, 2, 3, 4, 5);
    try (Checkpoints saved = Checkpoints.open(directory)) {
      SavedDataset part = saved.newest().read("u").slice(2, 3).slice(1, 2);
      assertThat(part.doubles()).containsExactly(3, 4);
      assertThat(part.toString()).isEqualTo("u: double[2]");
    }
  }

  @Test
  void whatIsNotThereIsNamedWithWhatIs() {
    save(1);
    try (Checkpoints saved = Checkpoints.open(directory)) {
      assertThatThrownBy(() -> saved.newest().read("v"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("version 1.1 has no dataset \"v\"; it has [u]");
      assertThatThrownBy(() -> saved.version("7.7"))
          .isInstanceOf(CheckpointUnavailableException.class)
          .hasMessageContaining("has no version 7.7")
          .hasMessageContaining("version 1.1@");
      assertThatThrownBy(() -> saved.newest().rank(3)).hasMessageContaining("no rank 3");
    }
    Path nowhere = directory.resolve("nowhere");
    assertThatThrownBy(() -> Checkpoints.open(nowhere))
        .isInstanceOf(CheckpointDirectoryException.class)
        .hasMessageContaining("nowhere");
    Path empty = directory.resolve("rank7");
    empty.toFile().mkdirs();
    try (Checkpoints saved = Checkpoints.open(empty)) {
      assertThatThrownBy(saved::newest)
          .isInstanceOf(CheckpointUnavailableException.class)
          .hasMessageContaining("no version of which every rank is there");
    }
  }

  @Test
  void aDamagedBlockIsNeverSeen() throws IOException {
    double[] u = new double[64];
    Arrays.setAll(u, i -> i + 0.5);
    save(u);
    Path file = directory.resolve(Checkpointer.containerName(0));
    byte[] bytes = Files.readAllBytes(file);
    int at = indexOf(bytes, 40.5);
    bytes[at] ^= 1;
    Files.write(file, bytes);
    try (Checkpoints saved = Checkpoints.open(directory)) {
      SavedDataset read = saved.newest().read("u");
      assertThatThrownBy(read::doubles)
          .isInstanceOf(CheckpointUnavailableException.class)
          .hasMessageContaining("block 2 of \"u\": digest");
      assertThat(read.slice(0, 32).doubles()).containsExactly(Arrays.copyOf(u, 32));
    }
  }

  private static int indexOf(byte[] bytes, double value) {
    MemorySegment all = MemorySegment.ofArray(bytes);
    for (int at = 0; at + 8 <= bytes.length; at++) {
      if (all.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at) == value) {
        return at;
      }
    }
    throw new AssertionError("not there");
  }

  @Test
  void nothingIsWritten() throws IOException {
    save(1, 2);
    List<String> before = contents();
    try (Checkpoints saved = Checkpoints.open(directory)) {
      saved.newest().read("u").doubles();
    }
    assertThat(contents()).isEqualTo(before);
  }

  private List<String> contents() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> file + " " + hash(file))
          .sorted()
          .toList();
    }
  }

  private static int hash(Path file) {
    try {
      return Arrays.hashCode(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  // ---------------------------------------------------------------- many ranks, many jobs

  private void saveMany(Path place, Options options) {
    Ranks.run(
        3,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(place, comm, options)) {
            cairn.protect("u", new double[] {comm.rank(), 10});
            cairn.checkpoint();
          }
        });
  }

  @Test
  void eachRankOfAJobIsRead() {
    saveMany(directory, options());
    try (Checkpoints saved = Checkpoints.open(directory)) {
      SavedVersion newest = saved.newest();
      for (int rank = 0; rank < 3; rank++) {
        assertThat(newest.rank(rank).read("u").doubles()).containsExactly(rank, 10);
      }
      assertThatThrownBy(() -> newest.read("u"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("the states of 3 ranks; say whose");
    }
  }

  @Test
  void aLostRankIsReadFromItsCopyAndWithoutOneNothingIsComplete() throws IOException {
    saveMany(directory, options().tiers(Tiers.none().partner(1)));
    DirectoryStore lost = DirectoryStore.open(directory.resolve("rank1"), false);
    lost.delete(Checkpointer.containerName(1));
    try (Checkpoints saved = Checkpoints.open(directory)) {
      assertThat(saved.newest().rank(1).read("u").doubles()).containsExactly(1, 10);
    }
    for (int rank = 0; rank < 3; rank++) {
      DirectoryStore store = DirectoryStore.open(directory.resolve("rank" + rank), false);
      store.delete("rank1.partner.cairn");
    }
    try (Checkpoints saved = Checkpoints.open(directory)) {
      assertThatThrownBy(saved::newest)
          .isInstanceOf(CheckpointUnavailableException.class)
          .hasMessageContaining("of which [0, 2] are here");
      SavedVersion part = saved.versions().getFirst();
      assertThat(part.rank(2).read("u").doubles()).containsExactly(2, 10);
      assertThatThrownBy(() -> part.rank(1))
          .hasMessageContaining("the state of rank 1 of version 1.1 is not in");
    }
  }

  @Test
  void aSharedDirectoryIsReadAlone() throws IOException {
    Path shared = Files.createDirectory(directory.resolve("shared"));
    saveMany(
        directory.resolve("local"),
        options().tiers(Tiers.none().shared(DirectoryStore.shared(shared), 1)));
    try (Checkpoints saved = Checkpoints.open(shared)) {
      assertThat(saved.newest().rank(2).read("u").doubles()).containsExactly(2, 10);
    }
  }

  @Test
  void whereThereAreTwoJobsOneIsChosen() {
    try (Checkpointer cairn = Checkpointer.open(directory, options().job("a"))) {
      cairn.protect("u", new double[] {1});
      cairn.checkpoint();
    }
    try (Checkpointer cairn = Checkpointer.open(directory, options().job("b"))) {
      cairn.protect("u", new double[] {2});
      cairn.checkpoint();
    }
    try (Checkpoints saved = Checkpoints.open(directory)) {
      assertThatThrownBy(saved::newest)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("checkpoints of 2 jobs")
          .hasMessageContaining("job(id)");
      assertThatThrownBy(() -> saved.version("1.1")).hasMessageContaining("not one but 2");
      SavedVersion one = saved.versions().getLast();
      double[] u = saved.job(one.id().job().toString()).newest().read("u").doubles();
      assertThat(u).containsExactly(one.read("u").doubles());
      assertThatThrownBy(() -> saved.job("zz")).hasMessageContaining("fits 0 jobs");
      assertThat(one.read("u").type()).isEqualTo(ElementType.DOUBLE);
    }
  }
}
