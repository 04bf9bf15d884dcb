// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.store.Store.Access;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.BaseStoreTest;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.SimulatedCrash;
import org.cairn.testkit.store.StoreOperation;
import org.cairn.testkit.store.StoreOperation.Kind;
import org.cairn.testkit.store.Survival;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Without faults the simulator is a store like any other. The nested tests prove that it really
 * does what it threatens to do, and nothing that no disk would do.
 */
class CrashingStoreTest extends BaseStoreTest {
  private static final int SECTOR = 512;

  /** How many survivors are looked at where each outcome must be seen. */
  private static final int SURVIVORS = 300;

  @Override
  protected Store newStore() {
    return new CrashingStore(1);
  }

  /** A store with one durable file. */
  private static CrashingStore withDurable(String name, String content) throws IOException {
    CrashingStore store = new CrashingStore(1);
    put(store, name, content);
    force(store, name);
    store.forceDirectory();
    assertThat(store.hasUnforced()).isFalse();
    return store;
  }

  private static void force(Store store, String name) throws IOException {
    try (StoreFile file = store.open(name, Access.WRITE)) {
      file.force();
    }
  }

  private static void write(Store store, String name, long position, String text)
      throws IOException {
    try (StoreFile file = store.open(name, Access.WRITE)) {
      file.write(position, bytes(text));
    }
  }

  /** A store with 8 durable sectors of {@code -}, on which the given writes are not forced. */
  private static CrashingStore withUnforced(String... writes) throws IOException {
    CrashingStore store = withDurable("a", "-".repeat(8 * SECTOR));
    for (String text : writes) {
      write(store, "a", 0, text);
    }
    return store;
  }

  /** The contents of a file in many survivors; an absent file counts as "absent". */
  private static Set<String> outcomes(CrashingStore store, String name) throws IOException {
    Set<String> contents = new HashSet<>();
    for (int seed = 0; seed < SURVIVORS; seed++) {
      Store survivor = store.survivor(seed);
      contents.add(survivor.exists(name) ? get(survivor, name) : "absent");
    }
    return contents;
  }

  @Nested
  class Bytes {

    @Test
    void whatWasForcedSurvivesEveryCrash() throws IOException {
      CrashingStore store = withDurable("a", "forced");
      store.crash();
      assertThat(outcomes(store, "a")).containsExactly("forced");
      assertThat(get(store.survivor(Survival.LOSE_ALL), "a")).isEqualTo("forced");
      assertThat(get(store.survivor(Survival.KEEP_ALL), "a")).isEqualTo("forced");
    }

    @Test
    void whatWasNotForcedIsLostKeptOrTorn() throws IOException {
      String old = "-".repeat(8 * SECTOR);
      String written = "x".repeat(8 * SECTOR);
      CrashingStore store = withUnforced(written);
      store.crash();
      assertThat(get(store.survivor(Survival.LOSE_ALL), "a")).isEqualTo(old);
      assertThat(get(store.survivor(Survival.KEEP_ALL), "a")).isEqualTo(written);
      Set<String> outcomes = outcomes(store, "a");
      assertThat(outcomes).contains(old, written);
      assertThat(outcomes).as("a prefix").anyMatch(content -> content.matches("x+-+"));
      assertThat(outcomes)
          .as("a prefix that ends within a sector")
          .anyMatch(content -> content.matches("x+-+") && content.indexOf('-') % SECTOR != 0);
      assertThat(outcomes).as("sectors").anyMatch(content -> content.matches(".*-+x+-+x+.*"));
      assertThat(outcomes).allMatch(content -> content.matches("[-x]{" + 8 * SECTOR + "}"));
      assertThat(outcomes.stream().filter(content -> !content.matches("x*-*")))
          .as("other tears follow sectors")
          .isNotEmpty()
          .allMatch(CrashingStoreTest::isTornAtSectors);
    }

