// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.cairn.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.testkit.random.SeededTest;
import org.cairn.transform.Transform.Prediction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever the bytes are, they come back; and what a transform promises is there in between. */
@Tag("vectors")
class TransformerTest {
  private final Transformer transformer = new Transformer();
  private final Transformer plain = new Transformer(Kernels.of(TransformPath.choose("plain")));

  private byte[] forward(Transform transform, byte[] bytes) {
    byte[] result = new byte[bytes.length];
    transformer.forward(transform, MemorySegment.ofArray(bytes), MemorySegment.ofArray(result));
    return result;
  }

  private byte[] inverse(Transform transform, byte[] bytes) {
    byte[] result = new byte[bytes.length];
    transformer.inverse(transform, MemorySegment.ofArray(bytes), MemorySegment.ofArray(result));
    return result;
  }

  private static Transform any(Random random) {
    int width = random.nextInt(4) == 0 ? 1 + random.nextInt(40) : 1 << random.nextInt(4);
    ByteOrder order = random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    boolean isNumeric = Integer.bitCount(width) == 1 && width <= 8;
    Elements elements = new Elements(width, order, isNumeric && width > 1 && random.nextBoolean());
    if (!isNumeric || random.nextInt(4) == 0) {
      return Transform.shuffle(elements);
    }
    if (random.nextInt(4) == 0) {
      return Transform.xor(elements, random.nextBoolean());
    }
    List<Integer> strides = new ArrayList<>();
    int stride = 0;
    for (int axes = 1 + random.nextInt(3); axes > 0; axes--) {
      stride +=
          1
              + random.nextInt(
                  stride == 0 ? 1 + random.nextInt(4) : random.nextInt(4) == 0 ? 9000 : 500);
      strides.add(stride);
    }
    return Transform.differences(elements, strides, random.nextBoolean());
  }

  private static byte[] bytes(Random random, int width) {
    byte[] bytes =
        new byte
            [random.nextInt(3) == 0
                ? random.nextInt(20)
                : random.nextInt(random.nextInt(8) == 0 ? 150_000 : 12_000)];
    random.nextBytes(bytes);
    if (random.nextBoolean()) { // what numbers have at their ends: signs, infinities, NaNs, -0.0
      for (int i = 0; i < bytes.length; i += 1 + random.nextInt(2 * width)) {
        bytes[i] = new byte[] {0, -1, 0x7F, (byte) 0x80, (byte) 0xF0, 1}[random.nextInt(6)];
      }
    }
    return bytes;
  }

  @SeededTest(seeds = 300)
  void whateverTheBytesAreTheyComeBack(Random random) {
    Transform transform = any(random);
    byte[] bytes = bytes(random, transform.elements().width());
    assertThat(inverse(transform, forward(transform, bytes)))
        .as("%s of %s, %d bytes", transform, transform.elements(), bytes.length)
        .isEqualTo(bytes);
  }

  /** What a transform is, said as plainly as can be. */
  private static byte[] defined(Transform transform, byte[] bytes) {
    Elements elements = transform.elements();
    int width = elements.width();
    int count = bytes.length / width;
    byte[] result = bytes.clone();
    if (transform.isNone()) {
      return result;
    }
    boolean turned = elements.isNumeric() && elements.order() == ByteOrder.BIG_ENDIAN;
    byte[] little = bytes.clone();
    for (int i = 0; turned && i < count * width; i++) {
      little[i] = bytes[i / width * width + width - 1 - i % width];
    }
    if (transform.prediction() != Prediction.NONE) {
      predict(transform, little, count);
    }
    for (int i = 0; i < count * width; i++) {
      result[transform.shuffled() ? i % width * count + i / width : i] = little[i];
    }
    return result;
  }

