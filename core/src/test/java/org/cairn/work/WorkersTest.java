// SPDX-License-Identifier: Apache-2.0
package org.cairn.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkersTest {
  private static final int SIZE = 3;

  @SeededTest(seeds = 4)
  void everyWorkerWorksOnce(long seed) throws IOException {
    int size = 1 + (int) Long.remainderUnsigned(seed, 5);
    try (Workers workers = new Workers(size, "test")) {
      for (int round = 0; round < 200; round++) {
        AtomicIntegerArray times = new AtomicIntegerArray(size);
        workers.run(times::incrementAndGet);
        for (int worker = 0; worker < size; worker++) {
          assertThat(times.get(worker)).isEqualTo(1);
        }
      }
    }
  }

  @Test
  void nobodyIsWaitedForWhoCannotBegin() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch enough = new CountDownLatch(1);
    AtomicIntegerArray times = new AtomicIntegerArray(2);
    try (Workers workers = new Workers(2, "test")) {
      Thread other = Thread.ofPlatform().start(() -> occupy(workers, busy, enough));
      busy.await();
      workers.run(times::incrementAndGet); // its only other thread has something else to do
      assertThat(List.of(times.get(0), times.get(1))).containsExactly(1, 1);
      enough.countDown();
      other.join();
      workers.run(_ -> {}); // the thread has seen by then that there is nothing left for it
      assertThat(times.get(1)).isEqualTo(1);
    }
  }

  private static void occupy(Workers workers, CountDownLatch busy, CountDownLatch enough) {
    try {
      workers.run(
          worker -> {
            if (worker == 1) {
              busy.countDown();
            }
            await(worker == 0 ? busy : enough);
          });
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theFirstFailureIsThrownAndTheOthersAreAttached() {
    try (Workers workers = new Workers(SIZE, "test")) {
      CountDownLatch all = new CountDownLatch(SIZE);
      assertThatThrownBy(
              () ->
                  workers.run(
                      worker -> {
                        all.countDown();
                        await(all);
                        throw new IOException("worker " + worker);
                      }))
          .isInstanceOf(IOException.class)
          .satisfies(e -> assertThat(e.getSuppressed()).hasSize(SIZE - 1));
    }
  }

  @Test
  void aFailureOfTheCallerIsThrownOnlyAfterTheOthersHaveLeft() {
    AtomicIntegerArray left = new AtomicIntegerArray(SIZE);
    CountDownLatch thrown = new CountDownLatch(1);
    OutOfMemoryError same = new OutOfMemoryError("test");
    try (Workers workers = new Workers(SIZE, "test")) {
      CountDownLatch all = new CountDownLatch(SIZE);
      assertThatThrownBy(
              () ->
                  workers.run(
                      worker -> {
                        all.countDown();
                        await(all);
                        if (worker > 0) {
                          await(thrown);
                        }
                        left.incrementAndGet(worker);
                        thrown.countDown();
                        throw same;
                      }))
          .isSameAs(same);
      assertThat(left.get(0) + left.get(1) + left.get(2)).isEqualTo(SIZE);
    }
  }

  @Test
  void anInterruptIsThereAgainAfterwards() throws IOException {
    AtomicIntegerArray times = new AtomicIntegerArray(SIZE);
    try (Workers workers = new Workers(SIZE, "test")) {
      CountDownLatch others = new CountDownLatch(SIZE - 1);
      CountDownLatch left = new CountDownLatch(1);
      Thread caller = Thread.currentThread();
      workers.run(
          worker -> {
            if (worker == 0) {
              await(others);
              left.countDown();
            } else {
              others.countDown();
              await(left);
              caller.interrupt();
            }
            times.incrementAndGet(worker);
          });
    }
    assertThat(Thread.interrupted()).isTrue();
    assertThat(times.get(0) + times.get(1) + times.get(2)).isEqualTo(SIZE);
  }
}
