// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.cairn.Checkpointer;
import org.cairn.Codec;
import org.cairn.DatasetMismatchException;
import org.cairn.DoubleCell;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Test;

/** A program that was changed goes on with what the old one saved. */
class ChangedProgramTest {
  private static final Options OPTIONS = Options.defaults().blockSize(128).threads(1).retain(3);

  private final MemoryStore store = new MemoryStore();

  private interface Use {
    void of(Checkpointer cairn) throws Exception;
  }

  private void with(Use use) throws Exception {
    try (Checkpointer cairn = Checkpointer.open(store, OPTIONS)) {
      use.of(cairn);
    }
  }

  private void save(String name, Object array) throws Exception {
    with(
        cairn -> {
          protect(cairn, name, array);
          cairn.checkpoint();
        });
  }

  private static void protect(Checkpointer cairn, String name, Object array) {
    switch (array) {
      case double[] doubles -> cairn.protect(name, doubles);
      case float[] floats -> cairn.protect(name, floats);
      case int[] ints -> cairn.protect(name, ints);
      default -> throw new AssertionError(array);
    }
  }

  private static double[] numbered(int n) {
    double[] array = new double[n];
    Arrays.setAll(array, i -> i + 1);
    return array;
  }

  // ---------------------------------------------------------------- names

  @Test
  void aRenamedDatasetComesBackAndIsSavedUnderItsNewName() throws Exception {
    save("T", numbered(100));
    double[] now = new double[100];
    RestartRequest renaming = RestartRequest.newest().rename("T", "temperature");
    with(
        cairn -> {
          cairn.protect("temperature", now);
          RestartReport report = cairn.restart(renaming);
          assertThat(report.restored()).containsExactly("temperature");
          assertThat(report.changed()).containsExactly("\"T\" is \"temperature\" now");
          assertThat(report.ignored()).isEmpty();
          cairn.checkpoint();
        });
    assertThat(now).containsExactly(numbered(100));
    // The same program once more: there is no "T" any more, which is no trouble.
    double[] again = new double[100];
    with(
        cairn -> {
          cairn.protect("temperature", again);
          RestartReport report = cairn.restart(renaming);
          assertThat(report.changed()).isEmpty();
        });
    assertThat(again).containsExactly(numbered(100));
  }

  @Test
  void namesCanBeExchanged() throws Exception {
    double[] a = {1};
    double[] b = {2};
    with(
        cairn -> {
          cairn.protect("a", a);
          cairn.protect("b", b);
          cairn.checkpoint();
        });
    with(
        cairn -> {
          cairn.protect("a", a);
          cairn.protect("b", b);
          cairn.restart(RestartRequest.newest().rename("a", "b").rename("b", "a"));
        });
    assertThat(a).containsExactly(2);
    assertThat(b).containsExactly(1);
  }

  @Test
  void twoDatasetsOfOneNameAreRefusedAndNothingChanged() throws Exception {
    with(
        cairn -> {
          cairn.protect("T", new double[] {1});
          cairn.protect("temperature", new double[] {2});
          cairn.checkpoint();
        });
    double[] now = {7};
    with(
        cairn -> {
          cairn.protect("temperature", now);
          RestartRequest renaming = RestartRequest.newest().rename("T", "temperature");
          assertThatThrownBy(() -> cairn.restart(renaming))
              .isInstanceOf(DatasetMismatchException.class)
              .hasMessageContaining("the checkpoint has both \"T\" and \"temperature\"")
              .hasMessageContaining("rename \"temperature\" of the checkpoint too");
          assertThat(now).containsExactly(7);
          cairn.restart(renaming.rename("temperature", "old").dropping("old"));
          assertThat(now).containsExactly(1);
          cairn.checkpoint();
        });
  }

  @Test
  void requestsThatContradictThemselvesAreRefused() {
    RestartRequest one = RestartRequest.newest().rename("a", "b");
    assertThatThrownBy(() -> one.rename("c", "b")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> one.rename("a", "c")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> one.rename("x", "x")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> one.orElse("q", 1).orElse("q", 2))
        .isInstanceOf(IllegalArgumentException.class);
  }

  // ---------------------------------------------------------------- types

