// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a restored version has and nothing protects: a late {@code protect} restores it, and no
 * checkpoint drops it in silence.
 */
class LateProtectTest {
  private static final Options OPTIONS =
      Options.defaults().blockSize(128).threads(1).retain(3).every(Duration.ofNanos(1));
  private static final double[] U = new Random(1).doubles(100).toArray();

  private final CrashingStore store = new CrashingStore(1);

  private Checkpointer open() {
    return Checkpointer.open(store, OPTIONS);
  }

  /** Version 1.1 with these. */
  private void save(Consumer<Checkpointer> protect) {
    try (Checkpointer cairn = open()) {
      cairn.protect("step", 7L);
      protect.accept(cairn);
      cairn.checkpoint();
    }
  }

  private void saveU() {
    save(cairn -> cairn.protect("u", U.clone()));
  }

  /** One that has restored "step" only. */
  private Checkpointer restarted(RestartRequest request) {
    Checkpointer cairn = open();
    cairn.protect("step", 0L);
    cairn.restart(request);
    return cairn;
  }

  private Checkpointer restarted() {
    return restarted(RestartRequest.newest());
  }

  // ---------------------------------------------------------------- restored at once

  /** A state of every kind that can be protected, each a function of a seed. */
  private static final class AllKinds {
    final byte[] bytes = new byte[300];
    final boolean[] booleans = new boolean[300];
    final char[] chars = new char[300];
    final short[] shorts = new short[300];
    final int[] ints = new int[300];
    final long[] longs = new long[300];
    final float[] floats = new float[300];
    final double[] doubles = new double[300];
    final MemorySegment segment = Arena.ofAuto().allocate(400);
    final MemorySegment typed = Arena.ofAuto().allocate(400, 8);
    final DoubleBuffer buffer =
        ByteBuffer.allocateDirect(800).order(ByteOrder.nativeOrder()).asDoubleBuffer();
    float[] growing = new float[0];
    byte[] opaque = new byte[0];
    final Fields fields = new Fields();

    static final class Fields {
      @Protect int number;
      @Protect String title = "";
      @Protect double[] field = {};
    }

    void fill(Random random) {
      random.nextBytes(bytes);
      for (int i = 0; i < 300; i++) {
        booleans[i] = random.nextBoolean();
        chars[i] = (char) random.nextInt();
        shorts[i] = (short) random.nextInt();
        ints[i] = random.nextInt();
        longs[i] = random.nextLong();
        floats[i] = random.nextFloat();
        doubles[i] = random.nextDouble();
      }
      for (int i = 0; i < 400; i++) {
        segment.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
        typed.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
      }
      for (int i = 0; i < 100; i++) {
        buffer.put(i, random.nextDouble());
      }
      growing = new float[] {random.nextFloat(), random.nextFloat(), 3};
      opaque = new byte[] {1, 2, (byte) random.nextInt()};
      fields.number = random.nextInt();
      fields.title = "title " + random.nextInt();
      fields.field = random.doubles(77).toArray();
    }

    void protect(Checkpointer cairn) {
      cairn.protect("bytes", bytes);
      cairn.protect("booleans", booleans);
      cairn.protect("chars", chars);
      cairn.protect("shorts", shorts);
      cairn.protect("ints", ints);
      cairn.protect("longs", longs);
      cairn.protect("floats", floats);
      cairn.protect("doubles", doubles).shape(20, 15);
      cairn.protect("segment", segment);
      cairn.protect("typed", typed, ElementType.DOUBLE);
      cairn.protect("buffer", buffer);
      cairn.protect("growing", float[].class, () -> growing, n -> growing = new float[(int) n]);
      cairn.protectOpaque("opaque", () -> opaque, saved -> opaque = saved);
      cairn.protectObject("fields", fields);
    }

