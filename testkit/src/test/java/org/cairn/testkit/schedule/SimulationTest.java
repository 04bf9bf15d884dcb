// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.cairn.comm.Ranks;
import org.cairn.comm.Reduction;
import org.cairn.supply.Mutex;
import org.cairn.supply.Supply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SimulationTest {

  private static List<String> order(long seed) throws Exception {
    List<String> order = new ArrayList<>();
    new Simulation(seed)
        .run(
            () -> {
              List<Thread> all = new ArrayList<>();
              for (String name : List.of("a", "b", "c")) {
                all.add(
                    Supply.started(
                        () -> {
                          for (int i = 0; i < 3; i++) {
                            order.add(name + i);
                            Supply.step(name);
                          }
                        },
                        name));
              }
              for (Thread one : all) {
                one.join();
              }
            });
    return order;
  }

  @Test
  void theSeedDecidesWhoGoesOn() throws Exception {
    Set<List<String>> orders = new HashSet<>();
    for (long seed = 0; seed < 50; seed++) {
      List<String> once = order(seed);
      assertThat(order(seed)).isEqualTo(once);
      orders.add(once);
    }
    assertThat(orders).hasSizeGreaterThan(10);
  }

  @Test
  void timeMovesWhenNobodyCanRun() throws Exception {
    Simulation simulation = new Simulation(1);
    List<Long> seen = new ArrayList<>();
    simulation.run(
        () -> {
          Thread other =
              Supply.started(
                  () -> {
                    pause(simulation, Duration.ofHours(1));
                    seen.add(simulation.nanos());
                  },
                  "sleeper");
          for (int i = 0; i < 1000; i++) {
            Supply.step("at work");
          }
          seen.add(simulation.nanos());
          pause(simulation, Duration.ofMinutes(1));
          seen.add(simulation.nanos());
          other.join();
        });
    assertThat(seen)
        .containsExactly(0L, Duration.ofMinutes(1).toNanos(), Duration.ofHours(1).toNanos());
  }

  private static void pause(Simulation simulation, Duration time) {
    try {
      simulation.clock().pause(time);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aHangShowsWhereEverybodyWaits() {
    assertThatThrownBy(
            () ->
                new Simulation(1)
                    .run(
                        () -> {
                          Supply.started(SimulationTest::waitForEver, "waiter");
                          waitForEver();
                        }))
        .isInstanceOf(HangException.class)
        .hasMessageContaining("no task can run")
        .hasMessageContaining("/main#0")
        .hasMessageContaining("/waiter#1")
        .hasMessageContaining("SimulationTest.waitForEver");
  }

  private static void waitForEver() {
    new CompletableFuture<String>().join();
  }

  @Test
  void whoIsKilledNeverRunsAgain() throws Exception {
    Simulation simulation = new Simulation(1);
    List<String> done = new ArrayList<>();
    simulation.run(
        () -> {
          Supply.started(
              () -> {
                simulation.enter("victim");
                try {
                  Supply.started(
                      () -> {
                        pause(simulation, Duration.ofSeconds(1));
                        done.add("its other thread");
                      },
                      "its other thread");
                  simulation.killAt("victim", 3);
                  for (int i = 1; i <= 5; i++) {
                    Supply.step("step");
                    done.add("step " + i);
                  }
                } finally {
                  done.add("finally");
                }
              },
              "victim");
          pause(simulation, Duration.ofMinutes(1));
          assertThat(simulation.isDead("victim")).isTrue();
        });
    assertThat(done).containsExactly("step 1", "step 2");
  }

  @Test
  void aMonitorHeldOverAStepIsFound() {
    Object monitor = new Object();
    assertThatThrownBy(
            () -> {
              for (long seed = 1; seed < 100; seed++) {
                new Simulation(seed)
                    .run(
                        () -> {
                          Thread other = Supply.started(() -> hold(monitor), "other");
                          hold(monitor);
                          other.join();
                        });
              }
            })
        .hasMessageContaining("waits for a monitor that is held where another task can go on");
  }

  private static void hold(Object monitor) {
    synchronized (monitor) {
      Supply.step("inside");
    }
  }

  @Test
  void aMutexMayBeHeldOverAStep() throws Exception {
    Mutex mutex = new Mutex();
    List<String> inside = new ArrayList<>();
    new Simulation(1)
        .switchingOnceIn(1)
        .run(
            () -> {
              Thread other = Supply.started(() -> hold(mutex, inside, "other"), "other");
              hold(mutex, inside, "main");
              other.join();
            });
    assertThat(inside.get(0)).isEqualTo(inside.get(1));
    assertThat(inside).hasSize(4);
  }

  private static void hold(Mutex mutex, List<String> inside, String who) {
    try (Mutex.Held _ = mutex.hold()) {
      inside.add(who);
      Supply.step("inside");
      inside.add(who);
    }
  }

  @Test
  void aWaitThatDependsOnTheMachineIsFound() {
    assertThatThrownBy(
            () ->
                new Simulation(1)
                    .run(
                        () -> {
                          Thread sleeper =
                              Supply.started(
                                  () -> LockSupport.parkNanos(10_000_000_000L), "sleeper");
                          while (sleeper.isAlive()) {
                            Supply.step("at work");
                          }
                        }))
        .hasMessageContaining("waits for a time that is not the simulation's");
  }

  @Test
  void aTaskThatIsWokenByTheMachineIsFound() {
    CompletableFuture<String> answer = new CompletableFuture<>();
    assertThatThrownBy(
            () ->
                new Simulation(1)
                    .run(
                        () -> {
                          Thread me = Thread.currentThread();
                          Supply.threadAside(() -> answerOnceItWaits(answer, me), "foreign")
                              .start();
                          answer.join();
                        }))
        .satisfiesAnyOf(
            e -> assertThat(e).hasMessageContaining("which is no task"),
            e -> assertThat(e).isInstanceOf(HangException.class));
  }

  private static void answerOnceItWaits(CompletableFuture<String> answer, Thread asker) {
    while (asker.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    answer.complete("foreign");
  }

  @Test
  void ranksAreTasks() throws Exception {
    List<Long> sums = new ArrayList<>();
    new Simulation(1)
        .run(
            () ->
                Ranks.run(
                    5, ranks -> sums.add(ranks.allReduce((long) ranks.rank(), Reduction.SUM))));
    assertThat(sums).containsExactly(10L, 10L, 10L, 10L, 10L);
  }

  @Test
  void whoIsPausedStandsStillWhileOthersGoOn() throws Exception {
    Simulation simulation = new Simulation(1);
    List<Long> times = new ArrayList<>();
    simulation.run(
        () -> {
          simulation.pauseAt("slow", 2, Duration.ofSeconds(3));
          Thread slow =
              Supply.started(
                  () -> {
                    simulation.enter("slow");
                    for (int i = 0; i < 3; i++) {
                      times.add(simulation.clock().nanos());
                      Supply.step("step");
                    }
                  },
                  "slow");
          pause(simulation, Duration.ofSeconds(1));
          assertThat(times).containsExactly(0L, 0L);
          slow.join();
        });
    assertThat(times).containsExactly(0L, 0L, Duration.ofSeconds(3).toNanos());
  }

  @Test
  void stepsMayTakeTime() throws Exception {
    Simulation simulation = new Simulation(1).delayingOnceIn(1, Duration.ofMillis(5));
    simulation.run(
        () -> {
          Supply.step("slow");
          assertThat(simulation.clock().nanos()).isBetween(1L, Duration.ofMillis(5).toNanos());
        });
  }
}
