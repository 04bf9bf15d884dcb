// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.division.Divisions;
import org.cairn.redivision.Region;
import org.cairn.store.DirectoryStore;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What ranks have together is read as one array, whoever had which of it. */
class SavedArrayTest {
  @TempDir Path directory;

  private static Options options() {
    return SampleState.options();
  }

  // ---------------------------------------------------------------- against a model

  private static final ElementType[] TYPES = {
    ElementType.BYTE,
    ElementType.BOOLEAN,
    ElementType.CHAR,
    ElementType.SHORT,
    ElementType.INT,
    ElementType.LONG,
    ElementType.FLOAT,
    ElementType.DOUBLE
  };

  /** A global array, and what of it a rank has in memory. */
  private record Model(ElementType type, long[] shape, byte[] bytes, List<List<Part>> parts) {
    static Model random(Random random) {
      Divisions divisions = new Divisions(random);
      ElementType type = TYPES[random.nextInt(TYPES.length)];
      long[] shape = divisions.shape();
      long size = Arrays.stream(shape).reduce(1, (a, b) -> a * b);
      byte[] bytes = new byte[(int) size * type.bytes()];
      random.nextBytes(bytes);
      if (random.nextInt(3) == 0) {
        Arrays.fill(bytes, bytes.length / 3, bytes.length, (byte) 0);
      }
      int ranks = 1 + random.nextInt(5);
      List<Part> bricks =
          divisions.bricks(shape, ranks + random.nextInt(6)).stream()
              .map(divisions::withGhosts)
              .toList();
      return new Model(type, shape, bytes, divisions.among(ranks, bricks));
    }

    int ranks() {
      return parts.size();
    }

    /** A part with its ghosts, which are nothing but noise. */
    byte[] local(Part part, Random noise) {
      byte[] memory = new byte[(int) part.localElements() * type.bytes()];
      noise.nextBytes(memory);
      long[] at = new long[shape.length];
      for (long i = 0; i < part.elements(); i++) {
        long left = i;
        for (int axis = shape.length - 1; axis >= 0; axis--) {
          at[axis] = left % part.extent().get(axis);
          left /= part.extent().get(axis);
        }
        long from = 0;
        long to = 0;
        for (int axis = 0; axis < shape.length; axis++) {
          from = from * shape[axis] + part.offset().get(axis) + at[axis];
          to = to * part.localShape().get(axis) + part.before().get(axis) + at[axis];
        }
        System.arraycopy(
            bytes, (int) from * type.bytes(), memory, (int) to * type.bytes(), type.bytes());
      }
      return memory;
    }

    byte[] slice(long[] from, long[] to) {
      long count = 1;
      for (int axis = 0; axis < shape.length; axis++) {
        count *= to[axis] - from[axis];
      }
      byte[] part = new byte[(int) count * type.bytes()];
      for (long i = 0; i < count; i++) {
        long left = i;
        long place = 0;
        long stride = 1;
        for (int axis = shape.length - 1; axis >= 0; axis--) {
          long extent = to[axis] - from[axis];
          place += (from[axis] + left % extent) * stride;
          left /= extent;
          stride *= shape[axis];
        }
        System.arraycopy(
            bytes, (int) place * type.bytes(), part, (int) i * type.bytes(), type.bytes());
      }
      return part;
    }

    /** Parts side by side in one memory, or each in its own. */
    void protect(Checkpointer cairn, int rank, boolean together, Random noise) {
      List<Part> mine = parts.get(rank);
      if (mine.isEmpty()) {
        return;
      }
      List<byte[]> memories = mine.stream().map(part -> local(part, noise)).toList();
      if (together) {
        int size = memories.stream().mapToInt(one -> one.length).sum();
        byte[] all = new byte[size];
        int at = 0;
        for (byte[] one : memories) {
          System.arraycopy(one, 0, all, at, one.length);
          at += one.length;
        }
        cairn.protect("u", MemorySegment.ofArray(all), type).part(mine.toArray(Part[]::new));
        return;
      }
      for (int i = 0; i < mine.size(); i++) {
        cairn
            .protect("u" + i, MemorySegment.ofArray(memories.get(i)), type)
            .partOf("u", mine.get(i));
      }
    }
  }