    @Test
    void eachWriteHasItsOwnFate() throws IOException {
      CrashingStore store = withDurable("a", "-".repeat(4 * SECTOR));
      for (int sector = 0; sector < 4; sector++) {
        write(store, "a", (long) sector * SECTOR, "x");
      }
      Set<String> combinations = new TreeSet<>();
      for (String content : outcomes(store, "a")) {
        StringBuilder firsts = new StringBuilder();
        for (int sector = 0; sector < 4; sector++) {
          firsts.append(content.charAt(sector * SECTOR));
        }
        combinations.add(firsts.toString());
      }
      assertThat(combinations).as("all subsets, so also later without earlier").hasSize(16);
    }

    @Test
    void aLaterWriteOfTheSameBytesMayBeTheOneThatIsLost() throws IOException {
      CrashingStore store = withUnforced("1".repeat(8 * SECTOR), "2".repeat(8 * SECTOR));
      assertThat(outcomes(store, "a"))
          .contains("-".repeat(8 * SECTOR), "1".repeat(8 * SECTOR), "2".repeat(8 * SECTOR))
          .anyMatch(content -> content.contains("1") && content.contains("2"));
    }

    @Test
    void aWriteThatExtendsTheFileMayExtendItInPartWithGarbage() throws IOException {
      CrashingStore store = withDurable("a", "old!".repeat(SECTOR / 4));
      write(store, "a", SECTOR, "x".repeat(4 * SECTOR));
      Set<Integer> lengths = new TreeSet<>();
      Set<String> tails = new HashSet<>();
      for (String content : outcomes(store, "a")) {
        assertThat(content).startsWith("old!".repeat(SECTOR / 4));
        lengths.add(content.length());
        tails.add(content.substring(SECTOR));
      }
      assertThat(lengths).contains(SECTOR, 5 * SECTOR).hasSizeGreaterThan(20);
      assertThat(tails).as("length without bytes").anyMatch(tail -> tail.matches("(?s)[^x]+"));
      assertThat(tails).as("zeros").anyMatch(tail -> tail.matches("x*\0+x*"));
      assertThat(tails).as("stale contents").anyMatch(tail -> tail.contains("old!old!"));
      assertThat(tails).as("noise").anyMatch(tail -> tail.matches("(?s).*[^x!old\0]{10}.*"));
    }

    @Test
    void aGapIsNeverGarbage() throws IOException {
      CrashingStore store = withDurable("a", "o".repeat(SECTOR));
      write(store, "a", 3 * SECTOR, "x".repeat(SECTOR));
      for (String content : outcomes(store, "a")) {
        assertThat(content).matches("(?s)o{512}(\0{1024}.*)?");
      }
    }

    @Test
    void aTruncationIsLostOrKept() throws IOException {
      CrashingStore store = withDurable("a", "12345");
      try (StoreFile file = store.open("a", Access.WRITE)) {
        file.truncate(2);
      }
      assertThat(outcomes(store, "a")).containsExactlyInAnyOrder("12345", "12");
    }

    @Test
    void aKilledProcessLosesNothingUntilThePowerFails() throws IOException {
      CrashingStore store = withUnforced("x".repeat(8 * SECTOR));
      CrashingStore restarted = store.afterKill();
      assertThat(get(restarted, "a")).startsWith("xxx");
      assertThat(restarted.hasUnforced()).isTrue();
      assertThat(get(restarted.survivor(Survival.LOSE_ALL), "a")).startsWith("---");
      force(restarted, "a");
      assertThat(get(restarted.survivor(Survival.LOSE_ALL), "a")).startsWith("xxx");
      assertThat(get(store.survivor(Survival.LOSE_ALL), "a")).as("the original").startsWith("---");
    }

    @Test
    void aSurvivorIsDurableAndIndependent() throws IOException {
      CrashingStore store = withUnforced("x".repeat(8 * SECTOR));
      CrashingStore survivor = store.survivor(Survival.KEEP_ALL);
      assertThat(survivor.hasUnforced()).isFalse();
      put(survivor, "a", "changed");
      force(survivor, "a");
      assertThat(get(survivor.survivor(Survival.LOSE_ALL), "a")).isEqualTo("changed");
      assertThat(get(store, "a")).startsWith("xxx");
    }

