// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.cairn.store.Store.Access;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.schedule.Simulation;
import org.cairn.testkit.store.BaseStoreTest;
import org.cairn.testkit.store.SharedDisk;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** A node sees what it did itself as on any disk, and what others did after a while. */
class SharedDiskTest extends BaseStoreTest {
  private static final Duration DELAY = Duration.ofSeconds(1);

  private static final Set<Boolean> changed = ConcurrentHashMap.newKeySet();

  private final SharedDisk disk = new SharedDisk(1, DELAY);
  private final Store here = disk.seenFrom("here");
  private final Store there = disk.seenFrom("there");

  /** With another node beside it, which must not be noticed. */
  @Override
  protected Store newStore() {
    return here;
  }

  @SeededTest(seeds = 20)
  void everythingIsSeenWithinTheDelay(long seed) throws Exception {
    Simulation simulation = new Simulation(seed);
    SharedDisk seeded = new SharedDisk(seed, DELAY);
    Store writer = seeded.seenFrom("writer");
    Store reader = seeded.seenFrom("reader");
    simulation.run(
        () -> {
          put(writer, "a", "one");
          simulation.clock().pause(DELAY);
          assertThat(get(reader, "a")).isEqualTo("one");
          assertThat(reader.list()).containsExactly("a");
          put(writer, "a", "two");
          assertThat(get(writer, "a")).isEqualTo("two");
          assertThat(get(reader, "a")).isIn("one", "two");
          simulation.clock().pause(DELAY);
          assertThat(get(reader, "a")).isEqualTo("two");
          writer.delete("a");
          assertThat(writer.exists("a")).isFalse();
          simulation.clock().pause(DELAY);
          assertThat(reader.exists("a")).isFalse();
          assertThat(reader.list()).isEmpty();
        });
  }

  @Test
  void aNodeRemembersThatThereWasNothing() throws Exception {
    inSimulation(
        () -> {
          put(here, "a", "one");
          assertThat(there.exists("a")).isFalse();
          assertThat(there.list()).isEmpty();
          assertThatThrownBy(() -> there.open("a", Access.READ))
              .isInstanceOf(NoSuchFileException.class);
          assertThatThrownBy(() -> there.open("a", Access.WRITE))
              .isInstanceOf(NoSuchFileException.class);
        });
  }

  @Test
  void aNodeRemembersWhatWasThere() throws Exception {
    inSimulation(
        () -> {
          put(there, "a", "one");
          put(here, "a", "two"); // by one who asked the server, as who writes does
          assertThat(get(here, "a")).isEqualTo("two");
          assertThat(get(there, "a")).isEqualTo("one");
          here.delete("a");
          assertThat(get(there, "a")).isEqualTo("one");
          assertThat(there.list()).containsExactly("a");
          assertThatThrownBy(() -> there.open("a", Access.WRITE))
              .isInstanceOf(NoSuchFileException.class);
        });
  }

  @Test
  void ofTwoNodesThatCreateOneFileOneSucceeds() throws Exception {
    inSimulation(
        () -> {
          here.open("a", Access.CREATE_NEW).close();
          assertThat(there.exists("a")).isFalse();
          assertThatThrownBy(() -> there.open("a", Access.CREATE_NEW))
              .isInstanceOf(FileAlreadyExistsException.class);
        });
  }

  /** Names come to light one by one, and not in their order. */
  @SeededTest(seeds = 1)
  void listingsAndFilesAreSeenAtDifferentTimes(long seed) throws Exception {
    Simulation simulation = new Simulation(seed);
    SharedDisk seeded = new SharedDisk(seed, DELAY);
    Store writer = seeded.seenFrom("writer");
    Store reader = seeded.seenFrom("reader");
    Set<String> orders = new HashSet<>();
    simulation.run(
        () -> {
          for (int i = 0; i < 50; i++) {
            put(writer, "first" + i, "");
            put(writer, "second" + i, "");
            simulation.clock().pause(DELAY.dividedBy(2));
            orders.add(
                "%s listed, %s opened, %s second"
                    .formatted(
                        reader.list().contains("first" + i),
                        reader.exists("first" + i),
                        reader.exists("second" + i)));
          }
        });
    assertThat(orders).hasSize(8);
  }

  /** What was forced stays, and so does what others wrote. */
  @SeededTest(seeds = 20)
  void aNodeThatDiesTakesWhatItDidNotForce(long seed) throws Exception {
    SharedDisk seeded = new SharedDisk(seed, DELAY);
    String text = "x".repeat(8 << 10);
    new Simulation(seed)
        .run(
            () -> {
              put(seeded.seenFrom("here"), "lost", text);
              put(seeded.seenFrom("here"), "forced", text);
              put(seeded.seenFrom("there"), "other", text);
              try (StoreFile file = seeded.seenFrom("here").open("forced", Access.WRITE)) {
                file.force();
              }
              seeded.died("here");
              Store truth = seeded.truth();
              assertThat(get(truth, "forced")).isEqualTo(text);
              assertThat(get(truth, "other")).isEqualTo(text);
              assertThat(get(truth, "lost")).hasSameSizeAs(text);
              changed.add(!get(truth, "lost").equals(text));
            });
  }

  @AfterAll
  static void somethingWasLost() {
    assertThat(changed).as("whether anything was lost").contains(true);
  }

  /** Nothing can be seen before a time of zero passes. */
  private void inSimulation(Simulation.Body body) throws Exception {
    new Simulation(1).run(body);
  }
}