  @SeededTest(seeds = 60)
  void anyDivisionIsTheArray(Random random) {
    Model model = Model.random(random);
    boolean together = random.nextBoolean();
    long noise = random.nextLong();
    Path place = directory.resolve("s" + random.nextLong());
    Options odd = options().blockSize(128 + random.nextInt(60));
    Ranks.run(
        model.ranks(),
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(place, comm, odd)) {
            model.protect(cairn, comm.rank(), together, Seeds.content(noise + comm.rank()));
            cairn.checkpoint();
          }
        });
    try (Checkpoints saved = Checkpoints.open(place)) {
      if (model.parts.stream().allMatch(List::isEmpty)) {
        return;
      }
      SavedArray u = saved.newest().array("u");
      assertThat(u.type()).isEqualTo(model.type);
      assertThat(u.shape()).isEqualTo(Arrays.stream(model.shape).boxed().toList());
      assertThat(bytes(u)).isEqualTo(model.bytes);
      for (int i = 0; i < 5; i++) {
        long[] from = new long[model.shape.length];
        long[] to = from.clone();
        for (int axis = 0; axis < from.length; axis++) {
          from[axis] = random.nextLong(model.shape[axis] + 1);
          to[axis] = from[axis] + random.nextLong(model.shape[axis] - from[axis] + 1);
        }
        assertThat(bytes(u.slice(from, to))).isEqualTo(model.slice(from, to));
      }
      assertThat(u.parts().stream().mapToLong(one -> one.part().elements()).sum())
          .isEqualTo(u.size());
    }
  }

  private static byte[] bytes(SavedArray array) {
    byte[] bytes = new byte[(int) array.byteSize()];
    array.into(MemorySegment.ofArray(bytes));
    return bytes;
  }

  @SeededTest(seeds = 100)
  void chunksAreTheRegionInOrder(Random random) {
    long[] shape = new Divisions(random).shape();
    Region whole = Region.of(shape);
    long most = 1 + random.nextLong(whole.elements() + 2);
    List<Long> places = new ArrayList<>();
    for (Region chunk : whole.chunks(most)) {
      assertThat(chunk.elements()).isPositive().isLessThanOrEqualTo(most);
      for (long i = 0; i < chunk.elements(); i++) {
        long left = i;
        long place = 0;
        long stride = 1;
        for (int axis = shape.length - 1; axis >= 0; axis--) {
          place += (chunk.from()[axis] + left % chunk.extent()[axis]) * stride;
          left /= chunk.extent()[axis];
          stride *= shape[axis];
        }
        places.add(place);
      }
    }
    assertThat(places).hasSize((int) whole.elements()).isSorted().doesNotHaveDuplicates();
  }

  // ---------------------------------------------------------------- two rows of a plate each

  private interface Rank {
    void protect(Checkpointer cairn, Communicator comm);
  }

  private void save(int ranks, Rank rank) {
    Ranks.run(
        ranks,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directory, comm, options())) {
            rank.protect(cairn, comm);
            cairn.checkpoint();
          }
        });
  }

  private static Part rows(long all, long from, long count) {
    return Part.of(new long[] {all, 3}, new long[] {from, 0}, new long[] {count, 3});
  }

  @Test
  void ghostsAreNeverRead() throws IOException {
    save(
        2,
        (cairn, comm) -> {
          double[][] u = new double[4][3];
          for (double[] row : u) {
            Arrays.fill(row, Double.NaN);
          }
          Arrays.setAll(u[1], i -> 10 * (2 * comm.rank()) + i);
          Arrays.setAll(u[2], i -> 10 * (2 * comm.rank() + 1) + i);
          cairn.protect("u", u).part(rows(4, 2L * comm.rank(), 2).halo(1, 0));
        });
    try (Checkpoints saved = Checkpoints.open(directory)) {
      SavedArray u = saved.newest().array("u");
      assertThat(u.doubles()).containsExactly(0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32);
      assertThat(u.slice(new long[] {1, 1}, new long[] {4, 2}).doubles())
          .containsExactly(11, 21, 31);
      assertThat(u.toString()).isEqualTo("u: double[4][3]");
      try (Arena arena = Arena.ofConfined()) {
        assertThat(u.segment(arena).byteSize()).isEqualTo(96);
      }
      Path file = directory.resolve("u.raw");
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        List<Long> told = new ArrayList<>();
        u.writeTo(channel, 8, told::add);
        assertThat(told).last().isEqualTo(96L);
      }
      byte[] written = Files.readAllBytes(file);
      assertThat(Arrays.copyOfRange(written, 8, written.length)).isEqualTo(bytes(u));
      assertThatThrownBy(() -> u.slice(new long[] {0, 2}, new long[] {4, 4}))
          .hasMessageContaining("2 to 4 is not within the 3 elements of axis 1");
      assertThatThrownBy(u::floats).hasMessageContaining("no elements of type float");
      assertThatThrownBy(() -> saved.newest().array("v")).hasMessageContaining("it has [u]");
    }
  }

  @Test
  void whatNobodyHasIsTheFillValue() {
    save(
        2,
        (cairn, comm) -> {
          float[] u = {1, 2, 3};
          cairn.protect("u", u).part(rows(4, 3L * comm.rank(), 1).holes(-7));
        });
    try (Checkpoints saved = Checkpoints.open(directory)) {
      assertThat(saved.newest().array("u").floats())
          .containsExactly(1, 2, 3, -7, -7, -7, -7, -7, -7, 1, 2, 3);
    }
  }

  @Test
  void itemsOfAllRanksAreOneSequence() {
    save(
        3,
        (cairn, comm) -> {
          int items = 2 * comm.rank();
          double[] x = new double[2 * items];
          long[] id = new long[items];
          Arrays.setAll(x, i -> 100 * comm.rank() + i);
          Arrays.setAll(id, i -> 10 * comm.rank() + i);
          cairn.protect("x", x).bag("particles", 2);
          cairn.protect("id", id).bag("particles", 1);
        });
    try (Checkpoints saved = Checkpoints.open(directory)) {
      SavedVersion newest = saved.newest();
      assertThat(newest.array("id").longs()).containsExactly(10, 11, 20, 21, 22, 23);
      assertThat(newest.array("x").shape()).containsExactly(6L, 2L);
      assertThat(newest.array("x").doubles())
          .containsExactly(100, 101, 102, 103, 200, 201, 202, 203, 204, 205, 206, 207);
      assertThat(newest.arrays()).extracting(SavedArray::name).containsExactly("x", "id");
    }
  }

  /** From a shared directory alone, on disk or in memory. */
  @Test
  void aSharedDirectoryHasTheArrayToo() throws IOException {
    Path place = directory.resolve("shared");
    for (Store shared : List.of(DirectoryStore.open(place, true), new MemoryStore())) {
      Path own = Files.createTempDirectory(directory, "own");
      Ranks.run(
          2,
          comm -> {
            Options flushed = options().tiers(Tiers.none().shared(shared, 1));
            try (Checkpointer cairn = Checkpointer.open(own, comm, flushed)) {
              double[] u = {comm.rank(), 1, 2, 3, 4, 5};
              cairn.protect("u", u).part(rows(4, 2L * comm.rank(), 2));
              cairn.checkpoint();
            }
          });
      try (Checkpoints saved = Checkpoints.openShared(shared)) {
        assertThat(saved.newest().array("u").doubles())
            .containsExactly(0, 1, 2, 3, 4, 5, 1, 1, 2, 3, 4, 5);
      }
    }
    try (Checkpoints saved = Checkpoints.open(place)) {
      assertThat(saved.newest().array("u").shape()).containsExactly(4L, 3L);
    }
  }

  // ---------------------------------------------------------------- what does not go together

  @Test
  void ranksThatHaveTheSameAreRefusedOnAllOfThemAndNothingIsLost() throws IOException {
    save(2, (cairn, comm) -> cairn.protect("u", new double[6]).part(rows(4, 2L * comm.rank(), 2)));
    List<String> told = Collections.synchronizedList(new ArrayList<>());
    Ranks.run(
        2,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directory, comm, options())) {
            double[] u = new double[6];
            Dataset dataset = cairn.protect("u", u).part(rows(4, 2L * comm.rank(), 2));
            cairn.restart();
            u[0] = 5;
            dataset.part(rows(4, comm.rank(), 2));
            assertThatThrownBy(cairn::checkpoint)
                .isInstanceOf(CheckpointFailedException.class)
                .satisfies(e -> told.add(e.getMessage()));
            dataset.part(rows(4, 3L * comm.rank(), 2));
            assertThatThrownBy(cairn::checkpoint)
                .isInstanceOf(CheckpointFailedException.class)
                .hasMessageContaining(
                    "array \"u\": rank 1 has [3:5, 0:3] of it, which is not within")
                .hasMessageContaining("[4, 3]");
            dataset.part(rows(4, 2L * comm.rank(), 2));
            cairn.checkpoint();
          }
        });
    assertThat(told)
        .hasSize(2)
        .allSatisfy(
            text -> assertThat(text).contains("ranks 0 and 1 both have [1:2, 0:3] of array \"u\""));
    try (Checkpoints saved = Checkpoints.open(directory)) {
      assertThat(saved.versions()).hasSize(2);
      assertThat(saved.newest().array("u").doubles()).startsWith(5).hasSize(12);
    }
  }

  @Test
  void whatIsSaidInTheMiddleOfACheckpointCounts() {
    save(
        2,
        (cairn, comm) -> {
          Dataset dataset = cairn.protect("u", new double[12]).part(rows(8, 4L * comm.rank(), 4));
          try (CheckpointBuilder checkpoint = cairn.begin()) {
            dataset.bag(2);
            checkpoint.add(dataset);
            checkpoint.commit();
          }
        });
    try (Checkpoints saved = Checkpoints.open(directory)) {
      assertThat(saved.newest().array("u").shape()).containsExactly(12L, 2L);
    }
  }

  @Test
  void memoryThatIsNotThePartIsRefusedByName() {
    save(
        2,
        (cairn, comm) -> {
          Dataset dataset = cairn.protect("u", new double[6 + comm.rank()]);
          dataset.part(rows(4, 2L * comm.rank(), 2));
          assertThatThrownBy(cairn::checkpoint)
              .hasMessageContaining("rank 1")
              .hasMessageContaining("\"u\": it has 7 elements")
              .hasMessageContaining("has 6 in memory, ghosts included");
          cairn.unprotect("u");
        });
  }

  @Test
  void opaqueStateCannotBeDivided() {
    save(
        1,
        (cairn, comm) -> {
          Dataset dataset = cairn.protectOpaque("o", () -> new byte[3], bytes -> {});
          assertThatThrownBy(() -> dataset.bag(1)).hasMessageContaining("no elements");
        });
  }
}
