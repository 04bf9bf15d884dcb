// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.cairn.cli.Cli;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@Tag("slow")
class DoctorCommandTest {
  @TempDir Path temp;

  @Test
  void everythingIsLookedAtAndNothingLeftBehind() {
    Cli.Result result = Cli.run("doctor", temp, "--json");

    assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    JsonNode report = result.json();
    Set<String> looked =
        report
            .get("findings")
            .valueStream()
            .map(finding -> finding.get("what").asString())
            .collect(Collectors.toSet());
    assertThat(looked)
        .contains("Java", "vectors", "openmpi", "mpich", "HDF5")
        .contains("file system", "free space", "locks", "forces");
    assertThat(report.get("bytesPerSecond").get("hash").asDouble()).isPositive();
    assertThat(report.get("bytesPerSecond").get("memory").asDouble()).isPositive();
    assertThat(report.get("bytesPerSecond").get("disk").asDouble()).isPositive();
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void aDirectoryThatIsNoneIsBad() throws Exception {
    Path file = Files.writeString(temp.resolve("file"), "");
    Path missing = temp.resolve("missing");

    Cli.Result result = Cli.run("doctor", file);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).contains("BAD").contains("is no directory").doesNotContain("mkdir");
    assertThat(Cli.run("doctor", missing).out()).contains("→ mkdir -p " + missing);
  }

  @Test
  void whatIsMissingIsToldWithItsRemedy() throws Exception {
    Map<String, String> wrong = Map.of("CAIRN_MPI_LIBRARY", temp.resolve("none.so").toString());

    assertThat(new Surroundings(wrong).look())
        .filteredOn(finding -> finding.what().equals("mpich"))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.state()).isEqualTo(Finding.State.BAD);
              assertThat(finding.found()).contains("none.so");
              assertThat(finding.remedy()).contains("unset CAIRN_MPI_LIBRARY");
            });
  }
}
