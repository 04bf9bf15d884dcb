// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.cairn.Checkpointer;
import org.cairn.Label;
import org.cairn.Options;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.CountingStore;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Test;

/** Versions that are kept for ever, in a container that drops all others sooner or later. */
class KeptVersionsTest {
  private static final Label KEPT = Label.none().keep();
  private static final int BLOCK = 512;
  private static final int COMMITS = 12;

  /** A container, and what each of its versions has to be. */
  private static final class History {
    private final MemoryStore store = new MemoryStore();
    private final Random random;
    private final int retain;
    private final Map<VersionId, SmallState> model = new HashMap<>();
    private Container container;
    private SmallState state = new SmallState();
    private int sequence;

    History(Random random) throws IOException {
      this.random = random;
      this.retain = 1 + random.nextInt(3);
      this.container = open();
    }

    private Container open() throws IOException {
      return TestRun.open(store, "a.cairn", retain);
    }

    void publish() throws IOException {
      state.change(random);
      VersionId id = TestRun.id(1, ++sequence, 1);
      Commit commit = state.begin(container, id);
      if (random.nextInt(8) == 0) {
        commit.label(KEPT);
      }
      commit.publish();
      model.put(id, state.copy());
    }

    private VersionInfo anyVersion() {
      return container.versions().get(random.nextInt(container.versions().size()));
    }

    void goBack() throws IOException {
      VersionInfo older = anyVersion();
      container.continueFrom(older);
      state = SmallState.read(container.view(older));
    }

    /** A kept one goes, or any other. */
    void drop() throws IOException {
      VersionId newest = container.versions().getLast().id();
      VersionId gone = anyVersion().id();
      if (!gone.equals(newest)) {
        container.dropAllBut(
            container.versions().stream()
                .map(VersionInfo::id)
                .filter(id -> !id.equals(gone))
                .collect(Collectors.toSet()));
      }
    }

    void reopen() throws IOException {
      container.close();
      container = open();
      state = SmallState.read(container.view(container.versions().getLast()));
    }

    /** What a count from the maps finds is what they have together, and records, and no more. */
    private void checkCount() throws IOException {
      Holdings held = container.held();
      ExtentList all = new ExtentList();
      for (Root.Entry version : held.root().versions()) {
        held.records().map(held.root(), version).forEachExtent(all);
      }
      all.makeSet();
      Set<Pointer> records = held.root().placesWith(held.writer().superblock().root());
      long[] bytes = {records.stream().mapToLong(Pointer::length).sum()};
      all.forEach((_, length) -> bytes[0] += length);
      MapWalk walk = new MapWalk(held.records(), held.root(), null, e -> fail(e.getMessage()));
      Ledger fresh = new Ledger();
      fresh.countAnew(walk, held.root().versions(), true, records, 0);
      assertThat(fresh.space().liveBytes()).as("counted anew").isEqualTo(bytes[0]);
    }

    /** What was counted on the way is what a count from the maps finds. */
    void count() throws IOException {
      checkCount();
      long counted = container.held().space().liveBytes();
      container.held().account();
      assertThat(counted).as("counted on the way").isEqualTo(container.held().space().liveBytes());
    }

    void check() throws IOException {
      for (VersionInfo version : container.versions()) {
        assertThat(SmallState.read(container.view(version))).isEqualTo(model.get(version.id()));
      }
    }
  }

  @SeededTest(seeds = 25)
  void spaceIsCountedAsIfAllWereCountedAnew(Random random) throws IOException {
    History history = new History(random);
    for (int i = 0; i < 60; i++) {
      history.publish();
      switch (random.nextInt(20)) {
        case 0 -> history.goBack();
        case 1 -> history.drop();
        case 2 -> history.reopen();
        case 3, 4, 5 -> history.count();
        case 6, 7 -> history.check();
        default -> {}
      }
    }
    history.check();
    history.container.close();
  }

  /** Bytes that commits read, with two versions that are kept for ever among those retained. */
  private static double bytesRead(int bytes) {
    CountingStore store = new CountingStore(new MemoryStore());
    Options options =
        Options.defaults().blockSize(BLOCK).threads(1).retain(2).buffer(bytes).staging(2 * bytes);
    long[] state = IntStream.range(0, bytes / Long.BYTES).mapToLong(i -> i + 1).toArray();
    long[] before = {0};
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      cairn.protect("state", state);
      cairn.restart();
      for (int i = 1; i <= COMMITS; i++) {
        state[i * 37 * BLOCK / Long.BYTES % (1 << 17)]++;
        cairn.checkpoint(i == 3 || i == 7 ? KEPT : Label.none()).await();
        before[0] = i == 5 ? store.bytes().read() : before[0];
      }
    }
    return (store.bytes().read() - before[0]) / (double) (COMMITS - 5);
  }

  @Test
  void commitsReadNoMapsBecauseOfThem() {
    double small = bytesRead(2 << 20);
    double large = bytesRead(32 << 20);
    assertThat(large).as("bytes read by a commit").isBetween(0.9 * small, 1.1 * small + 1);
    assertThat(large).isLessThan(BLOCK);
  }
}
