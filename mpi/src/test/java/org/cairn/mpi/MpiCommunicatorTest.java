// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.cairn.testkit.comm.CommunicatorScenarios;
import org.cairn.testkit.comm.Scenario;
import org.cairn.testkit.process.ChildJava;
import org.cairn.testkit.process.MpiJob;
import org.cairn.testkit.process.MpiJob.Launcher;
import org.cairn.testkit.process.MpiJob.Result;
import org.cairn.testkit.random.OnlyThorough;
import org.cairn.testkit.random.Turn;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Real ranks under real launchers. Where MPI is not installed these fail, rather than being left
 * out silently: {@code ./setup} installs it, {@code -Dcairn.mpi=off} leaves them out.
 */
@DisabledIfSystemProperty(named = "cairn.mpi", matches = "off")
@Tag("slow")
class MpiCommunicatorTest {

  @ParameterizedTest
  @CsvSource({"OPEN_MPI,3", "MPICH,1", "MPICH,4"})
  void keepsThePromisesOfCommunicators(Launcher launcher, int ranks) throws Exception {
    keepsItsPromises(launcher, ranks);
  }

  @ParameterizedTest
  @CsvSource({"OPEN_MPI,1", "OPEN_MPI,2", "MPICH,2"})
  @OnlyThorough
  void keepsThemOnAnyNumberOfRanks(Launcher launcher, int ranks) throws Exception {
    keepsItsPromises(launcher, ranks);
  }

  private static void keepsItsPromises(Launcher launcher, int ranks) throws Exception {
    Result result = job().run(launcher, ranks, "scenarios");

    assertThat(result.exitCode()).as(result.toString()).isZero();
    for (Scenario scenario : CommunicatorScenarios.all()) {
      if (scenario.minimumRanks() <= ranks) {
        assertThat(result.out()).contains("rank 0 passed " + scenario.name());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void isAGoodGuestInTheJvm(Launcher launcher) throws Exception {
    Result result =
        job()
            .variable("CAIRN_DOMAIN", "rack7")
            .run(launcher, 2, "hello", "null-check", "truncation", "interrupt", "threads", "leave");

    assertThat(result.exitCode()).as(result.toString()).isZero();
    assertThat(result.out())
        .contains(
            "rank 0 of 2, concurrent true, independent true, processes true, domain rack7, sum 1")
        .contains("MpiCommunicator")
        .contains("rank 0 caught 10 null references")
        .contains("rank 1 caught 10 null references")
        .contains("a message of 100 bytes from rank 0 with tag 5 does not fit into the 10 bytes")
        .contains("a message of 1000000 bytes from rank 0 with tag 5 does not fit into the 10")
        .contains("rank 1 interrupted true")
        .contains("rank 1 then received 42")
        .contains("rank 1 threads are done");
  }

  @ParameterizedTest
  @Turn(1)
  void threadsTakeTurnsWhereMpiAllowsOneCallAtATime(Launcher launcher) throws Exception {
    Result result =
        job().flag("-Dcairn.mpi.threads=serialized").run(launcher, 2, "hello", "threads");

    assertThat(result.exitCode()).as(result.toString()).isZero();
    assertThat(result.out()).contains("concurrent true").contains("rank 0 threads are done");
  }

  @Test
  void tellsThatOneThreadOnlyMayCall() throws Exception {
    Result result = job().flag("-Dcairn.mpi.threads=funneled").run(Launcher.OPEN_MPI, 2, "hello");

    assertThat(result.exitCode()).as(result.toString()).isZero();
    assertThat(result.out()).contains("concurrent false, independent false");
  }

  @ParameterizedTest
  @CsvSource({"OPEN_MPI,throw,1", "MPICH,exit,7", "OPEN_MPI,abort,9", "MPICH,abort,9"})
  void aRankThatFailsEndsTheJob(Launcher launcher, String how, int exitCode) throws Exception {
    endsTheJob(launcher, how, exitCode);
  }

  @ParameterizedTest
  @CsvSource({"MPICH,throw,1", "OPEN_MPI,exit,7"})
  @OnlyThorough
  void itDoesSoUnderEitherLauncher(Launcher launcher, String how, int exitCode) throws Exception {
    endsTheJob(launcher, how, exitCode);
  }

  private static void endsTheJob(Launcher launcher, String how, int exitCode) throws Exception {
    Result result = job().run(launcher, 3, how);

    assertThat(result.exitCode()).as(result.toString()).isEqualTo(exitCode);
    if (how.equals("throw")) {
      assertThat(result.err()).contains("the reactor is too hot");
    }
  }

  @Test
  void aMissingLibraryIsExplained() throws Exception {
    Result result =
        job()
            .variable("OMPI_COMM_WORLD_RANK", "1")
            .variable("OMPI_COMM_WORLD_SIZE", "2")
            .variable("CAIRN_MPI_LIBRARY", "/nowhere/libmpi.so")
            .runAlone("hello");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err())
        .contains("mpirun of Open MPI started this process as rank 1 of 2")
        .contains("/nowhere/libmpi.so not found")
        .contains("apt-get install openmpi-bin")
        .contains("apt-get install mpich");
  }

  @Test
  void aLibraryOfAnotherLauncherIsNoticed() throws Exception {
    Result result =
        job().variable("CAIRN_MPI_LIBRARY", "libmpi.so.40").run(Launcher.MPICH, 2, "hello");

    assertThat(result.exitCode()).isNotZero();
    assertThat(result.err()).contains("started 2 ranks, but Open MPI").contains("sees 1");
  }

  @Test
  void srunWithoutItsServerIsNoticed() throws Exception {
    Result many =
        job()
            .variable("SLURM_PROCID", "1")
            .variable("SLURM_STEP_NUM_TASKS", "4")
            .variable("PMI_RANK", "1")
            .variable("PMI_SIZE", "4")
            .runAlone("hello");
    Result one =
        job()
            .variable("SLURM_PROCID", "0")
            .variable("SLURM_STEP_NUM_TASKS", "1")
            .variable("PMI_RANK", "0")
            .runAlone("hello");

    assertThat(many.exitCode()).isNotZero();
    assertThat(many.err()).contains("srun started 4 ranks, but MPICH").contains("--mpi=pmi2");
    assertThat(one.exitCode()).as(one.toString()).isZero();
    assertThat(one.out()).contains("rank 0 of 1").contains("MpiCommunicator");
  }

  @ParameterizedTest
  @EnumSource
  void sendsMoreThan2GiB(Launcher launcher) throws Exception {
    assumeTrue(Boolean.getBoolean(CommunicatorScenarios.LARGE_MESSAGES));
    Result result = job().run(launcher, 2, "large");

    assertThat(result.exitCode()).as(result.toString()).isZero();
    assertThat(result.out())
        .contains("announced Message[source=0, tag=5, bytes=2684366905]")
        .contains("wrong 0");
  }

  private static MpiJob job() {
    return MpiJob.of(ChildJava.like(RankProgram.class, "scenarios"), RankProgram.class);
  }
}
