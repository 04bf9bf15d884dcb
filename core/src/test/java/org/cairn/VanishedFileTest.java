// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Collectors;
import org.cairn.container.ContainerReader;
import org.cairn.store.DirectoryStore;
import org.cairn.testkit.store.CrashingStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Files that are taken away under a program: it must not be told that its state is safe. */
@Tag("slow")
class VanishedFileTest {
  private static final Options SMALL = Options.defaults().blockSize(128).threads(1);

  @TempDir private Path directory;

  private Path container() {
    return directory.resolve("rank0.cairn");
  }

  private long restored() {
    try (Checkpointer cairn = Checkpointer.open(directory, SMALL)) {
      LongCell step = cairn.protect("step", 0L);
      cairn.restart();
      return step.get();
    }
  }

  @Test
  void aContainerThatWasDeletedIsMadeAnewAfterAnError() throws IOException {
    try (Checkpointer cairn = Checkpointer.open(directory, SMALL)) {
      LongCell step = cairn.protect("step", 1L);
      cairn.restart();
      cairn.checkpoint();
      Files.delete(container());
      step.set(2);
      assertThatThrownBy(cairn::checkpoint)
          .isInstanceOf(CheckpointFailedException.class)
          .hasMessageContaining("rank0.cairn")
          .hasMessageContaining("was deleted or replaced");
      step.set(3);
      cairn.checkpoint();
    }
    assertThat(restored()).isEqualTo(3);
  }

  @Test
  void aContainerThatWasReplacedIsNotWrittenTo() throws IOException {
    Path other = directory.resolveSibling(directory.getFileName() + "-other");
    byte[] theirs;
    try (Checkpointer cairn = Checkpointer.open(other, SMALL)) {
      cairn.protect("step", 77L);
      cairn.restart();
      cairn.checkpoint();
    }
    theirs = Files.readAllBytes(other.resolve("rank0.cairn"));
    try (Checkpointer cairn = Checkpointer.open(directory, SMALL)) {
      LongCell step = cairn.protect("step", 1L);
      cairn.restart();
      cairn.checkpoint();
      Files.move(other.resolve("rank0.cairn"), container(), StandardCopyOption.REPLACE_EXISTING);
      step.set(2);
      assertThatThrownBy(cairn::checkpoint).hasMessageContaining("was deleted or replaced");
      assertThatThrownBy(cairn::checkpoint).hasMessageContaining("move it away");
      assertThat(Files.readAllBytes(container())).isEqualTo(theirs);
      Files.delete(container());
      step.set(3);
      cairn.checkpoint();
    }
    assertThat(restored()).isEqualTo(3);
  }

  @Test
  void aLockThatWasDeletedIsNoLock() throws IOException {
    try (Checkpointer cairn = Checkpointer.open(directory, SMALL)) {
      cairn.protect("step", 1L);
      cairn.restart();
      cairn.checkpoint();
      Files.delete(directory.resolve("rank0.cairn.lock"));
      assertThatThrownBy(cairn::checkpoint)
          .isInstanceOf(CheckpointFailedException.class)
          .hasMessageContaining("rank0.cairn.lock")
          .hasMessageContaining("another process may write");
      cairn.checkpoint();
    }
    assertThat(restored()).isEqualTo(1);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void whoDeletesAllLockFilesIsStillRefused() throws Exception {
    try (Checkpointer cairn = Checkpointer.open(directory, SMALL)) {
      LongCell step = cairn.protect("step", 1L);
      cairn.restart();
      cairn.checkpoint();
      // A reader in this process must not give the lock up with its file.
      ContainerReader.open(DirectoryStore.open(directory, false), "rank0.cairn").close();
      deleteLocks();
      assertThat(another()).contains("refused", "rank0.cairn is locked");
      step.set(2);
      assertThatThrownBy(cairn::checkpoint).hasMessageContaining("another process may write");
      cairn.checkpoint();
    }
    assertThat(restored()).isEqualTo(2);
    assertThat(another()).contains("went on");
  }

  private void deleteLocks() throws IOException {
    try (var files = Files.list(directory)) {
      for (Path file : files.filter(file -> file.toString().endsWith(".lock")).toList()) {
        Files.delete(file);
      }
    }
  }

  private String another() throws IOException, InterruptedException {
    Process process =
        ChildJvm.start(
            EnvironmentProbe.class, List.of("-Xmx64m"), List.of("go on", directory.toString()));
    try (var output = process.inputReader()) {
      String said = output.lines().collect(Collectors.joining("\n"));
      process.waitFor();
      return said;
    }
  }

  @Test
  void aDirectoryThatWasDeletedIsNamed() throws IOException {
    Path gone = directory.resolve("gone");
    try (Checkpointer cairn = Checkpointer.open(gone, SMALL)) {
      cairn.protect("step", 1L);
      cairn.restart();
      cairn.checkpoint();
      try (var files = Files.list(gone)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(gone);
      assertThatThrownBy(cairn::checkpoint).hasMessageContaining(gone.toString());
      assertThatThrownBy(cairn::checkpoint).hasMessageContaining(gone.toString());
      Files.createDirectory(gone);
      cairn.checkpoint();
    }
    try (Checkpointer cairn = Checkpointer.open(gone, SMALL)) {
      LongCell step = cairn.protect("step", 0L);
      assertThat(cairn.restart().isRestored()).isTrue();
      assertThat(step.get()).isEqualTo(1);
    }
  }

  @Test
  void aDiskThatIsFullBeforeTheFirstFileNamesTheContainer() throws IOException {
    CrashingStore full = new CrashingStore(1);
    full.fillDiskAfter(100);
    assertThatThrownBy(
            () -> {
              try (Checkpointer cairn = Checkpointer.open(full, Options.defaults())) {
                cairn.protect("u", new double[100]);
                cairn.checkpoint();
              }
            })
        .hasStackTraceContaining("No space left")
        .hasMessageContaining("rank0.cairn could not be made");
    assertThat(full.list()).as("nothing half made is left").noneMatch(name -> name.contains("new"));
  }
}
