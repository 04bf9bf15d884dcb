// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.cairn.codec.BlockCodecs;
import org.cairn.hash.WeakHash;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.Seeds;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be protected, comes back; what cannot, is refused with the reason. */
class DatasetTest {
  @Test
  void memoryOfOneThreadIsRefused() {
    try (Checkpointer cairn = Checkpointer.open(new MemoryStore(), SampleState.options());
        Arena arena = Arena.ofConfined()) {
      MemorySegment confined = arena.allocate(64);
      assertThatThrownBy(() -> cairn.protect("a", confined))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("Arena.ofShared()");
      cairn.protect("b", MemorySegment.class, () -> confined, n -> confined);
      assertThatThrownBy(cairn::checkpoint)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("\"b\"")
          .hasMessageContaining("Arena.ofShared()");
      cairn.unprotect("b");
      cairn.checkpoint();
    }
  }

  @Test
  void whoIsCalledByARestartMustNotTakeACheckpoint() {
    MemoryStore store = new MemoryStore();
    try (Checkpointer cairn = Checkpointer.open(store, SampleState.options())) {
      cairn.protectOpaque("o", () -> new byte[] {7}, bytes -> {});
      cairn.checkpoint();
    }
    try (Checkpointer cairn = Checkpointer.open(store, SampleState.options())) {
      byte[] seen = new byte[1];
      cairn.protectOpaque(
          "o",
          () -> seen,
          bytes -> {
            assertThatThrownBy(cairn::checkpoint).hasMessageContaining("restart() is going on");
            assertThatThrownBy(cairn::restart).hasMessageContaining("restart() is going on");
            seen[0] = bytes[0];
          });
      cairn.restart();
      assertThat(seen[0]).isEqualTo((byte) 7);
      cairn.checkpoint();
    }
  }

  private static final Options SMALL = Options.defaults().blockSize(128).threads(1).retain(3);

  private final MemoryStore store = new MemoryStore();

  private interface Use {
    void of(Checkpointer cairn) throws Exception;
  }

  private void with(Use use) throws Exception {
    with(SMALL.strategy(Strategy.DIFFERENTIAL), use);
  }

