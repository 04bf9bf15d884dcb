// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.cairn.Changes;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Checkpointer;
import org.cairn.Dataset;
import org.cairn.DatasetMismatchException;
import org.cairn.HashAlgorithm;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionMap;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Datasets are filled from whatever has a map and verified blocks. */
class RestartTargetTest {
  private static final int BLOCK = 512;

  private final MemoryStore store = new MemoryStore();
  private final Workers crew = new Workers(2, "crew");
  private final Map<String, Dataset> datasets = new LinkedHashMap<>();
  private final RestartTarget target = new RestartTarget(datasets, crew);

  @AfterEach
  void close() {
    crew.close();
  }

  /** A version as it may have come by wire: there is no file behind it. */
  private static final class Remembered implements VersionSource {
    private final VersionMap map;
    private final Map<String, Map<Integer, byte[]>> blocks = new HashMap<>();
    private Optional<String> lost = Optional.empty();

    Remembered(VersionMap map) {
      this.map = map;
    }

    @Override
    public VersionInfo info() {
      return map.info();
    }

    @Override
    public Collection<DatasetEntry> datasets() {
      return map.datasets();
    }

    @Override
    public Optional<DatasetEntry> find(String name) {
      return map.find(name);
    }

    @Override
    public boolean isZero(DatasetEntry dataset, int block) {
      return map.isZero(dataset, block);
    }

    @Override
    public long low(DatasetEntry dataset, int block) {
      return map.low(dataset, block);
    }

    @Override
    public long high(DatasetEntry dataset, int block) {
      return map.high(dataset, block);
    }

    @Override
    public List<VersionSource.Damage> scan(
        Collection<Range> wanted, Workers workers, VersionSource.Sink sink, LongConsumer progress)
        throws IOException {
      for (Range range : wanted) {
        DatasetEntry dataset = range.dataset();
        if (lost.filter(dataset.name()::equals).isPresent()) {
          return List.of(new VersionSource.Damage(dataset.name(), 0, -1, "it did not arrive"));
        }
        for (int block = range.firstBlock(); block < range.endBlock(); block++) {
          byte[] bytes = Objects.requireNonNull(of(dataset).get(block));
          sink.block(dataset, block, MemorySegment.ofArray(bytes));
        }
      }
      return List.of();
    }

    Map<Integer, byte[]> of(DatasetEntry dataset) {
      return Objects.requireNonNull(blocks.get(dataset.name()));
    }
  }

