// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.cairn.comm.Launch.Launcher;
import org.junit.jupiter.api.Test;

class CommunicatorsTest {
  private static final Map<String, String> MPIRUN =
      Map.of("OMPI_COMM_WORLD_RANK", "1", "OMPI_COMM_WORLD_SIZE", "4");

  @Test
  void launchersAreToldFromTheEnvironment() {
    assertThat(Launch.detect(Map.of())).isEmpty();
    assertThat(Launch.detect(MPIRUN)).contains(launch(Launcher.OPEN_MPI, 1, 4));
    assertThat(Launch.detect(Map.of("PMI_RANK", "2", "PMI_SIZE", "3")))
        .contains(launch(Launcher.MPICH, 2, 3));
    assertThat(
            Launch.detect(
                Map.of("SLURM_PROCID", "5", "SLURM_STEP_NUM_TASKS", "8", "PMI_RANK", "5")))
        .contains(launch(Launcher.SLURM, 5, 8));
    assertThat(Launch.detect(Map.of("SLURM_PROCID", "5", "SLURM_STEP_NUM_TASKS", "8")))
        .contains(launch(Launcher.SLURM, 5, 8));
  }

  @Test
  void aBatchScriptIsNotARank() {
    assertThat(Launch.detect(Map.of("SLURM_PROCID", "0", "SLURM_NTASKS", "8"))).isEmpty();
    assertThat(Launch.detect(Map.of("PMI_RANK", "north"))).isEmpty();
  }

  @Test
  void withoutALauncherThereIsOneRank() {
    assertThat(Communicators.world(Map.of(), List.of(new Fake(Optional.empty()))).size())
        .isEqualTo(1);
  }

  @Test
  void underALauncherTheProviderIsAsked() {
    Fake fake = new Fake(Optional.empty());

    assertThat(Communicators.world(MPIRUN, List.of(fake))).isSameAs(fake.world);
  }

  @Test
  void missingTransportsAreExplained() {
    assertThatThrownBy(() -> Communicators.world(MPIRUN, List.of()))
        .isInstanceOf(CommunicationException.class)
        .hasMessageContaining("rank 1 of 4")
        .hasMessageContaining("add cairn-mpi to the class path");
    assertThatThrownBy(
            () -> Communicators.world(MPIRUN, List.of(new Fake(Optional.of("install it")))))
        .hasMessageContaining("install it");
  }

  @Test
  void oneRankNeedsNoTransport() {
    Map<String, String> alone = Map.of("PMI_RANK", "0", "PMI_SIZE", "1");

    assertThat(Communicators.world(alone, List.of()).size()).isEqualTo(1);
  }

  @Test
  void aProgramCanBeGivenItsRanks() throws Exception {
    Communicator given = new SoloCommunicator("here");

    Communicator here = Communicators.callAs(given, Communicators::world);
    Communicator there = Communicators.callAs(given, CommunicatorsTest::worldOfAnotherThread);

    assertThat(here).isSameAs(given);
    assertThat(there).isSameAs(given);
    assertThat(Communicators.world()).isNotSameAs(given);
  }

  private static Communicator worldOfAnotherThread() throws InterruptedException {
    Communicator[] seen = new Communicator[1];
    Thread thread = new Thread(() -> seen[0] = Communicators.world());
    thread.start();
    thread.join();
    return seen[0];
  }

  private static Launch launch(Launcher launcher, int rank, int size) {
    return new Launch(launcher, rank, OptionalInt.of(size));
  }

  private record Fake(Optional<String> problem, Communicator world)
      implements CommunicatorProvider {
    Fake(Optional<String> problem) {
      this(problem, new SoloCommunicator("fake"));
    }

    @Override
    public String name() {
      return "fake";
    }

    @Override
    public boolean serves(Launch launch) {
      return true;
    }
  }
}