    @Test
    void oneSeedGivesOneOutcome() throws IOException {
      CrashingStore store = withUnforced("1".repeat(8 * SECTOR), "2".repeat(3 * SECTOR));
      for (int seed = 0; seed < 20; seed++) {
        assertThat(get(store.survivor(seed), "a")).isEqualTo(get(store.survivor(seed), "a"));
        assertThat(get(store.survivor(new Random(seed)), "a"))
            .isEqualTo(get(store.survivor(new Random(seed)), "a"));
      }
    }
  }

  private static boolean isTornAtSectors(String content) {
    for (int i = 1; i < content.length(); i++) {
      if (content.charAt(i) != content.charAt(i - 1) && i % SECTOR != 0) {
        return false;
      }
    }
    return true;
  }

  @Nested
  class Names {

    @Test
    void aNewFileMayVanishThoughItsBytesWereForced() throws IOException {
      CrashingStore store = new CrashingStore(1);
      put(store, "a", "forced");
      force(store, "a");
      assertThat(outcomes(store, "a")).containsExactlyInAnyOrder("absent", "forced");
      assertThat(store.survivor(Survival.LOSE_ALL).list()).isEmpty();
      store.forceDirectory();
      assertThat(outcomes(store, "a")).containsExactly("forced");
    }

    @Test
    void aForcedNameMayBeThereWithoutBytes() throws IOException {
      CrashingStore store = new CrashingStore(1);
      put(store, "a", "x");
      store.forceDirectory();
      assertThat(outcomes(store, "a")).contains("", "x").doesNotContain("absent");
    }

    @Test
    void aRenameIsDoneOrNotButNeverHalf() throws IOException {
      CrashingStore store = withDurable("to", "old");
      put(store, "from", "new");
      force(store, "from");
      store.forceDirectory();
      store.rename("from", "to");
      Set<String> seen = new HashSet<>();
      for (int seed = 0; seed < SURVIVORS; seed++) {
        Store survivor = store.survivor(seed);
        seen.add(survivor.list() + " " + get(survivor, "to"));
      }
      assertThat(seen).containsExactlyInAnyOrder("[from, to] old", "[to] new");
      store.forceDirectory();
      assertThat(store.survivor(Survival.LOSE_ALL).list()).containsExactly("to");
    }

    @Test
    void renamingBeforeForcingLosesBytes() throws IOException {
      CrashingStore store = withDurable("to", "old");
      put(store, "from", "new content");
      store.rename("from", "to");
      store.forceDirectory();
      assertThat(outcomes(store, "to")).as("the classic mistake shows").contains("");
    }

    @Test
    void aDeletedFileMayComeBack() throws IOException {
      CrashingStore store = withDurable("a", "content");
      store.delete("a");
      assertThat(outcomes(store, "a")).containsExactlyInAnyOrder("absent", "content");
      store.forceDirectory();
      assertThat(outcomes(store, "a")).containsExactly("absent");
    }

    @Test
    void unrelatedNamesSurviveInAnyCombination() throws IOException {
      CrashingStore store = new CrashingStore(1);
      put(store, "a", "1");
      put(store, "b", "2");
      Set<List<String>> seen = new HashSet<>();
      for (int seed = 0; seed < SURVIVORS; seed++) {
        seen.add(store.survivor(seed).list());
      }
      assertThat(seen)
          .containsExactlyInAnyOrder(List.of(), List.of("a"), List.of("b"), List.of("a", "b"));
    }

    @Test
    void aDurableFileDoesNotVanishWhenItsNameIsReused() throws IOException {
      CrashingStore store = withDurable("a", "first");
      store.rename("a", "b");
      put(store, "a", "second");
      for (int seed = 0; seed < SURVIVORS; seed++) {
        Store survivor = store.survivor(seed);
        String holder = survivor.exists("b") ? "b" : "a";
        assertThat(get(survivor, holder)).as("seed %s", seed).isEqualTo("first");
      }
    }
  }

  @Nested
  class Crashes {

