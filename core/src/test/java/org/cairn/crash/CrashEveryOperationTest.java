// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.cairn.CheckpointFailedException;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.container.ContainerReader;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Thorough;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.SimulatedCrash;
import org.cairn.testkit.store.StoreOperation.Kind;
import org.cairn.testkit.store.Survival;
import org.cairn.track.CopyWatch;
import org.cairn.track.FirstWritePrice;
import org.cairn.track.SharedPages;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A program is killed at every single operation of its life: opening, restarting, checkpoints,
 * closing. Whatever the disk makes of what was not forced, the next life finds the last durable
 * version or, if its superblock was on the way, the new one. Nothing else, ever. Then it goes on:
 * one of the next lives starts from one of those disks and is killed at every operation again.
 */
@Tag("slow")
@Thorough(times = 8)
class CrashEveryOperationTest {
  private static final int GENERATIONS = Boolean.getBoolean(Thorough.PROPERTY) ? 4 : 2;
  private static final int RANDOM_SURVIVORS = 2;
  private static final int OPERATIONS_OF_OPENING = 7;

  /** A disk, and what is known about it. */
  private record Heir(CrashingStore disk, History history) {}

  /** Half of the lives have most of their arrays where they are tracked. */
  @BeforeEach
  void track() {
    SharedPages.use(SharedPages.of(new CopyWatch(256), new FirstWritePrice(0), 1));
  }

  @AfterEach
  void trackNoMore() {
    SharedPages.use(null);
  }

  @SeededTest(seeds = 1)
  void nextLifeFindsTheLastDurableVersionOrTheNewOne(long seed) throws IOException {
    Random random = new Random(seed);
    Heir heir = new Heir(new CrashingStore(seed), new History());
    for (int generation = 0; generation < GENERATIONS; generation++) {
      if (generation > 0) {
        heir = liveInPeace(heir, random.nextInt(4), random);
      }
      heir = dieAtEveryOperation(heir, 1 + random.nextInt(2), random);
    }
  }

  /** Some checkpoints without a crash, so that files age and space is used again. */
  private static Heir liveInPeace(Heir heir, int checkpoints, Random random) throws IOException {
    if (checkpoints > 0) {
      Life life = life(heir.disk, heir.history, random);
      assertThat(life.live(checkpoints)).isTrue();
    }
    return heir;
  }

  /** Tries every operation of one life; gives one of the disks that were left. */
  private static Heir dieAtEveryOperation(Heir heir, int checkpoints, Random random)
      throws IOException {
    long seed = random.nextLong();
    List<Heir> heirs = new ArrayList<>();
    boolean survived = false;
    for (int operation = 1; !survived; operation++) {
      Life life = new Life(heir.disk.afterKill(), heir.history.copy(), new Random(seed));
      life.store().crashAt(operation);
      survived = life.live(checkpoints);
      heirs.add(survivor(life, random));
    }
    return heirs.get(random.nextInt(heirs.size()));
  }

  /** Checks what may be left of a life, and gives one of the disks. */
  private static Heir survivor(Life life, Random random) throws IOException {
    History history = life.history();
    History without = life.diedPublishing() ? history.denied() : history;
    History with = life.diedPublishing() ? history.confirmed() : history;
    List<CrashingStore> disks = new ArrayList<>();
    disks.add(life.store().survivor(Survival.LOSE_ALL));
    check(disks.getLast(), without, random);
    disks.add(life.store().survivor(Survival.KEEP_ALL));
    check(disks.getLast(), with, random);
    disks.add(life.store().afterKill());
    check(disks.getLast(), with, random);
    for (int i = 0; i < RANDOM_SURVIVORS; i++) {
      disks.add(life.store().survivor(random));
      check(disks.getLast(), history, random);
    }
    // What is certain of this disk now is not if the next life dies before it has forced anything.
    return new Heir(disks.get(random.nextInt(disks.size())), history.copy());
  }