    void assertSame(AllKinds other) {
      assertThat(bytes).isEqualTo(other.bytes);
      assertThat(booleans).isEqualTo(other.booleans);
      assertThat(chars).isEqualTo(other.chars);
      assertThat(shorts).isEqualTo(other.shorts);
      assertThat(ints).isEqualTo(other.ints);
      assertThat(longs).isEqualTo(other.longs);
      assertThat(floats).isEqualTo(other.floats);
      assertThat(doubles).isEqualTo(other.doubles);
      assertThat(segment.mismatch(other.segment)).isEqualTo(-1);
      assertThat(typed.mismatch(other.typed)).isEqualTo(-1);
      assertThat(buffer).isEqualTo(other.buffer);
      assertThat(growing).isEqualTo(other.growing);
      assertThat(opaque).isEqualTo(other.opaque);
      assertThat(fields).usingRecursiveComparison().isEqualTo(other.fields);
    }
  }

  @Test
  void everyKindOfDatasetIsRestoredWhenItIsProtected() {
    AllKinds saved = new AllKinds();
    save(
        cairn -> {
          saved.protect(cairn);
          cairn.protect("time", 2.5);
          cairn.protect("done", true);
          saved.fill(Seeds.content(2));
        });
    AllKinds late = new AllKinds();
    late.fill(Seeds.content(3));
    try (Checkpointer cairn = restarted()) {
      late.protect(cairn);
      DoubleCell time = cairn.protect("time", 0.0);
      BooleanCell done = cairn.protect("done", false);
      late.assertSame(saved);
      assertThat(time.get()).isEqualTo(2.5);
      assertThat(done.get()).isTrue();
      assertThat(cairn.checkpoint().stats().orElseThrow().dirtyBlocks())
          .as("the next checkpoint goes on from what was restored")
          .isZero();
    }
    AllKinds again = new AllKinds();
    try (Checkpointer cairn = open()) {
      again.protect(cairn);
      LongCell step = cairn.protect("step", 0L);
      assertThat(cairn.restart().ignored()).containsExactlyInAnyOrder("time", "done");
      assertThat(step.get()).isEqualTo(7);
      again.assertSame(saved);
    }
  }

  @Test
  void whatTheVersionNeverHadCanBeProtectedAtAnyTime() {
    saveU();
    try (Checkpointer cairn = restarted()) {
      double[] mine = {1, 2, 3};
      cairn.protect("new", mine);
      cairn.protect("u", new double[100]);
      cairn.checkpoint();
      cairn.protect("newer", mine);
      assertThat(mine).containsExactly(1, 2, 3);
      cairn.unprotect("u");
      double[] other = {5};
      cairn.protect("u", other);
      assertThat(other).as("after a checkpoint it is another dataset").containsExactly(5);
      cairn.checkpoint();
    }
  }

  @Test
  void aMismatchIsTheErrorThatARestartGives() {
    saveU();
    try (Checkpointer cairn = restarted()) {
      double[] wrong = {1, 2, 3};
      assertThatThrownBy(() -> cairn.protect("u", wrong))
          .isInstanceOf(DatasetMismatchException.class)
          .hasMessageContainingAll("\"u\"", "double[100]", "double[3]", "the shapes differ");
      assertThat(wrong).containsExactly(1, 2, 3);
      assertThatThrownBy(() -> cairn.protect("u", new float[100]))
          .isInstanceOf(DatasetMismatchException.class)
          .hasMessageContainingAll("double[100]", "float[100]", "the element types differ");
      assertThatThrownBy(() -> cairn.dataset("u")).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(cairn::checkpoint).hasMessageContaining("[u]");
      double[] right = new double[100];
      cairn.protect("u", right);
      assertThat(right).isEqualTo(U);
      cairn.checkpoint();
    }
  }

  @Test
  void aMismatchOfOneFieldProtectsNone() {
    AllKinds.Fields saved = new AllKinds.Fields();
    saved.number = 5;
    save(cairn -> cairn.protectObject("f", saved));
    class Other {
      @Protect int number;
      @Protect double title;
    }
    try (Checkpointer cairn = restarted()) {
      Other other = new Other();
      assertThatThrownBy(() -> cairn.protectObject("f", other))
          .isInstanceOf(DatasetMismatchException.class)
          .hasMessageContaining("f.title");
      assertThat(other.number).isZero();
      AllKinds.Fields right = new AllKinds.Fields();
      cairn.protectObject("f", right);
      assertThat(right.number).isEqualTo(5);
    }
  }

