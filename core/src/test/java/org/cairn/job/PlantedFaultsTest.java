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

/**
 * The random worlds find what they are there for: with a fault planted in the comparison of
 * identities, in the lineage or in the choice, one of the first of them fails.
 */
@Timeout(300)
@Tag("slow")
@Thorough
class PlantedFaultsTest {
  private static final int WORLDS = 60;

  @TempDir private Path classes;

  /** A line of the library, and what stands there instead. */
  enum Fault {
    /** A run forgets what it left behind: it comes back as its rival. */
    FORGETS_WHAT_IT_LEFT_BEHIND(
        "version/Lives.java",
        "return newest.values().stream()\n        .filter(version -> continued.isEmpty()",
        "return newest.values().stream()\n        .filter(_ -> false)\n"
            + "        .filter(version -> continued.isEmpty()"),

    /** Versions of two runs with the same numbers are the same. */
    IGNORES_JOB_AND_RUN(
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
        """),

    /** Files of other lives are taken for one's own. */
    WRITES_INTO_FILES_OF_OTHERS(
        "tier/Home.java",
        "&& run.job().equals(found.lineage().job())",
        "|| found.kind() == kind && found.rank() == owner"),

    /** What others have in the shared directory is collected with one's own. */
    COLLECTS_WHAT_OTHERS_HAVE(
        "tier/shared/Collector.java",
        "if (plan.lineage.includes(version) && plan.mayGo(version)) {",
        "if (plan.mayGo(version)) {"),

    /** A version of which a segment was purged is as good as any. */
    BELIEVES_MANIFESTS(
        "tier/shared/SharedDirectory.java",
        "found.put(version, sighting(manifest, footers.problem(manifest.references())));",
        "found.put(version, sighting(manifest, Optional.empty()));"),

    /** Of several lives the first is as good as any. */
    DOES_NOT_ASK("job/Choice.java", "if (able.size() == 1) {", "if (able.size() >= 1) {", 40);

    private final PlantedFault planted;

    /** A world that found it once; asked first, to save time. */
    private final long hint;

    Fault(String file, String line, String instead) {
      this(file, line, instead, 1);
    }

    Fault(String file, String line, String instead, long hint) {
      this.planted = new PlantedFault(file, line, instead);
      this.hint = hint;
    }
  }

  @ParameterizedTest
  @EnumSource
  void isFound(Fault fault) throws Exception {
    // Every other one; the rest are for the profile kills.
    assumeTrue(fault.ordinal() % 2 == 1 || Boolean.getBoolean(Thorough.PROPERTY));
    LongStream seeds =
        LongStream.concat(LongStream.of(fault.hint), LongStream.rangeClosed(1, WORLDS));
    Optional<PlantedFault.Found> found = fault.planted.find(World.class, classes, seeds);
    System.out.println(
        "planted: " + fault + " is found by world " + found.map(PlantedFault.Found::seed));
    assertThat(found).as("no world of %d finds %s", WORLDS, fault).isPresent();
  }
}