  @SeededTest(seeds = 10)
  void floatsBecomeDoublesAndBackWhateverTheBlocks(Random random) throws Exception {
    MemoryStore place = new MemoryStore();
    // An element may lie in two blocks.
    Options options = OPTIONS.blockSize(128 + random.nextInt(20));
    Codec codec = random.nextBoolean() ? Codec.DEFLATE : Codec.NONE;
    float[] saved = new float[random.nextInt(400)];
    for (int i = 0; i < saved.length; i++) {
      saved[i] = random.nextInt(4) == 0 ? 0 : Float.intBitsToFloat(random.nextInt());
    }
    double[] wide = new double[saved.length];
    try (Checkpointer cairn = Checkpointer.open(place, options)) {
      cairn.protect("u", saved).codec(codec);
      cairn.checkpoint();
    }
    RestartRequest converting = RestartRequest.newest().converting("u");
    try (Checkpointer cairn = Checkpointer.open(place, options)) {
      cairn.protect("u", wide).codec(codec);
      cairn.restart(converting);
      cairn.checkpoint();
    }
    for (int i = 0; i < saved.length; i++) {
      assertThat(Double.compare(wide[i], saved[i])).isZero();
    }
    double[] unconverted = new double[saved.length];
    try (Checkpointer cairn = Checkpointer.open(place, options)) {
      cairn.protect("u", unconverted);
      assertThat(cairn.restart().changed()).isEmpty();
    }
    assertThat(unconverted).containsExactly(wide);
    float[] narrow = new float[saved.length];
    try (Checkpointer cairn = Checkpointer.open(place, options)) {
      cairn.protect("u", narrow);
      cairn.restart(converting);
      cairn.checkpoint();
    }
    assertThat(narrow).containsExactly(saved);
    float[] last = new float[saved.length];
    try (Checkpointer cairn = Checkpointer.open(place, options)) {
      cairn.protect("u", last);
      cairn.restart();
    }
    assertThat(last).containsExactly(saved);
  }

  @Test
  void withoutBeingAskedNothingIsConvertedAndTheRemedyIsNamed() throws Exception {
    save("u", new float[] {1, 2});
    with(
        cairn -> {
          cairn.protect("u", new double[2]);
          assertThatThrownBy(cairn::restart)
              .isInstanceOf(DatasetMismatchException.class)
              .hasMessageContaining("RestartRequest.converting(\"u\")");
        });
  }

  @Test
  void onlyFloatsAndDoublesAreConverted() throws Exception {
    save("u", new int[] {1, 2});
    with(
        cairn -> {
          cairn.protect("u", new double[2]);
          assertThatThrownBy(() -> cairn.restart(RestartRequest.newest().converting("u")))
              .isInstanceOf(DatasetMismatchException.class)
              .hasMessageContaining("the checkpoint has int[2], the program offers double[2]");
        });
  }

  @Test
  void aNumberThatIsTooLargeIsRefusedByNameAndTheDatasetIsUnchanged() throws Exception {
    save("u", new double[] {1, Double.NaN, Double.NEGATIVE_INFINITY, 1e39});
    float[] now = {9, 9, 9, 9};
    with(
        cairn -> {
          cairn.protect("u", now);
          assertThatThrownBy(() -> cairn.restart(RestartRequest.newest().converting("u")))
              .isInstanceOf(DatasetMismatchException.class)
              .hasMessageContaining("1.0E39 at [3]")
              .hasMessageContaining("too large for a float");
        });
    assertThat(now).containsExactly(9, 9, 9, 9);
  }

  @Test
  void theFirstCheckpointAfterAConversionIsWrittenAnewWhereItDiffers() throws Exception {
    // As floats and as doubles the first block is zeros, and all others differ.
    float[] saved = new float[320];
    for (int i = 32; i < saved.length; i++) {
      saved[i] = i;
    }
    save("u", saved);
    double[] now = new double[320];
    with(
        cairn -> {
          cairn.protect("u", now);
          cairn.restart(RestartRequest.newest().converting("u"));
          cairn.checkpoint();
          VersionInfo newest = cairn.versions().getFirst();
          assertThat(newest.blocks()).isEqualTo(20);
          assertThat(newest.protectedBytes()).isEqualTo(2560);
        });
    double[] back = new double[320];
    with(
        cairn -> {
          cairn.protect("u", back);
          cairn.restart();
        });
    for (int i = 0; i < back.length; i++) {
      assertThat(back[i]).isEqualTo(i < 32 ? 0 : i);
    }
  }

  // ---------------------------------------------------------------- defaults

  @Test
  void whatTheVersionLacksHasItsDefault() throws Exception {
    save("u", numbered(3));
    double[] u = new double[3];
    double[] sum = new double[1];
    float[] humidity = new float[40];
    with(
        cairn -> {
          cairn.protect("u", u);
          cairn.protect("sum", sum);
          cairn.protect("humidity", humidity);
          LongCell count = cairn.protect("count", 0L);
          DoubleCell kept = cairn.protect("kept", 5.0);
          RestartReport report =
              cairn.restart(
                  RestartRequest.newest()
                      .orElse("sum", () -> sum[0] = u[0] + u[1] + u[2])
                      .orElse("humidity", 0.5)
                      .orElse("count", 12)
                      .orElse("u", -1));
          assertThat(report.absent()).containsExactly("kept");
          assertThat(report.changed())
              .containsExactly(
                  "\"count\" was not saved, its default is 12.0",
                  "\"humidity\" was not saved, its default is 0.5",
                  "\"sum\" was not saved, its default is made by a function");
          assertThat(count.get()).isEqualTo(12);
          assertThat(kept.get()).isEqualTo(5.0);
        });
    assertThat(u).containsExactly(1, 2, 3);
    assertThat(sum).containsExactly(6);
    assertThat(humidity).containsOnly(0.5f);
  }