  /** The disk gives what it must, can be gone on with, and gives that again. */
  private static void check(CrashingStore disk, History expected, Random random)
      throws IOException {
    History history = expected.copy();
    CrashingStore copy = disk.afterKill();
    try {
      life(copy, history, random).recover();
      CrashingStore later = copy.survivor(Survival.LOSE_ALL);
      life(later, history, random).recover();
    } catch (Throwable e) {
      throw new AssertionError(disk + " with " + expected + ": " + e.getMessage(), e);
    }
  }

  /**
   * A process is killed when its superblock is visible but not forced; the next one dies while it
   * opens the container. The superblock that was visible may be gone then, and must not have been
   * trusted: the other one is all there is.
   */
  @SeededTest(seeds = 2)
  void openingAfterAKillTrustsNothingThatWasNotForced(Random random) throws IOException {
    Heir killed = killedWhilePublishing(random);
    for (int operation = 1; operation <= OPERATIONS_OF_OPENING; operation++) {
      Life life = life(killed.disk.afterKill(), killed.history.copy(), random);
      life.store().crashAt(operation);
      life.live(0);
      for (int i = 0; i < 10; i++) {
        CrashingStore survivor = life.store().survivor(random);
        life(survivor, life.history().copy(), random).recover();
      }
    }
  }

  private static Heir killedWhilePublishing(Random random) throws IOException {
    while (true) {
      Life life = life(new CrashingStore(random.nextLong()), new History(), random);
      life.store().crashAt(20 + random.nextInt(15));
      life.live(4);
      if (life.diedPublishing()) {
        return new Heir(life.store().afterKill(), life.history());
      }
    }
  }

  private static Life life(CrashingStore disk, History history, Random random) {
    return new Life(disk, history, new Random(random.nextLong()));
  }

  /** A checkpoint that died far behind the end of the file must not leave its bytes for ever. */
  @Test
  void tailOfADeadCheckpointIsCutOff() throws IOException {
    CrashingStore disk = new CrashingStore(1);
    byte[] small = new byte[1000];
    byte[] large = new byte[8 << 20];
    new Random(1).nextBytes(large);
    Checkpointer dying = Checkpointer.open(disk, Options.defaults());
    dying.protect("small", small);
    dying.checkpoint();
    dying.protect("large", large);
    disk.crashWhen(Containers::isForce);
    assertThatThrownBy(dying::checkpoint).isInstanceOf(CheckpointFailedException.class);
    assertThatThrownBy(dying::close).isInstanceOf(SimulatedCrash.class);
    CrashingStore next = disk.survivor(Survival.KEEP_ALL);
    try (Checkpointer cairn = Checkpointer.open(next, Options.defaults())) {
      cairn.protect("small", small);
      cairn.restart();
      assertThat(fileBytes(next)).isLessThan(1 << 20);
    }
  }

  /** Nor must one that could not be cut off at once. */
  @Test
  void tailThatCouldNotBeCutOffIsCutOffLater() throws IOException {
    CrashingStore disk = new CrashingStore(1);
    byte[] large = new byte[8 << 20];
    new Random(1).nextBytes(large);
    try (Checkpointer cairn = Checkpointer.open(disk, Options.defaults())) {
      cairn.protect("large", large);
      disk.onOperation(
          operation -> {
            if (operation.kind() == Kind.TRUNCATE) {
              disk.failAt(1);
            }
          });
      disk.fillDiskAfter(6 << 20);
      assertThatThrownBy(cairn::checkpoint).isInstanceOf(CheckpointFailedException.class);
      disk.onOperation(operation -> {});
      disk.emptyDisk();
      cairn.unprotect("large");
      cairn.protect("small", new byte[1000]);
      cairn.checkpoint();
      assertThat(fileBytes(disk)).isLessThan(1 << 20);
    }
  }

  private static long fileBytes(CrashingStore disk) throws IOException {
    try (ContainerReader reader = ContainerReader.open(disk, Containers.NAME)) {
      return reader.fileBytes();
    }
  }
}