  /** A shape is said after protect, so after the content has come. */
  @Test
  void theShapeThatWasSavedHolds() {
    save(cairn -> cairn.protect("u", U.clone()).shape(20, 5));
    try (Checkpointer cairn = restarted()) {
      Dataset u = cairn.protect("u", new double[100]);
      assertThat(u.shape()).containsExactly(20L, 5L);
      assertThatThrownBy(() -> u.shape(5, 20))
          .isInstanceOf(DatasetMismatchException.class)
          .hasMessageContainingAll("double[20][5]", "double[5][20]", "the shapes differ");
      assertThat(u.shape(20, 5).shape()).containsExactly(20L, 5L);
      cairn.checkpoint();
      assertThat(u.shape(10, 10).shape()).as("later it may have another").containsExactly(10L, 10L);
    }
    double[][] u = {new double[7]};
    try (Checkpointer cairn = restarted()) {
      Dataset late =
          cairn.protect("u", double[].class, () -> u[0], n -> u[0] = new double[(int) n]);
      assertThat(late.shape(7, 1).shape()).as("as in a restart").containsExactly(20L, 5L);
      u[0] = new double[12];
      assertThat(late.shape(3, 4).shape()).as("another array").containsExactly(3L, 4L);
    }
  }

  // ---------------------------------------------------------------- checkpoints are refused

  /** The ways to take a checkpoint. */
  private enum Way {
    CHECKPOINT(Checkpointer::checkpoint),
    ASYNCHRONOUS(Checkpointer::checkpointAsync),
    IF_DUE(Checkpointer::checkpointIfDue),
    STEP_BY_STEP(cairn -> cairn.begin().commit());

    private final Consumer<Checkpointer> call;

    Way(Consumer<Checkpointer> call) {
      this.call = call;
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void noCheckpointDropsWhatNothingProtects(Way way) {
    save(
        cairn -> {
          cairn.protect("u", U.clone());
          cairn.protect("v", 3.5);
        });
    try (Checkpointer cairn = restarted()) {
      long before = store.operations();
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> way.call.accept(cairn))
            .isExactlyInstanceOf(IllegalStateException.class)
            .hasMessageContainingAll(
                "version 1.1", "[u, v]", "protect()", "unprotect(name)", "RestartRequest.dropping");
      }
      assertThat(store.operations()).as("nothing was done").isEqualTo(before);
      cairn.protect("u", new double[100]);
      assertThatThrownBy(() -> way.call.accept(cairn)).hasMessageContaining("[v]");
      assertThat(cairn.protect("v", 0.0).get()).isEqualTo(3.5);
      way.call.accept(cairn);
    }
    try (Checkpointer cairn = open()) {
      assertThat(cairn.versions()).hasSize(2);
    }
  }

  @Test
  void aMessageNamesSomeOfVeryMany() {
    save(
        cairn -> {
          for (int i = 0; i < 500; i++) {
            cairn.protect("d" + i, (long) i);
          }
        });
    try (Checkpointer cairn = restarted()) {
      assertThatThrownBy(cairn::checkpoint)
          .hasMessageContaining("d115] and 480 more")
          .message()
          .hasSizeLessThan(600);
      for (int i = 0; i < 500; i++) {
        assertThat(cairn.protect("d" + i, -1L).get()).isEqualTo(i);
      }
      cairn.checkpoint();
    }
  }

  /** Not only no more than proportional: what a call costs follows from what it restores. */
  @Test
  void aSmallDatasetCostsLittle() {
    int many = 1000;
    save(
        cairn -> {
          for (int i = 0; i < many; i++) {
            cairn.protect("d" + i, (long) i);
          }
        });
    try (Checkpointer cairn = restarted()) {
      ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      cairn.protect("d0", -1L);
      long before = thread.getCurrentThreadAllocatedBytes();
      for (int i = 1; i < many; i++) {
        cairn.protect("d" + i, -1L);
      }
      assertThat((thread.getCurrentThreadAllocatedBytes() - before) / many)
          .as("bytes of heap a call")
          .isLessThan(16 << 10);
    }
  }

