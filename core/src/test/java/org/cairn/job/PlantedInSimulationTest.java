// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.LongStream;
import org.cairn.testkit.random.Thorough;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Simulated disasters find faults in the order of things. */
@Timeout(600)
@Tag("slow")
@Thorough
class PlantedInSimulationTest {
  /** So many disasters are tried at most. */
  private static final int DISASTERS = Integer.getInteger("cairn.disasters", 2000);

  /** Whether the disaster that found a fault before is asked first; false to find the first. */
  private static final boolean HINTED = !"false".equals(System.getProperty("cairn.hints"));

  @TempDir private Path classes;

  /** What could be wrong. */
  enum Fault {
    /** A checkpoint is reported before all ranks have it. */
    STABLE_BEFORE_AGREEMENT(
        "job/Agreements.java",
        "      Agreement.reach(background, failure);\n",
        """
              if (failure == null) {
                stability.nowStable(TierKind.LOCAL, ticket.version());
                agreed.complete(mine.resultNow());
              }
              Agreement.reach(background, failure);
        """,
        24),

    /** A version that is on its way to a tier may be dropped. */
    A_MISSING_PIN("tier/TierWorker.java", "    stability.pin(version);\n", "", 1546),

    /** The copy of the partner is not brought up to date with what changed. */
    A_BLOCK_DROPPED_FROM_A_DELTA(
        "tier/transfer/Selection.java",
        "    chosen[count++] = one;\n",
        "    if (count == 0 || one % 7 != 3) { chosen[count++] = one; }\n",
        5),

    /** Who waits for a message is not told that it came. */
    A_LOST_WAKE_UP(
        "comm/ThreadRequest.java",
        "    LockSupport.unpark(waiter.get());\n",
        "    if (isSend || memory.byteSize() != 8) { LockSupport.unpark(waiter.get()); }\n",
        1),

    /** A version is reported though the power may still take it. */
    A_FORCE_LEFT_OUT(
        "container/ContainerWriter.java",
        "      next.write(file);\n      file.force();\n",
        "      next.write(file);\n",
        18),

    /** A run takes versions in the epoch of the run before it. */
    A_REUSED_EPOCH(
        "job/Survey.java",
        """
              fresh = Math.max(fresh, one.fragment().epoch() + 1);
              for (VersionId version : one.fragment().ids()) {
                fresh = Math.max(fresh, version.epoch() + 1);
        """,
        """
              fresh = Math.max(fresh, one.fragment().epoch());
              for (VersionId version : one.fragment().ids()) {
                fresh = Math.max(fresh, version.epoch());
        """,
        10),

    /** Nobody is kept out of the directory of a job that runs. */
    A_LOCK_NOT_TAKEN(
        "job/Place.java",
        "      locks.add(store.lock(FileNames.jobLock(world.rank(), setup.name())));\n",
        "      locks.add(new org.cairn.store.MemoryStore().lock(\"none\"));\n",
        5),

    /** Versions of other runs and jobs with the same numbers are taken for one's own. */
    AN_IDENTITY_NOT_COMPARED(
        "version/VersionId.java",
        "  /** The form that fits no other version",
        """
          @Override
          public boolean equals(Object other) {
            return other instanceof VersionId id && epoch == id.epoch && sequence == id.sequence;
          }

          @Override
          public int hashCode() {
            return Long.hashCode(sequence);
          }

          /** The form that fits no other version\
        """,
        232),

    /** A version is called stable though its segments may still be lost with who wrote them. */
    A_FORCE_LEFT_OUT_OF_SEGMENTS(
        "tier/shared/SegmentWriter.java",
        "    flush();\n    file.force();\n",
        "    flush();\n",
        98);

    private final PlantedFault planted;

    /** A disaster that found it once; asked first, to save time. */
    private final long hint;

    Fault(String file, String line, String instead, long hint) {
      this.hint = hint;
      this.planted = new PlantedFault(file, line, instead);
    }
  }

  @ParameterizedTest
  @EnumSource
  void isFound(Fault fault) throws Exception {
    // Every other one; the rest are for the profile kills.
    assumeTrue(fault.ordinal() % 2 == 0 || Boolean.getBoolean(Thorough.PROPERTY));
    Optional<PlantedFault.Found> found =
        fault.planted.find(
            Disasters.class,
            classes,
            HINTED
                ? LongStream.concat(LongStream.of(fault.hint), LongStream.rangeClosed(1, DISASTERS))
                : LongStream.rangeClosed(1, DISASTERS));
    System.out.println(
        "planted: %s is found by disaster %s"
            .formatted(fault, found.map(one -> one.seed() + ": " + first(one.failure()))));
    assertThat(found).as("no disaster of %d finds %s", DISASTERS, fault).isPresent();
  }

  private static String first(Throwable failure) {
    return failure.toString().lines().findFirst().orElse("");
  }
}