  private static void predict(Transform transform, byte[] little, int count) {
    int width = transform.elements().width();
    boolean differences = transform.prediction() == Prediction.DIFFERENCE;
    int bits = 8 * width;
    BigInteger range = BigInteger.ONE.shiftLeft(bits);
    BigInteger half = range.shiftRight(1);
    BigInteger[] values = new BigInteger[count];
    for (int i = 0; i < count; i++) {
      BigInteger value = BigInteger.ZERO;
      for (int k = width - 1; k >= 0; k--) {
        value = value.shiftLeft(8).or(BigInteger.valueOf(little[i * width + k] & 0xFF));
      }
      boolean negative = value.testBit(bits - 1);
      boolean ordered = differences && transform.elements().floating();
      values[i] = !ordered ? value : negative ? value.not().mod(range) : value.add(half);
    }
    for (int stride : transform.strides()) {
      for (int i = count - 1; i >= stride; i--) {
        values[i] =
            differences
                ? values[i].subtract(values[i - stride]).mod(range)
                : values[i].xor(values[i - stride]);
      }
    }
    for (int i = 0; i < count; i++) {
      BigInteger value = values[i];
      if (differences) {
        value =
            value.compareTo(half) < 0
                ? value.shiftLeft(1)
                : range.subtract(value).shiftLeft(1).subtract(BigInteger.ONE);
      }
      for (int k = 0; k < width; k++) {
        little[i * width + k] = value.shiftRight(8 * k).byteValue();
      }
    }
  }

  @SeededTest(seeds = 120)
  void everyPathDoesWhatTheTransformIs(Random random) {
    Transform transform = any(random);
    byte[] bytes = bytes(random, transform.elements().width());
    byte[] defined = defined(transform, bytes);
    for (Transformer path : paths()) {
      assertDoes(path, transform, bytes, defined, n -> MemorySegment.ofArray(new byte[n]));
      try (Arena arena = Arena.ofConfined()) {
        assertDoes(path, transform, bytes, defined, arena::allocate);
      }
    }
  }

  /**
   * Where vectors end and what is left over begins, and where tiles do: of all axes and byte
   * orders, with numbers whose sums run over and NaNs that carry something.
   */
  @SeededTest(seeds = 40)
  void lengthsAroundVectorsAndTilesAreDoneAlike(Random random) {
    int width = new int[] {2, 4, 8}[random.nextInt(3)];
    ByteOrder order = random.nextBoolean() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    Elements elements = new Elements(width, order, random.nextInt(4) > 0);
    int whole = random.nextBoolean() ? Rows.TILE / width : 128;
    int count = whole * (1 + random.nextInt(2)) + random.nextInt(140) - 70;
    byte[] bytes = new byte[count * width + random.nextInt(width)];
    random.nextBytes(bytes);
    for (int i = 0; i + width <= bytes.length; i += width * (1 + random.nextInt(40))) {
      int high = order == ByteOrder.BIG_ENDIAN ? i : i + width - 1;
      bytes[high] = (byte) (random.nextBoolean() ? 0x7F : 0xFF); // NaNs, most of them
    }
    List<Integer> strides = List.of(1, 2 + random.nextInt(30), 40 + random.nextInt(3000));
    for (int axes = 0; axes <= 3; axes++) {
      boolean shuffled = axes == 0 || random.nextInt(4) > 0;
      Transform transform =
          axes == 0
              ? Transform.shuffle(elements)
              : Transform.differences(elements, strides.subList(0, axes), shuffled);
      byte[] defined = defined(transform, bytes);
      for (Transformer path : paths()) {
        try (Arena arena = Arena.ofConfined()) {
          assertDoes(path, transform, bytes, defined, arena::allocate);
        }
      }
    }
  }

  /** Records of all sizes, whose last columns overlap, and tiles of which some are left over. */
  @SeededTest(seeds = 60)
  void recordsAreShuffledAlike(Random random) {
    int width =
        switch (random.nextInt(4)) {
          case 0 -> 3 + random.nextInt(40);
          case 1 -> 8 * (2 + random.nextInt(16));
          case 2 -> 1 + random.nextInt(Elements.MAX_WIDTH);
          default -> Elements.MAX_WIDTH - random.nextInt(9);
        };
    int count = random.nextInt(3) == 0 ? random.nextInt(9) : random.nextInt(400_000 / width + 70);
    byte[] bytes = new byte[count * width + random.nextInt(width)];
    random.nextBytes(bytes);
    Transform transform = Transform.shuffle(Elements.integers(width, ByteOrder.LITTLE_ENDIAN));
    byte[] defined = defined(transform, bytes);
    for (Transformer path : paths()) {
      assertDoes(path, transform, bytes, defined, n -> MemorySegment.ofArray(new byte[n]));
      try (Arena arena = Arena.ofConfined()) {
        assertDoes(path, transform, bytes, defined, arena::allocate);
      }
    }
  }

