// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PictureFileTest {
  @TempDir private Path folder;

  @Test
  void replacesWhatIsThereAndLeavesNothingElse() throws IOException {
    Path file = Files.writeString(folder.resolve("chart.png"), "old");

    PictureFile.write(file, "new".getBytes(UTF_8));

    assertThat(file).hasContent("new");
    assertThat(folder).isDirectoryContaining(file::equals);
    assertThat(entries()).hasSize(1);
  }

  @Test
  void othersMayReadItAsAnyFile() throws IOException {
    Path usual = Files.createFile(folder.resolve("usual"));
    Path file = folder.resolve("chart.png");

    PictureFile.write(file, new byte[1]);

    assertThat(Files.getPosixFilePermissions(file)).isEqualTo(Files.getPosixFilePermissions(usual));
  }

  @Test
  void missingFolderIsToBeCreated() {
    Path file = folder.resolve("charts/chart.png");

    assertThatThrownBy(() -> ChartWriter.png(Charts.mtti(), file))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll(file.toString(), "mkdir -p " + folder.resolve("charts"));
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void folderIsNoFile() {
    assertThatThrownBy(() -> ChartWriter.svg(Charts.mtti(), folder))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll(folder.toString(), "is a folder", "name of a file");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void fileIsNoFolder() throws IOException {
    Path file = Files.createFile(folder.resolve("file")).resolve("chart.png");

    assertThatThrownBy(() -> PictureFile.write(file, new byte[1]))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll(file.toString(), "is not a folder", "choose another");
  }

  @Test
  void readOnlyFolderIsNamed() throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-xr-xr-x"));
    // Root may write everywhere, but not into what the kernel makes up.
    Path readOnly = Files.isWritable(folder) ? Path.of("/proc/self/task") : folder;
    Path file = readOnly.resolve("chart.png");
    try {
      assertThatThrownBy(() -> PictureFile.write(file, new byte[1]))
          .isInstanceOf(IOException.class)
          .hasMessageContainingAll(file + " cannot be written", "choose another");
    } finally {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void failureLeavesNoHalfPicture() {
    Path file = folder.resolve("x".repeat(300)); // The partial file can be written, but not moved.

    assertThatThrownBy(() -> PictureFile.write(file, new byte[1]))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("File name too long", "choose another name");
    assertThat(folder).isEmptyDirectory();
  }

  private List<Path> entries() throws IOException {
    try (var entries = Files.list(folder)) {
      return entries.toList();
    }
  }
}