  private void with(Options options, Use use) throws Exception {
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      use.of(cairn);
    }
  }

  // ---------------------------------------------------------------- kinds of memory

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 127, 128, 129, 1000})
  void everyPrimitiveArray(int length) throws Exception {
    Random random = Seeds.content(length);
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    boolean[] booleans = new boolean[length];
    char[] chars = new char[length];
    short[] shorts = new short[length];
    for (int i = 0; i < length; i++) {
      booleans[i] = random.nextBoolean();
      chars[i] = (char) random.nextInt();
      shorts[i] = (short) random.nextInt();
    }
    int[] ints = random.ints(length).toArray();
    long[] longs = random.longs(length).toArray();
    double[] doubles =
        random
            .doubles(length)
            .map(
                d ->
                    Double.longBitsToDouble(Double.doubleToRawLongBits(d) ^ 0x7FF0_0000_0000_0001L))
            .toArray();
    float[] floats = new float[length];
    for (int i = 0; i < length; i++) {
      floats[i] = random.nextFloat();
    }
    List<Object> all = List.of(bytes, booleans, chars, shorts, ints, longs, floats, doubles);
    List<Object> saved = all.stream().map(DatasetTest::copy).toList();
    with(
        cairn -> {
          protectAll(cairn, all);
          cairn.checkpoint();
        });
    List<Object> again = all.stream().map(DatasetTest::blank).toList();
    with(
        cairn -> {
          protectAll(cairn, again);
          RestartReport report = cairn.restart();
          assertThat(report.restored()).hasSize(8);
          assertThat(report.bytes()).isEqualTo(length * 30L);
        });
    for (int i = 0; i < all.size(); i++) {
      assertThat(bitsOf(again.get(i))).isEqualTo(bitsOf(saved.get(i)));
    }
  }

  private static void protectAll(Checkpointer cairn, List<Object> arrays) {
    cairn.protect("bytes", (byte[]) arrays.get(0));
    cairn.protect("booleans", (boolean[]) arrays.get(1));
    cairn.protect("chars", (char[]) arrays.get(2));
    cairn.protect("shorts", (short[]) arrays.get(3));
    cairn.protect("ints", (int[]) arrays.get(4));
    cairn.protect("longs", (long[]) arrays.get(5));
    cairn.protect("floats", (float[]) arrays.get(6));
    cairn.protect("doubles", (double[]) arrays.get(7));
  }

  private static Object copy(Object array) {
    Object copy = blank(array);
    System.arraycopy(array, 0, copy, 0, java.lang.reflect.Array.getLength(array));
    return copy;
  }

  private static Object blank(Object array) {
    return java.lang.reflect.Array.newInstance(
        array.getClass().getComponentType(), java.lang.reflect.Array.getLength(array));
  }

  /** Doubles by their bits: every NaN is to come back as it was. */
  private static Object bitsOf(Object array) {
    return array instanceof double[] doubles
        ? Arrays.stream(doubles).mapToLong(Double::doubleToRawLongBits).toArray()
        : array;
  }

  @Test
  void directBuffersOfEachKind() throws Exception {
    with(
        cairn -> {
          protectBuffers(cairn, 1);
          cairn.checkpoint();
        });
    with(
        cairn -> {
          List<ByteBuffer> buffers = protectBuffers(cairn, 0);
          cairn.restart();
          for (ByteBuffer buffer : buffers) {
            for (int i = 0; i < buffer.capacity(); i++) {
              assertThat(buffer.get(i)).isEqualTo((byte) (i + 1));
            }
          }
        });
  }

  private static List<ByteBuffer> protectBuffers(Checkpointer cairn, int content) {
    List<ByteBuffer> buffers = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(800).order(ByteOrder.nativeOrder());
      for (int j = 0; j < 800 && content == 1; j++) {
        buffer.put(j, (byte) (j + 1));
      }
      buffers.add(buffer);
    }
    cairn.protect("byte", buffers.get(0).position(13).limit(14));
    cairn.protect("char", buffers.get(1).asCharBuffer());
    cairn.protect("short", buffers.get(2).asShortBuffer());
    cairn.protect("int", buffers.get(3).asIntBuffer());
    cairn.protect("long", buffers.get(4).asLongBuffer());
    cairn.protect("float", buffers.get(5).asFloatBuffer());
    cairn.protect("double", buffers.get(6).asDoubleBuffer());
    buffers.get(0).clear();
    return buffers;
  }

  @Test
  void buffersThatCannotBeRestoredAreRefused() throws Exception {
    with(
        cairn -> {
          assertThatThrownBy(() -> cairn.protect("heap", ByteBuffer.allocate(8)))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("heap buffer");
          ByteBuffer direct = ByteBuffer.allocateDirect(8);
          assertThatThrownBy(() -> cairn.protect("r", direct.asReadOnlyBuffer()))
              .hasMessageContaining("read-only");
          ByteOrder foreign =
              ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN
                  ? ByteOrder.LITTLE_ENDIAN
                  : ByteOrder.BIG_ENDIAN;
          assertThatThrownBy(() -> cairn.protect("f", direct.order(foreign).asIntBuffer()))
              .hasMessageContaining("byte order");
          MemorySegment readOnly = MemorySegment.ofArray(new byte[8]).asReadOnly();
          assertThatThrownBy(() -> cairn.protect("s", readOnly)).hasMessageContaining("read-only");
        });
  }

  @Test
  void segmentsWithAndWithoutAType() throws Exception {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment raw = arena.allocate(1001);
      MemorySegment typed = arena.allocate(8 * 100, 8);
      raw.fill((byte) 5);
      typed.setAtIndex(ValueLayout.JAVA_DOUBLE, 99, 2.5);
      with(
          cairn -> {
            cairn.protect("raw", raw);
            cairn.protect("typed", typed, ElementType.DOUBLE);
            cairn.checkpoint();
            raw.fill((byte) 0);
            typed.fill((byte) 0);
            cairn.restart();
            assertThat(raw.get(ValueLayout.JAVA_BYTE, 1000)).isEqualTo((byte) 5);
            assertThat(typed.getAtIndex(ValueLayout.JAVA_DOUBLE, 99)).isEqualTo(2.5);
            assertThatThrownBy(() -> cairn.protect("odd", raw, ElementType.DOUBLE))
                .hasMessageContaining("\"odd\"")
                .hasMessageContaining("1001 bytes");
          });
    }
  }

  /** 2.2 GiB off the heap, with little else in it than zeros so that it is quick. */
  @Tag("slow")
  @Test
  @Timeout(value = 600, unit = TimeUnit.SECONDS)
  void aSegmentLargerThanAnArrayCanBe(@TempDir Path directory) throws Exception {
    long size = (2L << 30) + (200L << 20) + 12_345;
    assumeTrue(freeMemory() > 3L << 30, "needs 3 GiB of free memory");
    assumeTrue(Files.getFileStore(directory).getUsableSpace() > 1L << 30, "needs 1 GiB of disk");
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(size, 4096);
      long[] places = {0, (1L << 31) - 1, 1L << 31, (1L << 31) + 16384, size - 1};
      try (Checkpointer cairn = Checkpointer.open(directory)) {
        cairn.protect("huge", memory);
        for (long place : places) {
          memory.set(ValueLayout.JAVA_BYTE, place, (byte) (place % 100 + 1));
        }
        CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
        assertThat(stats.protectedBytes()).isEqualTo(size);
        memory.set(ValueLayout.JAVA_BYTE, (1L << 31) + 5_000_000, (byte) 9);
        cairn.checkpoint();
        memory.fill((byte) 0x55);
        cairn.restart();
      }
      for (long place : places) {
        assertThat(memory.get(ValueLayout.JAVA_BYTE, place)).isEqualTo((byte) (place % 100 + 1));
      }
      assertThat(memory.get(ValueLayout.JAVA_BYTE, (1L << 31) + 5_000_000)).isEqualTo((byte) 9);
      assertThat(memory.get(ValueLayout.JAVA_BYTE, 1L << 30)).isZero();
      assertThat(memory.get(ValueLayout.JAVA_BYTE, size - 2)).isZero();
    }
  }

  private static long freeMemory() throws Exception {
    Path info = Path.of("/proc/meminfo");
    if (Files.notExists(info)) {
      return ((com.sun.management.OperatingSystemMXBean)
              ManagementFactory.getOperatingSystemMXBean())
          .getFreeMemorySize();
    }
    for (String line : Files.readAllLines(info)) {
      if (line.startsWith("MemAvailable:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }
    return 0;
  }

  // ---------------------------------------------------------------- scalars, functions, objects

  @Test
  void scalars() throws Exception {
    with(
        cairn -> {
          LongCell steps = cairn.protect("steps", 1L);
          DoubleCell time = cairn.protect("time", 0.5);
          BooleanCell done = cairn.protect("done", false);
          steps.set(Long.MIN_VALUE);
          time.set(-0.0);
          done.set(true);
          cairn.checkpoint();
        });
    with(
        cairn -> {
          LongCell steps = cairn.protect("steps", 1L);
          DoubleCell time = cairn.protect("time", 0.5);
          BooleanCell done = cairn.protect("done", false);
          cairn.restart();
          assertThat(steps.get()).isEqualTo(Long.MIN_VALUE);
          assertThat(Double.doubleToRawLongBits(time.get())).isEqualTo(Long.MIN_VALUE);
          assertThat(done.get()).isTrue();
        });
  }

  @Test
  void opaqueStateOfAnySize() throws Exception {
    for (String text : List.of("", "short", "long ".repeat(1000), "x")) {
      with(
          cairn -> {
            cairn.protectOpaque("text", () -> text.getBytes(StandardCharsets.UTF_8), b -> {});
            cairn.restart();
            cairn.checkpoint();
          });
      List<String> loaded = new ArrayList<>();
      with(
          cairn -> {
            cairn.protectOpaque(
                "text", () -> new byte[0], b -> loaded.add(new String(b, StandardCharsets.UTF_8)));
            cairn.restart();
          });
      assertThat(loaded).containsExactly(text);
    }
  }

  static class Base {
    @Protect int inherited;
    @Protect private boolean flag;
  }

  static class Inner {
    @Protect float[] weights = {1, 2, 3};
    int ignored = 7;
  }

  static class Model extends Base {
    @Protect byte b;
    @Protect short s;
    @Protect char c;
    @Protect long l;
    @Protect float f;
    @Protect double d;
    @Protect String title = "";
    @Protect double @Nullable [] field = new double[10];
    @Protect final int[] fixed = new int[4];

    @Protect("renamed")
    boolean[] mask = {true, false};

    @Protect final Inner inner = new Inner();
    String ignored = "ignored";
  }

  @Test
  void annotatedObjects() throws Exception {
    Model model = new Model();
    with(
        cairn -> {
          cairn.protectObject("model", model);
          model.inherited = 1;
          ((Base) model).flag = true;
          model.b = 2;
          model.s = 3;
          model.c = 'ж';
          model.l = 4;
          model.f = 5;
          model.d = 6;
          model.title = "Ein Titel – ganz schön";
          model.field = new double[] {7, 8, 9};
          model.fixed[3] = 10;
          model.mask = new boolean[] {false, true, true};
          model.inner.weights = new float[] {11};
          cairn.checkpoint();
        });
    Model again = new Model();
    again.field = null;
    with(
        cairn -> {
          List<Dataset> datasets = cairn.protectObject("model", again);
          assertThat(datasets)
              .extracting(Dataset::name)
              .contains("model.renamed", "model.inner.weights");
          cairn.restart();
        });
    assertThat(again).usingRecursiveComparison().isEqualTo(model);
    assertThat(again.field).as("a null array is allocated").containsExactly(7, 8, 9);
  }

  static class WithList {
    @Protect List<String> names = List.of();
  }

  static class WithFinalScalar {
    @Protect final int number = Integer.parseInt("3");
  }

  static class WithStatic {
    @Protect static int number;
  }

  static class WithNothing {
    int number;
  }

  static class Loop {
    @Protect int number;
    @Protect final Loop next = this;
  }

  static class WithMatrix {
    @Protect int[][] rows = new int[2][2];
  }

  @Test
  void fieldsThatCannotBeProtectedAreRefusedByName() throws Exception {
    with(
        cairn -> {
          refused(cairn, new WithList(), "names", "protectOpaque");
          refused(cairn, new WithFinalScalar(), "number", "final");
          refused(cairn, new WithStatic(), "number", "static");
          refused(cairn, new WithNothing(), "WithNothing", "@Protect");
          refused(cairn, new Loop(), "next", "leads back");
          refused(cairn, new WithMatrix(), "rows", "cannot be protected");
        });
  }

  private static void refused(Checkpointer cairn, Object state, String... parts) {
    assertThatThrownBy(() -> cairn.protectObject("x", state))
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(e -> assertThat(e.getMessage()).contains(parts));
  }

  @Test
  void aNullArrayAtACheckpointIsNamed() throws Exception {
    Model model = new Model();
    model.field = null;
    with(
        cairn -> {
          cairn.protectObject("model", model);
          assertThatThrownBy(cairn::checkpoint)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("field")
              .hasMessageContaining("null");
          model.field = new double[1];
          cairn.checkpoint();
        });
  }

  @Test
  void aSupplierThatGivesNullIsNamedAndTheNextCheckpointIsFine() throws Exception {
    double[][] array = {null};
    with(
        cairn -> {
          cairn.protect(
              "late", double[].class, () -> array[0], n -> array[0] = new double[(int) n]);
          assertThatThrownBy(cairn::checkpoint)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContainingAll("\"late\"", "null");
          assertThatThrownBy(cairn::begin).hasMessageContaining("\"late\"");
          array[0] = new double[] {1, 2};
          cairn.checkpoint();
          array[0] = null;
          cairn.restart();
          assertThat(array[0]).containsExactly(1, 2);
        });
  }

  @Test
  void aMismatchOfAnArrayThatDoesNotExistYetIsNamed() throws Exception {
    save("late", new double[3]);
    with(
        cairn -> {
          cairn.protect("late", float[].class, () -> null, n -> new float[(int) n]);
          assertThatThrownBy(cairn::restart)
              .isInstanceOf(DatasetMismatchException.class)
              .hasMessageContainingAll("\"late\"", "double[3]", "float[]");
        });
  }

  /** A program whose function throws gets its own exception, and goes on afterwards. */
  @Test
  void aSaveFunctionThatThrowsEndsOnlyThatCheckpoint() throws Exception {
    boolean[] broken = {true};
    with(
        cairn -> {
          cairn.protectOpaque(
              "o",
              () -> {
                if (broken[0]) {
                  throw new UnsupportedOperationException("not now");
                }
                return new byte[] {1};
              },
              b -> {});
          assertThatThrownBy(cairn::checkpoint)
              .isInstanceOf(UnsupportedOperationException.class)
              .hasMessage("not now");
          broken[0] = false;
          cairn.checkpoint();
          assertThat(cairn.versions()).hasSize(1);
        });
  }

  // ---------------------------------------------------------------- dynamic

  @Test
  void growsShrinksMovesAppearsAndDisappears() throws Exception {
    int[][] moving = {new int[100]};
    with(
        cairn -> {
          cairn.protect("moving", int[].class, () -> moving[0], n -> moving[0] = new int[(int) n]);
          Dataset replaced = cairn.protect("replaced", new long[10]);
          cairn.protect("passing", new byte[500]);
          cairn.checkpoint();
          for (int length : new int[] {1000, 33, 0, 7, 5000}) {
            moving[0] = new Random(length).ints(length).toArray();
            replaced.replace(new Random(length + 1).longs(length / 2).toArray());
            cairn.checkpoint();
          }
          cairn.unprotect("passing");
          cairn.protect("late", new char[] {'a', 'b'});
          cairn.checkpoint();
        });
    List<Long> sizes = new ArrayList<>();
    with(
        cairn -> {
          cairn.protect(
              "moving",
              int[].class,
              () -> moving[0],
              n -> {
                sizes.add(n);
                return moving[0] = new int[(int) n];
              });
          long[] replaced = new long[2500];
          cairn.protect("replaced", replaced);
          char[] late = new char[2];
          cairn.protect("late", late);
          cairn.protect("new", 1.5);
          RestartReport report = cairn.restart();
          assertThat(sizes).as("the allocator gets the saved size").containsExactly(5000L);
          assertThat(moving[0]).isEqualTo(new Random(5000).ints(5000).toArray());
          assertThat(replaced).isEqualTo(new Random(5001).longs(2500).toArray());
          assertThat(late).containsExactly('a', 'b');
          assertThat(report.absent()).containsExactly("new");
          assertThat(report.ignored()).isEmpty();
        });
  }

  @Test
  void aMovedArrayIsStillDifferential() throws Exception {
    double[] first = new Random(1).doubles(10_000).toArray();
    with(
        cairn -> {
          Dataset moved = cairn.protect("moved", first);
          cairn.checkpoint();
          double[] elsewhere = first.clone();
          elsewhere[17]++;
          moved.replace(elsewhere);
          CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
          assertThat(stats.dirtyBlocks()).isEqualTo(1);
        });
  }

  @Test
  void theFirstCheckpointAfterARestartIsDifferential() throws Exception {
    byte[] state = new byte[100_000];
    new Random(2).nextBytes(state);
    with(
        cairn -> {
          cairn.protect("state", state);
          cairn.checkpoint();
        });
    with(
        cairn -> {
          cairn.protect("state", state);
          cairn.restart();
          assertThat(cairn.checkpoint().stats().orElseThrow().dirtyBlocks()).isZero();
          state[99_999]++;
          assertThat(cairn.checkpoint().stats().orElseThrow().dirtyBlocks()).isEqualTo(1);
        });
  }

  // ---------------------------------------------------------------- mismatches

  @Test
  void anotherTypeIsRefusedWithBothNamed() throws Exception {
    save("u", new double[] {1, 2, 3});
    with(
        cairn -> {
          cairn.protect("u", new float[3]);
          assertThatThrownBy(cairn::restart)
              .isInstanceOf(DatasetMismatchException.class)
              .hasMessageContainingAll("\"u\"", "double[3]", "float[3]");
        });
  }

  @Test
  void anotherLengthIsRefusedWithBothNamedAndNothingChanged() throws Exception {
    save("u", new double[] {1, 2, 3});
    with(
        cairn -> {
          double[] other = {9, 9, 9, 9};
          long[] first = {4};
          cairn.protect("first", first);
          cairn.protect("u", other);
          assertThatThrownBy(cairn::restart)
              .isInstanceOf(DatasetMismatchException.class)
              .hasMessageContainingAll("\"u\"", "double[3]", "double[4]", "allocator");
          assertThat(other).containsExactly(9, 9, 9, 9);
          assertThat(first).containsExactly(4);
        });
  }

  @Test
  void anotherShapeIsRefusedWithBothNamed() throws Exception {
    with(
        cairn -> {
          cairn.protect("u", new double[12]).shape(3, 4);
          cairn.checkpoint();
        });
    with(
        cairn -> {
          cairn.protect("u", new double[12]).shape(4, 3);
          assertThatThrownBy(cairn::restart)
              .isInstanceOf(DatasetMismatchException.class)
              .hasMessageContainingAll("\"u\"", "double[3][4]", "double[4][3]");
        });
    with(
        cairn -> {
          Dataset shapeless = cairn.protect("u", new double[12]);
          cairn.restart();
          assertThat(shapeless.shape()).as("taken from the checkpoint").containsExactly(3L, 4L);
        });
  }

  @Test
  void anAllocatorThatGivesAnotherSizeIsNamed() throws Exception {
    save("u", new double[] {1, 2, 3});
    with(
        cairn -> {
          cairn.protect("u", double[].class, () -> new double[3], n -> new double[2]);
          assertThatThrownBy(cairn::restart)
              .isInstanceOf(DatasetMismatchException.class)
              .hasMessageContainingAll("\"u\"", "room for 2", "has 3");
        });
  }

  private void save(String name, double[] array) throws Exception {
    with(
        cairn -> {
          cairn.protect(name, array);
          cairn.checkpoint();
        });
  }

  /** What could be written but never read again must not be written. */
  @Test
  void shapesAndNamesThatNoFileCanHoldAreRefused() throws Exception {
    with(
        cairn -> {
          Dataset u = cairn.protect("u", new double[6]);
          u.shape(-2, -3);
          assertThatThrownBy(cairn::checkpoint).hasMessageContainingAll("\"u\"", "negative");
          long[] many = new long[300];
          Arrays.fill(many, 1);
          many[0] = 6;
          u.shape(many);
          assertThatThrownBy(cairn::checkpoint).hasMessageContainingAll("\"u\"", "255");
          u.shape(5);
          assertThatThrownBy(cairn::checkpoint).hasMessageContainingAll("\"u\"", "48 bytes");
          u.shape(1L << 61, 1);
          assertThatThrownBy(cairn::checkpoint)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("\"u\"");
          u.shape(6);
          cairn.checkpoint();
          assertThatThrownBy(() -> cairn.protect("\ud800", 1L)).hasMessageContaining("Unicode");
          assertThatThrownBy(() -> cairn.protect("", 1L)).hasMessageContaining("name");
          assertThatThrownBy(() -> cairn.protect("u", 1L)).hasMessageContaining("already");
        });
  }

  // ---------------------------------------------------------------- by choice

  @Test
  void oneDatasetOrAnOlderVersionByChoice() throws Exception {
    int[] a = {1};
    int[] b = {1};
    with(
        cairn -> {
          cairn.protect("a", a);
          cairn.protect("b", b);
          VersionId first = cairn.checkpoint().version();
          a[0] = 2;
          b[0] = 2;
          VersionId second = cairn.checkpoint().version();
          a[0] = 9;
          b[0] = 9;
          RestartReport report = cairn.restart(RestartRequest.newest().only("b"));
          assertThat(report.restored()).containsExactly("b");
          assertThat(new int[] {a[0], b[0]}).containsExactly(9, 2);
          cairn.restart(RestartRequest.newest().version(first).only("a"));
          assertThat(new int[] {a[0], b[0]}).containsExactly(1, 2);
          assertThat(cairn.restart().version()).contains(second);
          assertThat(cairn.restart(RestartRequest.newest().version(first)).version())
              .contains(first);
          assertThat(new int[] {a[0], b[0]}).containsExactly(1, 1);
          assertThat(cairn.versions().getFirst().id()).as("still there").isEqualTo(second);
          a[0] = 3;
          VersionId third = cairn.checkpoint().version();
          assertThat(cairn.versions())
              .as("the abandoned future goes with the next checkpoint")
              .extracting(v -> v.id())
              .containsExactly(third, first);
          a[0] = 0;
          cairn.restart();
          assertThat(new int[] {a[0], b[0]}).containsExactly(3, 1);
        });
  }

  @Test
  void aVersionThatIsNotThereIsNamedWithThoseThatAre() throws Exception {
    save("u", new double[3]);
    with(
        cairn -> {
          cairn.protect("u", new double[3]);
          RestartRequest request = RestartRequest.newest().version("7.8");
          assertThatThrownBy(() -> cairn.restart(request))
              .isInstanceOf(CheckpointUnavailableException.class)
              .hasMessageContainingAll("7.8", "1.1");
          assertThatThrownBy(() -> cairn.restart(RestartRequest.newest().only("v")))
              .hasMessageContainingAll("\"v\"", "[u]");
        });
  }

  // ---------------------------------------------------------------- hashes, codecs, block sizes

  @ParameterizedTest
  @MethodSource("org.cairn.hash.WeakHash#withStrong")
  void everyHashAlgorithmAndItsChange(HashAlgorithm algorithm) throws Exception {
    Options differential = SMALL.strategy(Strategy.DIFFERENTIAL);
    byte[] state = new byte[1000];
    new Random(3).nextBytes(state);
    with(differential, cairn -> checkpointOf(cairn, state));
    with(differential.hash(algorithm), cairn -> restartAndContinue(cairn, state));
    with(differential, cairn -> restartAndContinue(cairn, state));
  }

  @ParameterizedTest
  @EnumSource(Codec.class)
  void everyCodecAndItsChange(Codec codec) throws Exception {
    assumeTrue(
        BlockCodecs.unavailable(codec).isEmpty(), () -> BlockCodecs.unavailable(codec).orElse(""));
    byte[] state = "abcdefgh".repeat(200).getBytes(StandardCharsets.UTF_8);
    with(cairn -> checkpointOf(cairn, state));
    with(
        cairn -> {
          byte[] again = new byte[state.length];
          cairn.protect("state", again).codec(codec);
          cairn.restart();
          assertThat(again).isEqualTo(state);
          again[5]++;
          cairn.checkpoint();
          again[5]--;
          cairn.checkpoint();
        });
    with(cairn -> restartAndContinue(cairn, state));
  }

  @ParameterizedTest
  @ValueSource(ints = {128, 256, 1000, 16384, 1 << 20})
  void aChangedBlockSize(int blockSize) throws Exception {
    byte[] state = new byte[50_000];
    new Random(4).nextBytes(state);
    with(cairn -> checkpointOf(cairn, state));
    with(SMALL.blockSize(blockSize), cairn -> restartAndContinue(cairn, state));
    with(SMALL.blockSize(512), cairn -> restartAndContinue(cairn, state));
  }

  private static void checkpointOf(Checkpointer cairn, byte[] state) {
    cairn.protect("state", state);
    cairn.checkpoint();
  }

  private static void restartAndContinue(Checkpointer cairn, byte[] state) {
    byte[] again = new byte[state.length];
    cairn.protect("state", again);
    cairn.restart();
    assertThat(again).isEqualTo(state);
    again[7]++;
    cairn.checkpoint();
    again[7]--;
    cairn.checkpoint();
    Arrays.fill(again, (byte) 0);
    cairn.restart();
    assertThat(again).isEqualTo(state);
  }

  @Test
  void aWeakHashIsWarnedOf() throws Exception {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      Options.defaults().hash(WeakHash.ADLER_32);
      Options.defaults().hash(HashAlgorithm.MD5).hash(HashAlgorithm.SHA_256);
      with(cairn -> cairn.protect("u", new byte[1]).hash(WeakHash.ROTATING_XOR));
    } finally {
      System.setErr(before);
    }
    assertThat(log.toString(StandardCharsets.UTF_8))
        .contains("adler-32 is weak (32 bits)", "\"u\": rotating-xor is weak (64 bits)")
        .doesNotContain("md5", "sha-256");
  }

  @Test
  void holesHaveAValueThatAnElementCanHave() throws Exception {
    with(
        cairn -> {
          Part part = Part.of(new long[] {9}, new long[] {0}, new long[] {2});
          cairn.protect("d", new double[2]).part(part.holes(1e300));
          cairn.protect("f", new float[2]).part(part.holes(Double.NaN));
          cairn.protect("l", new long[2]).part(part.holes(-0x1p63));
          cairn.protect("b", new boolean[2]).part(part.holes(1));
          cairn.protect("c", new char[2]).part(part.holes(65535));
          refusesHoles(cairn.protect("i", new int[2]), part, 0.5);
          refusesHoles(cairn.protect("i2", new int[2]), part, 0x1p31);
          refusesHoles(cairn.protect("f2", new float[2]), part, 1e300);
          refusesHoles(cairn.protect("l2", new long[2]), part, 0x1p63);
          refusesHoles(cairn.protect("c2", new char[2]), part, -1);
          refusesHoles(cairn.protect("b2", new boolean[2]), part, Double.NaN);
          refusesHoles(cairn.protect("y", new byte[2]), part, 128);
        });
  }

  private static void refusesHoles(Dataset dataset, Part part, double value) {
    assertThatThrownBy(() -> dataset.part(part.holes(value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "Part.holes(" + value + ")",
            "\"" + dataset.name() + "\"",
            "no " + dataset.elementType().label() + " has that value");
  }
}