  @Test
  void whatIsGivenUpIsDropped() {
    saveU();
    try (Checkpointer cairn = restarted(RestartRequest.newest().dropping("u", "never there"))) {
      cairn.checkpoint();
      assertThat(cairn.versions().getFirst().protectedBytes()).isEqualTo(8);
    }
    try (Checkpointer cairn = restarted(RestartRequest.newest().dropping(List.of("u")))) {
      cairn.checkpoint();
      assertThat(cairn.versions()).as("said at each start").hasSize(3);
    }
  }

  @Test
  void unprotectGivesUpToo() {
    saveU();
    try (Checkpointer cairn = restarted()) {
      assertThatThrownBy(() -> cairn.unprotect("w")).isInstanceOf(IllegalArgumentException.class);
      cairn.unprotect("u");
      cairn.checkpoint();
      assertThatThrownBy(() -> cairn.unprotect("u")).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void whatIsGivenUpCanBeginAgainAsSomethingElse() {
    saveU();
    try (Checkpointer cairn = restarted(RestartRequest.newest().dropping("u"))) {
      int[] other = {1, 2, 3};
      cairn.protect("u", other);
      assertThat(other).containsExactly(1, 2, 3);
      cairn.checkpoint();
    }
    try (Checkpointer cairn = restarted()) {
      int[] other = new int[3];
      cairn.protect("u", other);
      assertThat(other).containsExactly(1, 2, 3);
    }
  }

  @Test
  void whatIsProtectedCannotBeGivenUp() {
    saveU();
    try (Checkpointer cairn = open()) {
      double[] u = new double[100];
      cairn.protect("u", u);
      cairn.protect("step", 0L);
      assertThatThrownBy(() -> cairn.restart(RestartRequest.newest().dropping("u")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("dataset \"u\" is to be dropped, but it is protected");
      cairn.restart();
      assertThat(u).isEqualTo(U);
    }
  }

  @Test
  void aRequestSaysWhatItDrops() {
    RestartRequest request = RestartRequest.newest().dropping("b", "a", "b").dropping("c");
    assertThat(request.dropping()).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(request)
        .hasToString("version newest, all datasets, dropping [a, b, c], job any, otherwise REFUSE");
    assertThat(request.isChoice()).isFalse();
    assertThat(request.job("12").orBeginAnew().version("1.1").only("x").dropping()).hasSize(3);
  }

  // ---------------------------------------------------------------- restarts of other kinds

  @Test
  void ofARestartOfSomeDatasetsTheOthersKeepWhatTheProgramHas() {
    saveU();
    try (Checkpointer cairn = restarted(RestartRequest.newest().only("step"))) {
      assertThatThrownBy(cairn::checkpoint).hasMessageContaining("[u]");
      double[] mine = {4, 5};
      cairn.protect("u", mine);
      assertThat(mine).as("as if it had been protected before").containsExactly(4, 5);
      cairn.checkpoint();
    }
  }

  @Test
  void readingSomeDatasetsOfAnotherVersionChangesNothing() {
    saveU();
    try (Checkpointer cairn = restarted()) {
      VersionId first = cairn.versions().getFirst().id();
      cairn.restart(RestartRequest.newest().only("step"));
      assertThatThrownBy(cairn::checkpoint).hasMessageContaining("[u]");
      cairn.unprotect("u");
      cairn.checkpoint();
      RestartReport report = cairn.restart(RestartRequest.newest().version(first).only("step"));
      assertThat(report.ignored()).containsExactly("u");
      cairn.checkpoint();
    }
  }

  @Test
  void theLastRestartCounts() {
    try (Checkpointer cairn = open()) {
      cairn.protect("step", 1L);
      cairn.checkpoint();
      cairn.protect("u", U.clone());
      cairn.checkpoint();
    }
    try (Checkpointer cairn = restarted()) {
      VersionId first = cairn.versions().getLast().id();
      assertThatThrownBy(cairn::checkpoint).hasMessageContaining("[u]");
      cairn.restart(RestartRequest.newest().version(first));
      double[] mine = {4, 5};
      cairn.protect("u", mine);
      assertThat(mine).as("the older version did not have it").containsExactly(4, 5);
      cairn.unprotect("u");
      cairn.restart(RestartRequest.newest().version("1.2"));
      assertThatThrownBy(cairn::checkpoint).hasMessageContaining("[u]");
      assertThatThrownBy(() -> cairn.restart(RestartRequest.newest().version("1.9")))
          .isInstanceOf(CheckpointUnavailableException.class);
      assertThatThrownBy(cairn::checkpoint).as("it changed nothing").hasMessageContaining("[u]");
      cairn.restart(RestartRequest.beginAnew());
      cairn.checkpoint();
    }
  }

  @Test
  void whoIgnoresThatNothingWasProtectedLosesNothing() {
    saveU();
    try (Checkpointer cairn = open()) {
      assertThatThrownBy(cairn::restart).hasMessageContaining("nothing is protected");
      assertThatThrownBy(cairn::checkpoint).hasMessageContaining("[step, u]");
      assertThat(cairn.protect("step", 0L).get()).isEqualTo(7);
      cairn.protect("u", new double[100]);
      cairn.checkpoint();
    }
  }

  // ---------------------------------------------------------------- functions that protect

  @Test
  void aFunctionThatARestartCallsMayProtect() {
    byte[] size = {100};
    save(
        cairn -> {
          cairn.protectOpaque("size", () -> size, saved -> {});
          cairn.protect("u", U.clone());
          cairn.protectOpaque("late", () -> size, saved -> {});
          cairn.protect("v", 3.5);
        });
    double[][] u = new double[1][];
    DoubleCell[] v = new DoubleCell[1];
    try (Checkpointer cairn = open()) {
      cairn.protect("step", 0L);
      cairn.protectOpaque(
          "size", () -> size, saved -> cairn.protect("u", u[0] = new double[saved[0]]));
      cairn.restart();
      assertThat(u[0]).isEqualTo(U);
      cairn.protectOpaque(
          "late",
          () -> size,
          saved -> {
            v[0] = cairn.protect("v", 0.0);
            assertThatThrownBy(cairn::checkpoint).hasMessageContaining("protect() is going on");
            assertThatThrownBy(cairn::close).hasMessageContaining("protect() is going on");
          });
      assertThat(v[0].get()).isEqualTo(3.5);
      cairn.checkpoint();
    }
  }

  // ---------------------------------------------------------------- damage

  @Test
  void damageIsToldAndNothingIsDropped() throws IOException {
    saveU();
    long place = placeOf(U[50]);
    try (Checkpointer cairn = restarted()) {
      store.flipBit(SampleState.FILE, 8 * place);
      assertThatThrownBy(() -> cairn.protect("u", new double[100]))
          .isInstanceOf(CheckpointUnavailableException.class)
          .hasMessageContainingAll(
              "version 1.1 cannot give [u] any more",
              "block 3 of \"u\": digest",
              SampleState.FILE + ", offset",
              "start again and protect it before restart()");
      assertThatThrownBy(cairn::checkpoint).hasMessageContaining("[u]");
      store.flipBit(SampleState.FILE, 8 * place);
      double[] u = new double[100];
      cairn.protect("u", u);
      assertThat(u).isEqualTo(U);
    }
  }

  private long placeOf(double value) throws IOException {
    try (StoreFile file = store.open(SampleState.FILE, Store.Access.READ);
        Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate(file.size());
      file.read(0, all);
      for (long i = 0; i + 8 <= all.byteSize(); i++) {
        if (all.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, i) == value) {
          return i;
        }
      }
    }
    throw new AssertionError("it is not there");
  }
}