  @Test
  void aFirstRunKeepsWhatTheProgramHas() throws Exception {
    double[] q = {3};
    with(
        cairn -> {
          cairn.protect("q", q);
          cairn.restart(RestartRequest.newest().orElse("q", 1));
        });
    assertThat(q).containsExactly(3);
  }

  @Test
  void aDefaultThatNoElementCanHoldIsRefusedBeforeAnythingChanges() throws Exception {
    save("u", numbered(3));
    double[] u = new double[3];
    with(
        cairn -> {
          cairn.protect("u", u);
          cairn.protect("n", new int[2]);
          cairn.protectOpaque("o", () -> new byte[0], bytes -> {});
          RestartRequest request = RestartRequest.newest();
          for (RestartRequest wrong :
              List.of(
                  request.orElse("n", 0.5), request.orElse("n", 1e10), request.orElse("o", 1))) {
            assertThatThrownBy(() -> cairn.restart(wrong))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("give a function that fills it");
          }
        });
    assertThat(u).containsOnly(0);
  }

  // ---------------------------------------------------------------- late, and many

  @Test
  void whatIsProtectedLateIsRenamedConvertedAndDefaultedToo() throws Exception {
    save("T", new float[] {1, 2, 3});
    double[] late = new double[3];
    double[] lacking = new double[2];
    with(
        cairn -> {
          cairn.protect("other", 1L);
          RestartReport report =
              cairn.restart(
                  RestartRequest.newest()
                      .rename("T", "temperature")
                      .converting("temperature")
                      .orElse("q", 4));
          assertThat(report.ignored()).containsExactly("temperature");
          assertThatThrownBy(cairn::checkpoint).hasMessageContaining("[temperature]");
          cairn.protect("temperature", late);
          cairn.protect("q", lacking);
          assertThat(lacking).containsOnly(4);
          // Only once: from now on it is the program's.
          lacking[0] = 8;
          cairn.unprotect("q");
          cairn.protect("q", lacking);
          cairn.checkpoint();
        });
    assertThat(late).containsExactly(1, 2, 3);
    assertThat(lacking).containsExactly(8, 4);
  }

  @Test
  void aDefaultThatFailsLateLosesNothing() throws Exception {
    save("u", numbered(3));
    with(
        cairn -> {
          cairn.protect("other", 1L);
          cairn.restart(RestartRequest.newest().orElse("q", 0.5));
          assertThatThrownBy(() -> cairn.protect("q", new int[2]))
              .hasMessageContaining("no default for \"q\"");
          assertThatThrownBy(() -> cairn.dataset("q")).isInstanceOf(RuntimeException.class);
          double[] q = new double[2];
          cairn.protect("q", q);
          assertThat(q).containsOnly(0.5);
        });
  }

  @Test
  void allRanksRefuseWhatOneOfThemCannotConvert() {
    MemoryDirectories directories = new MemoryDirectories();
    Ranks.run(
        3,
        comm -> {
          double[] u = {comm.rank() == 1 ? 1e300 : 1};
          try (Checkpointer cairn = Checkpointer.open(directories, comm, OPTIONS)) {
            cairn.protect("u", u);
            cairn.checkpoint();
          }
        });
    ConcurrentHashMap<Integer, String> told = new ConcurrentHashMap<>();
    Ranks.run(3, comm -> told.put(comm.rank(), refusal(directories, comm)));
    assertThat(told).hasSize(3);
    assertThat(told.values()).allSatisfy(message -> assertThat(message).contains("1.0E300"));
  }

  private static String refusal(MemoryDirectories directories, Communicator comm) {
    try (Checkpointer cairn = Checkpointer.open(directories, comm, OPTIONS)) {
      cairn.protect("u", new float[1]);
      cairn.restart(RestartRequest.newest().converting("u"));
      return "restarted";
    } catch (RuntimeException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  void ranksThatDifferInTheirChangesAreRefused() {
    MemoryDirectories directories = new MemoryDirectories();
    assertThatThrownBy(
            () ->
                Ranks.run(
                    2,
                    comm -> {
                      try (Checkpointer cairn = Checkpointer.open(directories, comm, OPTIONS)) {
                        cairn.protect("u", new double[1]);
                        RestartRequest request = RestartRequest.newest();
                        cairn.restart(comm.rank() == 0 ? request : request.rename("v", "u"));
                      }
                    }))
        .hasMessageContaining("renamed {v=u}");
  }
}
