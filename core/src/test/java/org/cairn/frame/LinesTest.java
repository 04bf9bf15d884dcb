// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.CorruptContainerException;
import org.cairn.supply.Supply;
import org.cairn.testkit.random.SeededTest;
import org.cairn.transform.Elements;
import org.cairn.transform.Transform;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Frames go through several threads and come out in order, and memory has bounds. */
class LinesTest {
  private static final int FRAME = 64 << 10;
  private static final long BUDGET = 64 << 20;
  private static final Transform DELTA =
      Transform.differences(Elements.floats(8, ByteOrder.LITTLE_ENDIAN), List.of(1), true);

  private static final Line.Needed<Integer> NOTHING = (_, _) -> MemorySegment.NULL;

  private final List<FrameInfo> infos = new ArrayList<>();
  private final List<byte[]> frames = new ArrayList<>();

  @AfterEach
  void everythingIsThereAgain() {
    Supply.uncontrolled();
  }

  private void keep(FrameInfo info, MemorySegment stored) {
    infos.add(info);
    frames.add(stored.toArray(ValueLayout.JAVA_BYTE));
  }

  private static byte[] plain(int number) {
    MemorySegment bytes = MemorySegment.ofArray(new byte[FRAME - 8 * (number % 5)]);
    for (int i = 0; 8 * i < bytes.byteSize(); i++) {
      bytes.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8L * i, number + Math.sin(i * 1e-2));
    }
    return bytes.toArray(ValueLayout.JAVA_BYTE);
  }

  private static void encode(EncodingLine line, int number, EncodingLine.Sink sink)
      throws IOException {
    byte[] plain = plain(number);
    MemorySegment memory = line.memory().asSlice(0, plain.length);
    memory.copyFrom(MemorySegment.ofArray(plain));
    line.encode(List.of(new Piece(memory, DELTA)), 1 + number % 3, sink);
  }

  private void encodeAll(int threads, int count) throws IOException {
    try (EncodingLine line = new EncodingLine(threads, BUDGET, FRAME)) {
      for (int i = 0; i < count; i++) {
        encode(line, i, this::keep);
      }
      line.finish();
    }
  }

  @SeededTest(seeds = 6)
  void framesComeOutInOrderWhateverTheThreads(Random random) throws IOException {
    int count = random.nextInt(40);
    encodeAll(1 + random.nextInt(4), count);
    List<byte[]> decoded = new ArrayList<>();
    try (DecodingLine line = new DecodingLine(1 + random.nextInt(4), BUDGET, FRAME)) {
      for (int i = 0; i < count; i++) {
        FrameInfo info = infos.get(i);
        line.memory(info).copyFrom(MemorySegment.ofArray(frames.get(i)));
        byte[] target = new byte[(int) info.plainLength()];
        line.decode(
            info,
            "file",
            i,
            frame -> frame.read(0, MemorySegment.ofArray(target)),
            () -> decoded.add(target));
      }
      line.finish();
    }
    assertThat(decoded).hasSize(count);
    for (int i = 0; i < count; i++) {
      assertThat(decoded.get(i)).as("frame %d", i).isEqualTo(plain(i));
    }
  }

  /** Counts what is taken, and never sees anything given back: buffers are used again. */
  private static final class Counter implements Supply.Control {
    private final AtomicLong bytes = new AtomicLong();
    private final Set<String> threads = ConcurrentHashMap.newKeySet();

    @Override
    public void requested(Supply.Kind kind, long amount) {
      if (kind != Supply.Kind.THREAD) {
        bytes.addAndGet(amount);
      }
    }

    @Override
    public Thread thread(Runnable task, String name) {
      threads.add(name);
      return Supply.Control.super.thread(task, name);
    }
  }

  @Test
  void memoryStaysWithinTheBudgetHoweverManyFramesThereAre() throws IOException {
    for (long budget : new long[] {9 << 20, 18 << 20, 80 << 20}) {
      Counter counter = new Counter();
      Supply.controlledBy(counter);
      try (EncodingLine line = new EncodingLine(8, budget, FRAME)) {
        for (int i = 0; i < 60; i++) {
          encode(line, i, this::keep);
        }
        line.finish();
      }
      Supply.uncontrolled();
      assertThat(counter.bytes.get()).as("of %d", budget).isLessThan(budget).isPositive();
      assertThat(counter.threads)
          .as("with %d", budget)
          .hasSize(budget < 10 << 20 ? 1 : budget < 20 << 20 ? 2 : 8);
    }
  }

  @Test
  void aBudgetThatIsTooSmallIsRefused() {
    assertThatThrownBy(() -> new EncodingLine(2, 100_000, FRAME))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too small");
  }

  /** What the default budget is meant for. */
  @Test
  void theUsualBudgetIsEnoughForTwoThreads() {
    assertThat(Capacity.of(2, EncodingLine.BUDGET, 4 << 20, 3))
        .matches(capacity -> capacity.threads() == 2 && capacity.slots() == 4);
    assertThat(Capacity.of(2, EncodingLine.BUDGET, 4 << 20, 4))
        .matches(capacity -> capacity.threads() == 2 && capacity.slots() >= 3);
  }

  @Test
  void aSinkThatFailsEndsTheLine() {
    AtomicInteger taken = new AtomicInteger();
    assertThatThrownBy(
            () -> {
              try (EncodingLine line = new EncodingLine(2, BUDGET, FRAME)) {
                for (int i = 0; i < 50; i++) {
                  encode(
                      line,
                      i,
                      (_, _) -> {
                        if (taken.incrementAndGet() == 5) {
                          throw new IOException("disk full");
                        }
                      });
                }
                line.finish();
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessage("disk full");
    assertThat(taken.get()).isEqualTo(5);
  }

  @Test
  void aThreadThatFailsEndsTheLineAndFramesBeforeItComeOut() {
    List<Integer> taken = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              try (EncodingLine line = new EncodingLine(2, BUDGET, FRAME)) {
                for (int i = 0; i < 50; i++) {
                  int number = i;
                  MemorySegment memory = line.memory();
                  line.encode(
                      List.of(new Piece(memory, DELTA)),
                      i == 7 ? 99 : 1,
                      (_, _) -> taken.add(number));
                }
                line.finish();
              }
            })
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("99");
    assertThat(taken).containsExactly(0, 1, 2, 3, 4, 5, 6);
  }

  @Test
  void aDamagedFrameIsNamedAndThoseBeforeItAreDone() throws IOException {
    encodeAll(1, 10);
    frames.get(4)[30] ^= 1;
    List<Integer> done = new ArrayList<>();
    assertThatThrownBy(
            () -> {
              try (DecodingLine line = new DecodingLine(2, BUDGET, FRAME)) {
                for (int i = 0; i < 10; i++) {
                  int number = i;
                  line.memory(infos.get(i)).copyFrom(MemorySegment.ofArray(frames.get(i)));
                  line.decode(infos.get(i), "file", 1000 + i, _ -> {}, () -> done.add(number));
                }
                line.finish();
              }
            })
        .isInstanceOf(CorruptContainerException.class)
        .hasMessageContaining("offset 1004");
    assertThat(done).containsExactly(0, 1, 2, 3);
  }

  /** A frame of very many pieces has a table that no slot is made for. */
  @Test
  void framesOfManyTinyPiecesFit() throws IOException {
    List<Piece> pieces = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      pieces.add(new Piece(MemorySegment.ofArray(new byte[] {(byte) i}), Transform.NONE));
    }
    try (EncodingLine line = new EncodingLine(1, BUDGET, FRAME);
        FrameDecoder decoder = new FrameDecoder()) {
      line.encode(pieces, 1, this::keep);
      line.finish();
      byte[] plain = new byte[20_000];
      decoder.decode(
          MemorySegment.ofArray(frames.getFirst()),
          infos.getFirst(),
          "file",
          0,
          MemorySegment.ofArray(plain));
      assertThat(plain).isEqualTo(Pieces.plain(pieces));
    }
  }

  /** Memory or threads that run out are an error of that frame; nothing hangs, nothing is lost. */
  @Test
  void whereMemoryOrThreadsRunOutTheLineEnds() {
    for (int n = 1; n < 14; n++) {
      AtomicInteger left = new AtomicInteger(n);
      Supply.controlledBy(
          (_, _) -> {
            if (left.decrementAndGet() <= 0) {
              throw new OutOfMemoryError("none left");
            }
          });
      try {
        encodeAll(2, 6);
        assertThat(left.get()).isPositive();
      } catch (OutOfMemoryError | IOException e) {
        assertThat(left.get()).isNotPositive();
      } finally {
        Supply.uncontrolled();
      }
    }
  }

  /** The first frame takes until the others are done; with turns one of them would be behind it. */
  @Test
  void nothingWaitsBehindAFrameThatTakesLong() throws IOException {
    CountDownLatch allGiven = new CountDownLatch(1);
    CountDownLatch others = new CountDownLatch(2);
    List<Integer> out = new ArrayList<>();
    try (Line<String, Integer> line =
        new Line<>("line", Capacity.of(2, BUDGET, FRAME, 3), () -> "", _ -> {})) {
      line.give((_, _) -> after(others, 0), NOTHING, (number, _) -> out.add(number));
      line.give(
          (_, _) -> {
            int number = after(allGiven, 1);
            others.countDown();
            return number;
          },
          NOTHING,
          (number, _) -> out.add(number));
      line.give(
          (_, _) -> {
            others.countDown();
            return 2;
          },
          NOTHING,
          (number, _) -> out.add(number));
      allGiven.countDown();
      line.finish();
    }
    assertThat(out).containsExactly(0, 1, 2);
  }

  /** More frames than slots are done while the first is not; they wait aside, and are whole. */
  @SeededTest(seeds = 4)
  void framesThatAreDoneBeforeTheirTurnGiveUpTheirSlots(Random random) throws IOException {
    int count = 8 + random.nextInt(40);
    int slotBytes = (int) Capacity.of(2, BUDGET, FRAME, 3).slotBytes();
    CountDownLatch others = new CountDownLatch(count);
    List<Integer> out = new ArrayList<>();
    try (Line<String, Integer> line =
        new Line<>("line", Capacity.of(2, BUDGET, FRAME, 3), () -> "", _ -> {})) {
      line.give((_, _) -> after(others, 0), NOTHING, (number, _) -> out.add(number));
      for (int i = 1; i <= count; i++) {
        int number = i;
        int size = 1 + random.nextInt(slotBytes / 8 / count);
        byte filled = (byte) random.nextInt();
        line.give(
            (_, slot) -> {
              slot.bytes().asSlice(0, size).fill(filled);
              others.countDown();
              return number;
            },
            (_, slot) -> slot.bytes().asSlice(0, size),
            (_, bytes) -> {
              assertThat(bytes.toArray(ValueLayout.JAVA_BYTE)).hasSize(size).containsOnly(filled);
              out.add(number);
            });
      }
      line.finish();
    }
    assertThat(out).hasSize(count + 1).isSorted();
  }

  private static int after(CountDownLatch latch, int number) throws IOException {
    try {
      if (!latch.await(1, TimeUnit.MINUTES)) {
        throw new IOException(number + " waits for what is behind it");
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    return number;
  }
}
