// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.cairn.Checkpointer;
import org.cairn.Checkpoints;
import org.cairn.Label;
import org.cairn.Options;
import org.cairn.Tiers;
import org.cairn.cli.Cli;
import org.cairn.comm.Ranks;
import org.cairn.store.DirectoryStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Labels are shown, and what is kept goes only if a person says so. */
class KeptVersionsTest {
  @TempDir Path temp;

  private static void take(Checkpointer cairn, int rank) {
    double[] u = new double[4000];
    cairn.protect("u", u);
    cairn.restart();
    for (int i = 1; i <= 5; i++) {
      u[0] = i;
      u[1] = rank;
      switch (i) {
        case 2 -> cairn.checkpoint(Label.of("calm").note("before the storm").keep());
        case 3 -> cairn.checkpoint(Label.of("storm").keep());
        default -> cairn.checkpoint();
      }
    }
  }

  private void takeOne() {
    try (Checkpointer cairn = Checkpointer.open(temp, Options.defaults().retain(2))) {
      take(cairn, 0);
    }
  }

  @Test
  void lsShowsLabels() {
    takeOne();

    Cli.Result result = Cli.run("ls", temp);

    assertThat(result.exitCode()).isZero();
    assertThat(result.out().replaceAll(" +", " "))
        .contains("1.3 kept storm -")
        .contains("1.2 kept calm before the storm");
    JsonNode version = Cli.run("ls", "--json", temp).json().get(0).get("versions").get(3);
    assertThat(version.get("said").get("label").asString()).isEqualTo("calm");
    assertThat(version.get("said").get("kept").asBoolean()).isTrue();
  }

  @Test
  void pruneLeavesWhatIsKeptUnlessToldOtherwise() {
    takeOne();

    assertThat(Cli.run("prune", "--versions", "--lives", "--leftovers", temp).exitCode()).isZero();
    try (Checkpoints saved = Checkpoints.open(temp)) {
      assertThat(saved.versions()).hasSize(3);
    }
    assertThat(Cli.run("prune", temp).out()).contains("kept versions").contains("--kept");
    assertThat(Cli.run("prune", "--version", "1.2", temp).err()).contains("add --kept");

    assertThat(Cli.run("prune", "--kept", "--version", "1.2", temp).exitCode()).isZero();
    try (Checkpoints saved = Checkpoints.open(temp)) {
      assertThat(saved.versions()).hasSize(2);
      assertThat(saved.labelled("storm").read("u").slice(0, 1).doubles()).containsExactly(3);
    }
    assertThat(Cli.run("prune", "--kept", temp).exitCode()).isZero();
    try (Checkpoints saved = Checkpoints.open(temp)) {
      assertThat(saved.versions()).hasSize(1);
      assertThat(saved.newest().read("u").slice(0, 1).doubles()).containsExactly(5);
    }
  }

  @Test
  void theNewestStaysEvenIfItIsKept() {
    try (Checkpointer cairn = Checkpointer.open(temp)) {
      cairn.protect("u", new double[10]);
      cairn.checkpoint(Label.of("only").keep());
    }

    Cli.run("prune", "--kept", temp);

    try (Checkpoints saved = Checkpoints.open(temp)) {
      assertThat(saved.labelled("only").read("u").doubles()).hasSize(10);
    }
  }

  @Test
  void aJobAndItsSharedDirectory() throws IOException {
    Path shared = Files.createDirectory(temp.resolve("shared"));
    Path local = temp.resolve("local");
    Options options =
        Options.defaults()
            .retain(2)
            .threads(1)
            .tiers(Tiers.none().shared(DirectoryStore.shared(shared), 1).sharedRetain(2));
    Ranks.run(
        2,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(local, comm, options)) {
            take(cairn, comm.rank());
          }
        });

    for (Path path : new Path[] {local, shared}) {
      assertThat(Cli.run("ls", path).out().replaceAll(" +", " "))
          .contains("1.2 kept calm before the storm");
      Cli.run("prune", "--versions", path);
      assertThat(Cli.run("ls", path).out()).contains("calm").contains("storm");
      assertThat(Cli.run("prune", "--kept", "--version", "1.3", path).err()).isEmpty();
      assertThat(Cli.run("ls", path).out()).contains("calm").doesNotContain("kept  storm");
      try (Checkpoints saved = Checkpoints.open(path)) {
        assertThat(saved.labelled("calm").rank(1).read("u").slice(0, 2).doubles())
            .containsExactly(2, 1);
      }
    }
  }
}
