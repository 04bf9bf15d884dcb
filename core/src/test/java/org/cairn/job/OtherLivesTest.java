// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import org.cairn.CheckpointFailedException;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.RestartRequest;
import org.cairn.TierKind;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.CrashingStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OtherLivesTest {
  private static final String FIRST = "rank0.cairn";
  private static final String PARTNER = "rank0.partner.cairn";
  private static final Options PRUNING = Options.defaults().pruneOthersAfter(Duration.ofDays(1));

  private final MemoryStore store = new MemoryStore();

  private void start(Options options, RestartRequest request, boolean saves) {
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      cairn.protect("number", 7L);
      cairn.restart(request);
      if (saves) {
        cairn.checkpoint();
      }
    }
  }

  @Test
  void whatIsPastGoesOnlyIfTheProgramAllowsIt() throws IOException {
    start(Options.defaults(), RestartRequest.newest(), true);
    start(PRUNING, RestartRequest.beginAnew(), true);
    assertThat(store.exists(FIRST)).as("young, and not past before this start").isTrue();
    start(Options.defaults(), RestartRequest.newest(), true);
    assertThat(store.exists(FIRST)).as("past, but nobody allowed it").isTrue();
    start(PRUNING, RestartRequest.newest(), false);
    assertThat(store.exists(FIRST)).as("past, and allowed").isFalse();
    start(Options.defaults(), RestartRequest.newest(), true);
  }

  @Test
  void whatIsOldGoesThoughItIsNotPast() throws IOException {
    start(Options.defaults(), RestartRequest.newest(), true);
    Options impatient = Options.defaults().pruneOthersAfter(Duration.ofNanos(1));
    start(impatient, RestartRequest.beginAnew(), true);
    assertThat(store.exists(FIRST)).isFalse();
    start(Options.defaults(), RestartRequest.newest(), false);
  }

  private static long size(Store place, String file) throws IOException {
    try (StoreFile open = place.open(file, Store.Access.READ)) {
      return open.size();
    }
  }

  private static String named(long bytes) {
    return "%,d bytes here are of other lives, and stay: rank0.cairn (%,d bytes, job "
        .formatted(bytes, bytes);
  }

  @Test
  void theirBytesAreNamedAtTheStart() throws IOException {
    try (LogLines log = new LogLines(Job.class)) {
      start(Options.defaults(), RestartRequest.newest(), true);
      start(Options.defaults(), RestartRequest.newest(), true);
      assertThat(log.with("other lives")).as("there are none yet").isEmpty();
      long bytes = size(store, FIRST);
      start(Options.defaults(), RestartRequest.beginAnew(), true);
      assertThat(log.with(named(bytes))).hasSize(1);
      start(Options.defaults(), RestartRequest.newest(), false);
      assertThat(log.with(named(bytes))).as("each time").hasSize(2);
    }
  }

  @Test
  void theirBytesAreNamedWhenTheDiskIsFull() throws IOException {
    CrashingStore disk = new CrashingStore(1);
    long[] u = new long[100_000];
    try (Checkpointer cairn = Checkpointer.open(disk, Options.defaults())) {
      cairn.protect("u", u);
      cairn.checkpoint();
      fails(cairn, u, disk, 0);
    }
    disk.emptyDisk();
    long bytes = size(disk, FIRST);
    try (Checkpointer cairn = Checkpointer.open(disk, Options.defaults())) {
      cairn.protect("u", u);
      cairn.restart(RestartRequest.beginAnew());
      cairn.checkpoint();
      String line = fails(cairn, u, disk, 1);
      assertThat(line).contains(named(bytes), "Options.pruneOthersAfter or cairn prune make room");
    }
  }

  /** A checkpoint finds the disk full; says what was told of others. */
  private static String fails(Checkpointer cairn, long[] u, CrashingStore disk, int lines)
      throws IOException {
    Arrays.setAll(u, i -> u[i] + i + 1);
    disk.fillDiskAfter(0);
    try (LogLines log = new LogLines(Job.class)) {
      assertThatThrownBy(cairn::checkpoint)
          .isInstanceOf(CheckpointFailedException.class)
          .hasMessageContaining("No space left");
      assertThat(log.with("other lives")).hasSize(lines);
      return String.join("", log.with("other lives"));
    }
  }

  @Test
  void theirBytesAreNamedWhenACopyFindsTheDiskFull() throws IOException {
    Host host = new Host("host", 1);
    SmallJob job = new SmallJob(2, host).steps(1);
    job.request = RestartRequest.beginAnew();
    CrashingStore disk = host.create("rank1");
    disk.onOperation(
        operation -> {
          if (operation.name().contains("partner") && !operation.name().equals(PARTNER)) {
            fill(disk);
          }
        });
    try (LogLines log = new LogLines(Job.class)) {
      job.run(
          rank ->
              assertThatThrownBy(() -> rank.cairn().checkpoint().await(TierKind.PARTNER))
                  .hasMessageContaining("No space left"));
      assertThat(job.failures).containsOnlyNulls();
      assertThat(log.with("make room"))
          .filteredOn(line -> line.contains("rank 1: "))
          .singleElement()
          .asString()
          .contains(PARTNER, "rank1.cairn");
    }
  }

  private static void fill(CrashingStore disk) {
    try {
      disk.fillDiskAfter(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
