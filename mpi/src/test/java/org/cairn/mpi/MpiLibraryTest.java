// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.cairn.comm.Launch;
import org.junit.jupiter.api.Test;

class MpiLibraryTest {

  @Test
  void theLauncherDecidesWhichIsTriedFirst() {
    assertThat(firstFor(Map.of("OMPI_COMM_WORLD_RANK", "0"))).isEqualTo("libmpi.so.40");
    assertThat(firstFor(Map.of("PMI_RANK", "0", "PMI_SIZE", "2"))).isEqualTo("libmpich.so.12");
    assertThat(firstFor(Map.of("SLURM_PROCID", "0", "PMI_FD", "9"))).isEqualTo("libmpich.so.12");
    assertThat(firstFor(Map.of("SLURM_PROCID", "0", "PMIX_RANK", "0"))).isEqualTo("libmpi.so.40");
  }

  private static String firstFor(Map<String, String> environment) {
    return MpiLibrary.names(Launch.detect(environment), environment).getFirst();
  }

  @Test
  void absenceIsAValue() {
    MpiLibrary library = MpiLibrary.load(Map.of(), Optional.of("/nowhere/libmpi.so"));

    assertThat(library.functions()).isNull();
    assertThat(library.problem().orElseThrow())
        .contains("/nowhere/libmpi.so not found")
        .contains("apt-get install openmpi-bin")
        .contains("CAIRN_MPI_LIBRARY");
  }

  @Test
  void aLibraryThatIsNoneIsAValueToo() {
    MpiLibrary library = MpiLibrary.load(Map.of(), Optional.of("libm.so.6"));

    assertThat(library.problem().orElseThrow()).contains("libm.so.6: it lacks MPI_Init_thread");
  }
}
