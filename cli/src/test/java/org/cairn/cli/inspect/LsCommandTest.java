// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.cairn.Checkpointer;
import org.cairn.cli.Cli;
import org.cairn.cli.Damage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class LsCommandTest {
  @TempDir Path temp;

  @Test
  void listsTheNewestVersion() {
    Sample.write(temp, 3);

    Cli.Result result = Cli.run("ls", temp);

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).contains("rank0.cairn").contains(" 3  1.3 ").contains("64.0 KiB");
    assertThat(result.err()).isEmpty();
  }

  @Test
  void jsonHasAllVersionsNewestFirst() {
    Sample.write(temp, 3);

    JsonNode container = Cli.run("ls", "--json", temp).json().get(0);

    assertThat(container.get("versions").values())
        .extracting(version -> version.get("version").asString())
        .containsExactly("1.3", "1.2", "1.1");
    assertThat(container.get("versions").get(0).get("protectedBytes").asLong()).isEqualTo(65544);
    assertThat(container.get("problems")).isEmpty();
  }

  @Test
  void aContainerCanBeNamedDirectlyAndThroughALink() throws IOException {
    Sample.write(temp.resolve("c"), 1);
    Path link = Files.createSymbolicLink(temp.resolve("link"), temp.resolve("c/rank0.cairn"));

    assertThat(Cli.run("ls", temp.resolve("c/rank0.cairn")).out()).contains("1.1");
    assertThat(Cli.run("ls", link).out()).contains("1.1");
  }

  @Test
  void aDirectoryWithoutAnyVersionIsFine() {
    try (Checkpointer cairn = Checkpointer.open(temp)) {
      cairn.restart();
    }

    Cli.Result result = Cli.run("ls", temp);

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).contains(" 0  -");
  }

  @Test
  void whatCannotBeReadDoesNotHideTheRest() throws IOException {
    Sample.write(temp.resolve("good"), 1);
    Files.createDirectory(temp.resolve("empty"));
    Files.createDirectory(temp.resolve("foreign"));
    Files.writeString(temp.resolve("foreign/rank0.cairn"), "something else ".repeat(1000));

    Cli.Result result =
        Cli.run(
            "ls",
            temp.resolve("missing"),
            temp.resolve("empty"),
            temp.resolve("foreign"),
            temp.resolve("good"));

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).contains("1.1");
    assertThat(result.err().lines()).hasSize(3);
    assertThat(result.err())
        .contains("missing does not exist")
        .contains("empty holds no checkpoints")
        .contains("foreign");
  }

  @Test
  void ranksAreListedInTheirOrder() throws IOException {
    Sample.write(temp, 1);
    for (int rank : new int[] {10, 9}) {
      Files.copy(temp.resolve("rank0.cairn"), temp.resolve("rank" + rank + ".cairn"));
    }

    assertThat(Cli.run("ls", "--json", temp).json().values())
        .extracting(c -> Path.of(c.get("path").asString()).getFileName().toString())
        .containsExactly("rank0.cairn", "rank9.cairn", "rank10.cairn");
  }

  @Test
  void aTornSuperblockIsAProblemButHidesNothing() throws IOException {
    Sample.write(temp, 4);
    Damage.flip(temp.resolve("rank0.cairn"), 40);

    Cli.Result result = Cli.run("ls", temp);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).contains("rank0.cairn");
    assertThat(result.err()).contains("cairn ls: ");
  }
}
