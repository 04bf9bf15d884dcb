// SPDX-License-Identifier: Apache-2.0
package org.cairn.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.cairn.supply.Supply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is given to a lane is done in its order, or not at all. */
@Timeout(60)
class LaneTest {
  private final List<Integer> done = new ArrayList<>();

  @AfterEach
  void giveWhatThereIs() {
    Supply.uncontrolled();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void piecesAreDoneBesideTheCallerInTheirOrder() throws IOException {
    CountDownLatch given = new CountDownLatch(1);
    try (Lane lane = Lane.beside("lane")) {
      List<Lane.Piece<Integer>> pieces = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        int number = i;
        pieces.add(
            lane.ask(
                () -> {
                  awaitUninterruptibly(given);
                  done.add(number);
                  return number;
                }));
      }
      assertThat(pieces).noneMatch(Lane.Piece::isDone);
      given.countDown();
      for (int i = 0; i < 10; i++) {
        assertThat(pieces.get(i).result()).isEqualTo(i);
      }
      assertThat(done).isSorted().hasSize(10);
    }
  }

  @Test
  void afterAFailureNothingIsBegun() {
    for (Lane lane : List.of(Lane.beside("lane"), Lane.here())) {
      try (lane) {
        lane.give(
            () -> {
              throw new IOException("first");
            });
        Lane.Piece<Lane> after = lane.give(() -> done.add(1));
        assertThatThrownBy(after::result).isInstanceOf(IOException.class).hasMessage("first");
      }
    }
    assertThat(done).isEmpty();
  }

  @Test
  void errorsAreThrownAsTheyAre() {
    try (Lane lane = Lane.beside("lane")) {
      Lane.Piece<Lane> piece =
          lane.give(
              () -> {
                throw new OutOfMemoryError("planted");
              });
      assertThatThrownBy(piece::result).isInstanceOf(OutOfMemoryError.class).hasMessage("planted");
    }
  }

  @Test
  void whereThereIsNoThreadTheCallerWorks() throws IOException {
    Supply.controlledBy(
        (kind, _) -> {
          if (kind == Supply.Kind.THREAD) {
            throw new OutOfMemoryError("no thread");
          }
        });
    try (Lane lane = Lane.beside("lane")) {
      for (int i = 0; i < 3; i++) {
        int number = i;
        Lane.Piece<Thread> piece =
            lane.ask(
                () -> {
                  done.add(number);
                  return Thread.currentThread();
                });
        assertThat(piece.isDone()).isTrue();
        assertThat(piece.result()).isSameAs(Thread.currentThread());
      }
    }
    assertThat(done).containsExactly(0, 1, 2);
  }

  @Test
  void closingWaitsForWhatWasBegunAndForNothingElse() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch closing = new CountDownLatch(1);
    Lane lane = Lane.beside("lane");
    lane.give(
        () -> {
          begun.countDown();
          awaitUninterruptibly(closing);
          done.add(1);
        });
    Lane.Piece<Lane> after = lane.give(() -> done.add(2));
    awaitUninterruptibly(begun);
    Thread closer = new Thread(lane::close);
    closer.start();
    while (!lane.isClosed()) {
      Thread.onSpinWait();
    }
    assertThat(closer.isAlive()).isTrue();
    closing.countDown();
    joinUninterruptibly(closer);
    assertThat(done).containsExactly(1);
    assertThatThrownBy(after::result).isInstanceOf(IOException.class);
  }

  private static void joinUninterruptibly(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
