// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.cairn.container.BlockScan;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.RottingStore;
import org.cairn.testkit.store.RottingStore.Kind;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What rots on disk while a program runs is found, and healed from the program's memory. */
class ScrubTest {
  private static final String NAME = Checkpointer.containerName(0);

  /** A round with every checkpoint, as fast as it goes. */
  private static final Scrubbing ALWAYS = Scrubbing.everyCheckpoints(1).atMost(1);

  private final RottingStore store = RottingStore.over(new MemoryStore());
  private final byte[] cold = bytes(100_000);
  private final long[] hot = new long[5_000];

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(5).nextBytes(bytes);
    for (int i = 0; i < length; i++) {
      bytes[i] &= 3; // so that it can be coded
    }
    return bytes;
  }

  private Checkpointer open(Scrubbing scrubbing, Codec codec) {
    Checkpointer cairn =
        Checkpointer.open(
            store, Options.defaults().retain(3).threads(2).blockSize(1024).scrub(scrubbing));
    cairn.protect("cold", cold).codec(codec);
    cairn.protect("hot", hot);
    return cairn;
  }

  private void checkpoint(Checkpointer cairn) {
    for (int i = 0; i < hot.length; i += 7) {
      hot[i]++;
    }
    cairn.checkpoint();
  }

  static List<String> events(Store store, String kind) {
    try (StoreFile file = store.open("events.jsonl", Store.Access.READ);
        Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate(file.size());
      file.read(0, all);
      return new String(all.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.contains("\"event\":\"" + kind + "\""))
          .toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void awaitEvents(String kind, int count) {
    await().atMost(Duration.ofMinutes(2)).until(() -> events(store, kind).size() >= count);
  }

  private VersionView.BlockPlace place(String dataset, int block) throws IOException {
    try (ContainerReader reader = ContainerReader.open(store, NAME)) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      return view.place(view.find(dataset).orElseThrow(), block);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Codec.class,
      names = {"NONE", "DEFLATE"})
  void coldBlocksAreHealedForAllVersionsWhileTheProgramRuns(Codec codec) throws IOException {
    try (Checkpointer cairn = open(ALWAYS, codec)) {
      for (int i = 0; i < 3; i++) {
        checkpoint(cairn);
      }
      VersionView.BlockPlace first = place("cold", 40);
      assertThat(first.codec() != 0).isEqualTo(codec != Codec.NONE);
      store.rot(NAME, first.offset() + 3, 20, Kind.FLIPPED);
      store.rot(NAME, place("cold", 50).offset(), 1, Kind.UNREADABLE);
      checkpoint(cairn);
      await()
          .atMost(Duration.ofMinutes(2))
          .until(
              () -> {
                checkpoint(cairn);
                return events(store, "scrubMended").toString().contains("block 50 of")
                    && events(store, "scrubMended").toString().contains("block 40 of");
              });
      assertThat(events(store, "scrubFound").toString()).contains("block 40 of", "block 50 of");
      assertThat(events(store, "scrubMended")).allMatch(line -> line.contains("\"lost\":[]"));
    }
    checkAllVersions();
  }

  private void checkAllVersions() throws IOException {
    try (ContainerReader reader = ContainerReader.open(store, NAME);
        Workers workers = new Workers(1, "check")) {
      assertThat(reader.versions()).hasSize(3);
      for (VersionInfo version : reader.versions()) {
        VersionView view = reader.view(version.id());
        VersionSource.Sink sink =
            (dataset, block, bytes) -> {
              if (dataset.name().equals("cold")) {
                MemorySegment saved =
                    MemorySegment.ofArray(cold).asSlice(block * 1024L, bytes.byteSize());
                assertThat(bytes.mismatch(saved)).isEqualTo(-1);
              }
            };
        assertThat(BlockScan.run(view, view.datasets(), workers, sink, false, done -> {}))
            .isEmpty();
      }
    }
  }

  @Test
  void aRoundIsToldWithWhatItReadAndTheThreadEndsWithTheProgram() {
    try (Checkpointer cairn = open(ALWAYS, Codec.NONE)) {
      checkpoint(cairn);
      awaitEvents("scrub", 1);
      assertThat(events(store, "scrubBegan")).first().asString().contains(NAME);
      assertThat(events(store, "scrub"))
          .first()
          .asString()
          .contains("\"bad\":0", "\"uncached\":true", "\"problems\":[]")
          .containsPattern("\"bytes\":1[0-9]{5}[,}]");
      assertThat(threads()).isEqualTo(1);
    }
    assertThat(threads()).isZero();
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("cairn-scrub"))
        .count();
  }

  @Test
  void aSmallStateIsNotLookedAtWithinTheFirstDayAndNeverIfOff() {
    for (Scrubbing scrubbing : List.of(Options.defaults().scrub(), Scrubbing.OFF)) {
      MemoryStore other = new MemoryStore();
      try (Checkpointer cairn = Checkpointer.open(other, Options.defaults().scrub(scrubbing))) {
        cairn.protect("cold", cold);
        cairn.checkpoint();
        cairn.checkpoint();
        assertThat(threads()).isZero();
      }
    }
  }

  @Test
  void aStoreThatCannotLookPastTheCacheSaysSo() {
    MemoryStore plain = new MemoryStore();
    try (Checkpointer cairn = Checkpointer.open(plain, Options.defaults().scrub(ALWAYS))) {
      cairn.protect("cold", cold);
      cairn.checkpoint();
      await().atMost(Duration.ofMinutes(2)).until(() -> events(plain, "scrub").size() == 1);
      assertThat(events(plain, "scrub")).first().asString().contains("\"uncached\":false", NAME);
    }
  }
}