  /** Saves u and step, and brings them here without their file. */
  private Remembered saved() throws IOException {
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults().blockSize(BLOCK))) {
      double[] u = new double[1000];
      Arrays.setAll(u, i -> i / 7.0);
      cairn.protect("u", u);
      cairn.protect("step", 42L);
      cairn.checkpoint();
    }
    try (ContainerReader reader = ContainerReader.open(store, Checkpointer.containerName(0))) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      Remembered remembered = new Remembered(view);
      view.datasets().forEach(entry -> remembered.blocks.put(entry.name(), new HashMap<>()));
      VersionSource.Sink sink =
          (dataset, block, bytes) -> {
            Map<Integer, byte[]> all = remembered.of(dataset);
            synchronized (all) {
              all.put(block, bytes.toArray(ValueLayout.JAVA_BYTE));
            }
          };
      List<VersionSource.Range> all =
          view.datasets().stream().map(VersionSource.Range::all).toList();
      assertThat(view.scan(all, crew, sink, done -> {})).isEmpty();
      return remembered;
    } finally {
      store.delete(Checkpointer.containerName(0));
    }
  }

  private <T> T protect(String name, T memory) {
    Dataset.Defaults defaults = new Dataset.Defaults(BLOCK, HashAlgorithm.XXH3_128);
    datasets.put(name, Dataset.fixed(name, memory, defaults));
    return memory;
  }

  @Test
  void aVersionWithoutAFileIsRestored() throws IOException {
    VersionSource source = saved();
    double[] u = protect("u", new double[1000]);
    long[] step = protect("step", new long[1]);
    Attempt attempt = target.begin(source, RestartRequest.newest());
    assertThat(attempt.verify()).isEmpty();
    assertThat(u).as("nothing is filled yet").containsOnly(0);
    assertThat(attempt.fill()).isEmpty();
    RestartReport report = attempt.finish(List.of("something else is lost"), Optional.empty());
    assertThat(u[999]).isEqualTo(999 / 7.0);
    assertThat(step).containsExactly(42);
    assertThat(report.version()).contains(source.info().id());
    assertThat(report.restored()).containsExactlyInAnyOrder("u", "step");
    assertThat(report.bytes()).isEqualTo(8008);
    assertThat(report.problems()).containsExactly("something else is lost");
  }

  @Test
  void damageIsToldAndEndsTheAttempt() throws IOException {
    Remembered source = saved();
    source.lost = Optional.of("u");
    protect("u", new double[1000]);
    long[] step = protect("step", new long[1]);
    Attempt attempt = target.begin(source, RestartRequest.newest());
    assertThat(attempt.verify()).contains("it did not arrive");
    assertThat(step).as("verifying changes nothing").containsExactly(0);
    assertThat(attempt.fill()).contains("it did not arrive");
  }

  @Test
  void whatDoesNotFitIsRefusedBeforeAnythingChanges() throws IOException {
    Remembered source = saved();
    protect("u", new double[999]);
    long[] step = protect("step", new long[1]);
    assertThatThrownBy(() -> target.begin(source, RestartRequest.newest()))
        .isInstanceOf(DatasetMismatchException.class);
    assertThat(step).containsExactly(0);
  }

  @Test
  void knowsWhichVersionsItWouldLeaveTracesIn() throws IOException {
    Remembered source = saved();
    protect("u", new double[1000]);
    protect("state", new long[1]);
    RestartRequest request = RestartRequest.newest().rename("step", "state");
    Attempt attempt = target.begin(source, request);
    assertThat(attempt.changesMoreThan(Set.of("u", "step", "more"))).isFalse();
    assertThat(attempt.changesMoreThan(Set.of("u", "state"))).as("as it is called now").isFalse();
    assertThat(attempt.changesMoreThan(Set.of("u"))).isTrue();
  }

  @Test
  void whatIsProtectedLateComesFromTheSameSource() throws IOException {
    Remembered source = saved();
    long[] step = protect("step", new long[1]);
    target.fillLate(source, Changes.none());
    assertThat(step).containsExactly(42);
    source.lost = Optional.of("step");
    assertThatThrownBy(() -> target.fillLate(source, Changes.none()))
        .isInstanceOf(CheckpointUnavailableException.class)
        .hasMessageContaining("it did not arrive");
  }

  /** The blocks that hold wanted bytes, all of them and no others. */
  @SeededTest(seeds = 50)
  void aRangeIsReadByTheBlocksItLiesIn(Random random) throws IOException {
    int length = 1 + random.nextInt(5000);
    byte[] bytes = new byte[length];
    if (random.nextInt(4) > 0) {
      random.nextBytes(bytes);
    }
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults().blockSize(BLOCK))) {
      cairn.protect("u", bytes);
      cairn.checkpoint();
    }
    int from = random.nextInt(length + 1);
    int to = from + random.nextInt(length - from + 1);
    Set<Integer> expected = new TreeSet<>();
    for (int at = from; at < to; at++) {
      expected.add(at / BLOCK);
    }
    try (ContainerReader reader = ContainerReader.open(store, Checkpointer.containerName(0))) {
      VersionSource source = reader.view(reader.versions().getFirst().id());
      DatasetEntry entry = source.find("u").orElseThrow();
      List<Integer> seen = new ArrayList<>();
      VersionSource.Sink sink =
          (dataset, block, some) -> {
            synchronized (seen) {
              seen.add(block);
            }
          };
      VersionSource.Range range = new VersionSource.Range(entry, from, to);
      assertThat(source.scan(List.of(range), crew, sink, done -> {})).isEmpty();
      assertThat(seen).containsExactlyInAnyOrderElementsOf(expected);
      assertThatThrownBy(() -> new VersionSource.Range(entry, from, length + 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }
}