  private static void assertDoes(
      Transformer path,
      Transform transform,
      byte[] bytes,
      byte[] defined,
      IntFunction<MemorySegment> memory) {
    MemorySegment source = memory.apply(bytes.length);
    MemorySegment result = memory.apply(bytes.length);
    MemorySegment back = memory.apply(bytes.length);
    MemorySegment.copy(bytes, 0, source, ValueLayout.JAVA_BYTE, 0, bytes.length);
    path.forward(transform, source, result);
    assertThat(result.toArray(ValueLayout.JAVA_BYTE))
        .as("%s of %s", transform, transform.elements())
        .isEqualTo(defined);
    path.inverse(transform, result, back);
    assertThat(back.toArray(ValueLayout.JAVA_BYTE))
        .as("back from %s of %s", transform, transform.elements())
        .isEqualTo(bytes);
  }

  /** The paths that are there: vectors where tests are run with them, see {@code core/pom.xml}. */
  private List<Transformer> paths() {
    boolean present = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
    return present
        ? List.of(plain, new Transformer(Kernels.of(TransformPath.choose("vector"))))
        : List.of(plain);
  }

  @SeededTest(seeds = 30)
  void nativeMemoryAtAnyAlignmentIsTheSame(Random random) {
    Transform transform = any(random);
    byte[] bytes = bytes(random, transform.elements().width());
    int at = random.nextInt(9);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = arena.allocate(at + bytes.length).asSlice(at);
      MemorySegment target = arena.allocate(at + bytes.length).asSlice(at);
      MemorySegment.copy(bytes, 0, source, ValueLayout.JAVA_BYTE, 0, bytes.length);
      transformer.forward(transform, source, target);
      assertThat(target.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(forward(transform, bytes));
      transformer.inverse(transform, target, source);
      assertThat(source.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(bytes);
    }
  }

  @SeededTest(seeds = 30)
  void aTwinOfTheOtherByteOrderBecomesTheSame(Random random) {
    Transform transform = any(random);
    if (!transform.elements().isNumeric()) {
      return;
    }
    Elements elements = transform.elements();
    ByteOrder other =
        elements.order() == ByteOrder.BIG_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    Transform twin =
        new Transform(
            new Elements(elements.width(), other, elements.floating()),
            transform.prediction(),
            transform.strides(),
            transform.shuffled());
    byte[] bytes = bytes(random, elements.width());
    byte[] turned = bytes.clone();
    for (int i = 0; i + elements.width() <= bytes.length; i += elements.width()) {
      for (int k = 0; k < elements.width(); k++) {
        turned[i + k] = bytes[i + elements.width() - 1 - k];
      }
    }
    assertThat(forward(twin, turned)).isEqualTo(forward(transform, bytes));
  }

  @Test
  void bytesLieByTheirPlaceInTheElement() {
    byte[] bytes = new byte[8 * 100 + 3];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i % 8);
    }
    byte[] shuffled = forward(Transform.shuffle(doubles()), bytes);
    for (int i = 0; i < 800; i++) {
      assertThat(shuffled[i]).isEqualTo((byte) (i / 100));
    }
    assertThat(shuffled).endsWith(0, 1, 2);
  }

  private static Elements doubles() {
    return Elements.floats(8, ByteOrder.LITTLE_ENDIAN);
  }

  @Test
  void aPlaneIsPredictedByLorenzo() {
    int rows = 20;
    int columns = 30;
    ByteBuffer field = ByteBuffer.allocate(4 * rows * columns).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        field.putInt(1000 + 7 * i - 3 * j);
      }
    }
    Elements ints = Elements.integers(4, ByteOrder.LITTLE_ENDIAN);
    Transform lorenzo = Transform.differences(ints, List.of(1, columns), false);
    ByteBuffer left =
        ByteBuffer.wrap(forward(lorenzo, field.array())).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = columns + 1; at < rows * columns; at++) {
      assertThat(left.getInt(4 * at)).as("element %d", at).isZero();
    }
  }

  @Test
  void neighboursOfEitherSignDifferLittle() {
    ByteBuffer field = ByteBuffer.allocate(8 * 3).order(ByteOrder.LITTLE_ENDIAN);
    field.putDouble(-Double.MIN_VALUE).putDouble(-0.0).putDouble(0.0);
    ByteBuffer left =
        ByteBuffer.wrap(forward(Transform.differences(doubles(), List.of(1), false), field.array()))
            .order(ByteOrder.LITTLE_ENDIAN);
    assertThat(left.getLong(8)).isEqualTo(2); // 1, with its sign below
    assertThat(left.getLong(16)).isEqualTo(2);
  }

  @SeededTest(seeds = 50)
  void whatIsWrittenIsReadAgain(Random random) throws CorruptContainerException {
    Transform transform = any(random);
    RecordWriter out = RecordWriter.onHeap();
    transform.write(out);
    assertThat(Transform.read(RecordReader.of(out.toArray(), "test"))).isEqualTo(transform);
  }

  @SeededTest(seeds = 200)
  void noiseIsATransformOrCorrupt(Random random) {
    byte[] noise = new byte[random.nextInt(12)];
    random.nextBytes(noise);
    noise = random.nextBoolean() && noise.length > 2 ? small(noise) : noise;
    try {
      Transform transform = Transform.read(RecordReader.of(noise, "test"));
      byte[] bytes = bytes(random, 8);
      assertThat(inverse(transform, forward(transform, bytes))).isEqualTo(bytes);
    } catch (CorruptContainerException e) {
      assertThat(e).hasMessageContaining("test");
    }
  }

  private static byte[] small(byte[] noise) {
    for (int i = 0; i < noise.length; i++) {
      noise[i] &= 7;
    }
    return noise;
  }

  @Test
  void memoryGrowsWithWhatIsBetweenAValueAndItsPrediction() {
    Transform farOut = Transform.differences(doubles(), List.of(1, 1 << 20, 1 << 27), true);
    byte[] bytes = new byte[8000];
    new Random(7).nextBytes(bytes);
    long before = allocated();
    for (int i = 0; i < 100; i++) {
      forward(farOut, bytes);
    }
    // The results themselves, and a little: a stride beyond the piece keeps nothing.
    assertThat(allocated() - before).isLessThan(100 * 8000 + (1 << 20));
  }

  private static long allocated() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getThreadAllocatedBytes(Thread.currentThread().threadId());
  }

  @Test
  void pathsCanBeForced() {
    assertThat(TransformPath.choose("plain").vector()).isFalse();
    assertThat(TransformPath.choose("auto").reason()).isNotEmpty();
    assertThatThrownBy(() -> TransformPath.choose("fast"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("auto, vector, plain");
  }

  @Test
  void whatCannotBeDoneIsRefused() {
    Elements records = Elements.integers(24, ByteOrder.LITTLE_ENDIAN);
    assertThatThrownBy(() -> Transform.differences(records, List.of(1), false))
        .hasMessageContaining("24 bytes cannot be predicted");
    assertThatThrownBy(() -> Transform.differences(doubles(), List.of(5, 5), false))
        .hasMessageContaining("ascend");
    assertThatThrownBy(() -> new Transform(doubles(), Prediction.XOR, List.of(1, 8), false))
        .hasMessageContaining("one stride");
    assertThatThrownBy(() -> Elements.floats(3, ByteOrder.LITTLE_ENDIAN))
        .hasMessageContaining("3 bytes");
  }
}