    @Test
    void theStoreIsDeadAfterwards() throws IOException {
      CrashingStore store = withDurable("a", "12345");
      StoreFile file = store.open("a", Access.WRITE);
      StoreLock lock = store.lock("lock");
      store.crashAt(2);
      file.force();
      assertThatThrownBy(() -> file.write(0, bytes("x")))
          .isInstanceOf(SimulatedCrash.class)
          .hasMessageContaining("WRITE a [0, 1)")
          .hasMessageContaining("seed 1");
      assertThat(store.hasCrashed()).isTrue();
      assertThatThrownBy(() -> file.read(0, buffer(1))).isInstanceOf(SimulatedCrash.class);
      assertThatThrownBy(file::size).isInstanceOf(SimulatedCrash.class);
      assertThatThrownBy(file::force).isInstanceOf(SimulatedCrash.class);
      assertThatThrownBy(() -> file.truncate(0)).isInstanceOf(SimulatedCrash.class);
      assertThatThrownBy(() -> store.open("a", Access.READ)).isInstanceOf(SimulatedCrash.class);
      assertThatThrownBy(store::list).isInstanceOf(SimulatedCrash.class);
      assertThatThrownBy(() -> store.exists("a")).isInstanceOf(SimulatedCrash.class);
      assertThatThrownBy(() -> store.delete("a")).isInstanceOf(SimulatedCrash.class);
      assertThatThrownBy(() -> store.rename("a", "b")).isInstanceOf(SimulatedCrash.class);
      assertThatThrownBy(store::forceDirectory).isInstanceOf(SimulatedCrash.class);
      assertThatThrownBy(store::freeSpace).isInstanceOf(SimulatedCrash.class);
      assertThatThrownBy(() -> store.lock("b")).isInstanceOf(SimulatedCrash.class);
      file.close();
      lock.close();
    }

    @Test
    void theSurvivorHasNoLocks() throws IOException {
      CrashingStore store = withDurable("a", "1");
      assertThat(store.lock("lock").isHeld()).isTrue();
      store.crash();
      store.survivor(Survival.KEEP_ALL).lock("lock").close();
    }

    @Test
    void theOperationInFlightHappensOrNot() throws IOException {
      CrashingStore store = withDurable("a", "-");
      store.crashAt(1);
      assertThatThrownBy(() -> write(store, "a", 0, "x")).isInstanceOf(SimulatedCrash.class);
      assertThat(outcomes(store, "a")).containsExactlyInAnyOrder("-", "x");
    }

    @Test
    void aForceInFlightProvesNothing() throws IOException {
      CrashingStore store = withDurable("a", "-");
      write(store, "a", 0, "x");
      store.crashAt(1);
      assertThatThrownBy(() -> force(store, "a")).isInstanceOf(SimulatedCrash.class);
      assertThat(outcomes(store, "a")).containsExactlyInAnyOrder("-", "x");
    }

    @Test
    void crashesWhereAConditionHolds() throws IOException {
      CrashingStore store = withDurable("a", "12345");
      store.crashWhen(operation -> operation.kind() == Kind.WRITE && operation.position() == 3);
      write(store, "a", 0, "x");
      assertThatThrownBy(() -> write(store, "a", 3, "x")).isInstanceOf(SimulatedCrash.class);
    }

