// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/api.md lists what a program of a mesh can come across: no less, and no more. */
class MeshApiListTest {
  private static final Path LIST = Path.of("../docs/api.md");
  private static final Path SOURCES = Path.of("src/main/java");
  private static final Pattern ROW =
      Pattern.compile("\\| `(org\\.cairn\\.mesh\\.[\\w.]+)` \\| \\S.* \\|");
  private static final Pattern PUBLIC =
      Pattern.compile("^public .*\\b(class|interface|record|enum) ", Pattern.MULTILINE);
  private static final List<String> PACKAGES =
      List.of("org/cairn/mesh", "org/cairn/mesh/kernel", "org/cairn/mesh/plain");

  @Test
  void theListIsWhatThereIs() throws IOException {
    Set<String> listed = new TreeSet<>();
    for (String line : Files.readAllLines(LIST)) {
      Matcher row = ROW.matcher(line);
      if (row.matches()) {
        assertThat(listed.add(row.group(1))).as("%s is listed once", row.group(1)).isTrue();
      }
    }
    assertThat(listed)
        .as("docs/api.md, one line for each type: | `org.cairn.mesh.Type` | what it is |")
        .isEqualTo(types());
  }

  private static Set<String> types() throws IOException {
    Set<String> types = new TreeSet<>();
    try (Stream<Path> files = Files.walk(SOURCES)) {
      for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
        String name = SOURCES.relativize(file).toString().replace(".java", "");
        boolean forPrograms =
            PACKAGES.contains(name.substring(0, Math.max(0, name.lastIndexOf('/'))))
                || name.endsWith("Exception");
        if (forPrograms && PUBLIC.matcher(Files.readString(file)).find()) {
          types.add(name.replace('/', '.'));
        }
      }
    }
    return types;
  }
}
