// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.SimulatedCrash;
import org.cairn.testkit.store.Survival;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.VersionInfo;

/**
 * A writer that retains so many versions that their list is kept apart from blocks dies at every
 * single operation: whatever the disk makes of what was not forced, every version is still what it
 * was, and the last that was published is there.
 */
class ManyVersionsCrashTest {
  private static final String NAME = "a.cairn";
  private static final int RETAINED = 30;

  /** A disk, what was published to it, and what each version is. */
  private record Life(CrashingStore disk, Map<Long, SmallState> versions, long[] published) {
    Life copy() throws IOException {
      return new Life(disk.afterKill(), new HashMap<>(versions), published.clone());
    }
  }

  @SeededTest(seeds = 1)
  void aCrashAtAnyOperationLeavesEveryVersion(Random random) throws IOException {
    Life old = new Life(new CrashingStore(random.nextLong()), new HashMap<>(), new long[1]);
    SmallState state = new SmallState();
    assertThat(survives(old, state, RETAINED + 10, random)).isTrue();
    boolean survived = false;
    for (int operation = 1; !survived; operation++) {
      Life life = old.copy();
      life.disk.crashAt(operation);
      survived = survives(life, state.copy(), 2, new Random(random.nextLong()));
      check(life, life.disk.survivor(Survival.LOSE_ALL));
      check(life, life.disk.survivor(Survival.KEEP_ALL));
      check(life, life.disk.survivor(random));
    }
  }

  /** Takes checkpoints, and says whether it came to an end. */
  private static boolean survives(Life life, SmallState state, int commits, Random random)
      throws IOException {
    try (Container container = TestRun.open(life.disk, NAME, RETAINED)) {
      for (int i = 0; i < commits; i++) {
        state.change(random);
        long sequence = life.published[0] + 1;
        life.versions.put(sequence, state.copy());
        state.commit(container, TestRun.id(container.epoch(), sequence, 1));
        life.published[0] = sequence;
      }
      return true;
    } catch (SimulatedCrash e) {
      return false;
    }
  }

  private static void check(Life life, CrashingStore disk) throws IOException {
    try (Container container = TestRun.open(disk, NAME, RETAINED)) {
      List<VersionInfo> versions = container.versions();
      assertThat(versions).hasSize(RETAINED);
      assertThat(versions.getFirst().id().sequence())
          .isBetween(life.published[0], life.published[0] + 1);
      for (VersionInfo version : versions) {
        assertThat(SmallState.read(container.view(version)))
            .as("version %s", version.id())
            .isEqualTo(life.versions.get(version.id().sequence()));
      }
    }
  }
}