    @Test
    void theListenerSeesEveryOperationAndMayLookAtSurvivors() throws IOException {
      CrashingStore store = withDurable("a", "-");
      List<String> seen = new ArrayList<>();
      store.onOperation(
          operation -> {
            try {
              seen.add(operation + " on " + get(store.survivor(Survival.KEEP_ALL), "a"));
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
      write(store, "a", 0, "x");
      force(store, "a");
      assertThat(seen).containsExactly("WRITE a [0, 1) on -", "FORCE a on x");
    }

    /**
     * The safe way to replace a file, crashed at every operation: never anything but old or new.
     */
    @SeededTest(seeds = 20)
    void aCarefulWorkloadSurvivesEverywhere(long seed) throws IOException {
      for (long n = 1; n <= 5; n++) {
        Set<String> outcomes = crashedReplacement(seed, n, true);
        assertThat(outcomes).as("crash at %s", n).isSubsetOf("old", "new content");
      }
      assertThat(replacement(seed, true).operations()).isEqualTo(3 + 1 + 5);
    }

    /** The same without the force: the simulator must find the mistake, or it proves nothing. */
    @Test
    void aCarelessWorkloadIsFoundOut() throws IOException {
      Set<String> outcomes = new HashSet<>();
      for (long n = 1; n <= 4; n++) {
        outcomes.addAll(crashedReplacement(7, n, false));
      }
      assertThat(outcomes).contains("old", "new content", "");
    }

    private Set<String> crashedReplacement(long seed, long n, boolean careful) throws IOException {
      CrashingStore store = prepared(seed);
      store.crashAt(n);
      assertThatThrownBy(() -> replace(store, careful)).isInstanceOf(SimulatedCrash.class);
      Set<String> contents = new HashSet<>();
      for (int fate = 0; fate < 40; fate++) {
        contents.add(get(store.survivor(seed * 1000 + fate), "a"));
      }
      return contents;
    }

    private CrashingStore replacement(long seed, boolean careful) throws IOException {
      CrashingStore store = prepared(seed);
      replace(store, careful);
      return store;
    }

    private CrashingStore prepared(long seed) throws IOException {
      CrashingStore store = new CrashingStore(seed);
      try (StoreFile file = store.open("a", Access.CREATE)) {
        file.write(0, bytes("old"));
        file.force();
      }
      store.forceDirectory();
      return store;
    }

    private void replace(Store store, boolean careful) throws IOException {
      try (StoreFile file = store.open("a.tmp", Access.CREATE)) {
        file.write(0, bytes("new content"));
        if (careful) {
          file.force();
        }
      }
      store.rename("a.tmp", "a");
      store.forceDirectory();
    }
  }

  @Nested
  class Failures {

    @Test
    void theNthOperationFailsAndTheNextWorks() throws IOException {
      CrashingStore store = withDurable("a", "-".repeat(100));
      store.failAt(2);
      write(store, "a", 0, "x");
      assertThatThrownBy(() -> write(store, "a", 1, "y".repeat(50)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("Input/output error")
          .hasMessageContaining("WRITE a [1, 51)")
          .hasMessageContaining("seed 1");
      assertThat(get(store, "a")).as("a part was written").matches("xy{0,49}-+");
      write(store, "a", 1, "z");
      assertThat(get(store, "a")).startsWith("xz");
    }

    @Test
    void failedChangesOfNamesDoNothing() throws IOException {
      CrashingStore store = withDurable("a", "1");
      store.failAt(1);
      assertThatThrownBy(() -> store.rename("a", "b")).isInstanceOf(IOException.class);
      store.failAt(1);
      assertThatThrownBy(() -> store.delete("a")).isInstanceOf(IOException.class);
      store.failAt(1);
      assertThatThrownBy(() -> store.open("c", Access.CREATE)).isInstanceOf(IOException.class);
      assertThat(store.list()).containsExactly("a");
    }

    @Test
    void afterAFailedForceLaterForcesLie() throws IOException {
      CrashingStore store = withDurable("a", "--");
      write(store, "a", 0, "x");
      store.failForce(1);
      assertThatThrownBy(() -> force(store, "a")).isInstanceOf(IOException.class);
      write(store, "a", 1, "y");
      force(store, "a");
      assertThat(get(store, "a")).as("everybody still reads it").isEqualTo("xy");
      assertThat(outcomes(store, "a")).containsExactlyInAnyOrder("-y", "xy");
      write(store, "a", 0, "z");
      force(store, "a");
      assertThat(outcomes(store, "a")).as("writing it again helps").containsExactly("zy");
    }

    @Test
    void afterAFailedForceOfTheDirectoryLaterForcesLieToo() throws IOException {
      CrashingStore store = new CrashingStore(1);
      put(store, "a", "1");
      store.failForce(1);
      assertThatThrownBy(store::forceDirectory).isInstanceOf(IOException.class);
      put(store, "b", "2");
      store.forceDirectory();
      Set<List<String>> seen = new HashSet<>();
      for (int seed = 0; seed < SURVIVORS; seed++) {
        seen.add(store.survivor(seed).list());
      }
      assertThat(seen).containsExactlyInAnyOrder(List.of("b"), List.of("a", "b"));
    }

    @Test
    void theNthForceIsCountedAmongForces() throws IOException {
      CrashingStore store = withDurable("a", "-");
      store.failForce(2);
      write(store, "a", 0, "x");
      force(store, "a");
      write(store, "a", 0, "y");
      assertThatThrownBy(() -> force(store, "a")).isInstanceOf(IOException.class);
      force(store, "a");
    }

    @Test
    void theDiskFillsUp() throws IOException {
      CrashingStore store = withDurable("a", "12345");
      store.fillDiskAfter(3);
      assertThat(store.freeSpace()).isEqualTo(3);
      assertThatThrownBy(() -> write(store, "a", 4, "ABCDEF"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("No space left on device");
      assertThat(get(store, "a")).as("what fits is written").isEqualTo("1234ABCD");
      assertThat(store.freeSpace()).isZero();
      write(store, "a", 0, "overwrite".substring(0, 8));
      assertThatThrownBy(() -> put(store, "b", "1")).hasMessageContaining("No space left");
      try (StoreFile file = store.open("a", Access.WRITE)) {
        file.truncate(2);
      }
      put(store, "b", "123456");
      assertThatThrownBy(() -> put(store, "c", "1")).hasMessageContaining("No space left");
      store.delete("b");
      put(store, "c", "1");
      store.emptyDisk();
      put(store, "d", "1".repeat(1000));
    }

    @Test
    void readsOfABadRangeFail() throws IOException {
      CrashingStore store = withDurable("a", "0123456789");
      store.failReads("a", 4, 2);
      try (StoreFile file = store.open("a", Access.READ)) {
        assertThat(file.read(0, buffer(4))).isEqualTo(4);
        assertThat(file.read(6, buffer(4))).isEqualTo(4);
        for (int attempt = 0; attempt < 2; attempt++) {
          assertThatThrownBy(() -> file.read(5, buffer(1)))
              .isInstanceOf(IOException.class)
              .hasMessageContaining("READ a [5, 6)");
          assertThatThrownBy(() -> file.read(0, buffer(10))).isInstanceOf(IOException.class);
        }
      }
    }

    @Test
    void theNthReadFailsOnce() throws IOException {
      CrashingStore store = withDurable("a", "0123456789");
      store.failRead(2);
      assertThat(get(store, "a")).isEqualTo("0123456789");
      assertThatThrownBy(() -> get(store, "a")).isInstanceOf(IOException.class);
      assertThat(get(store, "a")).isEqualTo("0123456789");
    }

    @Test
    void aBitFlippedAtRestStaysFlipped() throws IOException {
      CrashingStore store = withDurable("a", "AAAA");
      store.flipBit("a", 17);
      assertThat(store.hasUnforced()).isFalse();
      assertThat(get(store, "a")).isEqualTo("AACA");
      assertThat(outcomes(store, "a")).containsExactly("AACA");
      assertThatThrownBy(() -> store.flipBit("a", 32)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aBitFlippedInUnforcedBytesGoesWithThem() throws IOException {
      CrashingStore store = withDurable("a", "AAAA");
      write(store, "a", 0, "DDDD");
      store.flipBit("a", 0);
      assertThat(get(store, "a")).isEqualTo("EDDD");
      assertThat(get(store.survivor(Survival.KEEP_ALL), "a")).isEqualTo("EDDD");
      assertThat(get(store.survivor(Survival.LOSE_ALL), "a")).isEqualTo("@AAA");
    }

    @Test
    void aBitFlippedOnReadIsRightTheNextTime() throws IOException {
      CrashingStore store = withDurable("a", "AAAA");
      store.flipBitOnRead("a", 17);
      try (StoreFile file = store.open("a", Access.READ)) {
        MemorySegment before = buffer(2);
        file.read(0, before);
        assertThat(text(before)).as("does not cover the bit").isEqualTo("AA");
      }
      assertThat(get(store, "a")).isEqualTo("AACA");
      assertThat(get(store, "a")).isEqualTo("AAAA");
    }

    @Test
    void oneFaultDoesNotShiftAnother() throws IOException {
      CrashingStore store = withDurable("a", "-");
      store.failAt(1);
      store.crashAt(2);
      assertThatThrownBy(() -> write(store, "a", 0, "x")).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> write(store, "a", 0, "x")).isInstanceOf(SimulatedCrash.class);
      assertThat(store.trace()).extracting(StoreOperation::kind).endsWith(Kind.WRITE, Kind.WRITE);
    }
  }
}
