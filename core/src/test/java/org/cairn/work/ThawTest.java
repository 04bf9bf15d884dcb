// SPDX-License-Identifier: Apache-2.0
package org.cairn.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever begins and whoever goes on: each part is done once. */
@Timeout(60)
class ThawTest {
  private static final int PARTS = 1_000;

  private final AtomicIntegerArray done = new AtomicIntegerArray(PARTS);
  private final AtomicInteger next = new AtomicInteger();

  private void doAll(Workers workers, long bytesEach) throws IOException {
    Thaw.run(
        workers,
        () -> next.get() < PARTS,
        (worker, goOn) -> {
          while (goOn.getAsBoolean()) {
            int part = next.getAndIncrement();
            if (part >= PARTS) {
              break;
            }
            done.incrementAndGet(part);
            Thaw.worked(bytesEach);
          }
        });
  }

  private void allWereDoneOnce() {
    for (int part = 0; part < PARTS; part++) {
      assertThat(done.get(part)).as("part " + part).isEqualTo(1);
    }
  }

  @Test
  void everyPartIsDoneOnceWhileItThaws() throws IOException {
    try (Workers workers = new Workers(8, "thaw")) {
      doAll(workers, 1 << 20); // of the bytes that are enough some parts are left, wherever it was
    }
    allWereDoneOnce();
  }

  @Test
  void littleWorkIsDoneByFewAndAllOfIt() throws IOException {
    try (Workers workers = new Workers(8, "thaw")) {
      doAll(workers, 0);
    }
    allWereDoneOnce();
  }

  @Test
  void crewOfOneDoesAllOfIt() throws IOException {
    try (Workers workers = new Workers(1, "thaw")) {
      doAll(workers, 1 << 20);
    }
    allWereDoneOnce();
  }

  @Test
  void whatFailsIsThrownToTheCaller() {
    try (Workers workers = new Workers(8, "thaw")) {
      assertThatThrownBy(
              () ->
                  Thaw.run(
                      workers,
                      () -> true,
                      (worker, goOn) -> {
                        throw new IOException("planted");
                      }))
          .isInstanceOf(IOException.class)
          .hasMessage("planted");
    }
  }
}
