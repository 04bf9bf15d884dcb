// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.cairn.testkit.process.ChildJava;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadmeTest {
  private static final Pattern EXAMPLE = Pattern.compile("(?s)```java\\n(.*?)```");

  @TempDir Path directory;

  /** As it is printed: whoever copies it has a program. */
  @Test
  void theFirstExampleCompiles() throws Exception {
    Matcher example = EXAMPLE.matcher(Files.readString(Path.of("../README.md")));
    assertThat(example.find()).isTrue();
    Path source = Files.writeString(directory.resolve("Example.java"), example.group(1));

    StringWriter messages = new StringWriter();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<String> options =
        List.of("-proc:none", "-cp", ChildJava.classPath(), "-d", directory.toString());
    try (var files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(messages, files, null, options, null, files.getJavaFileObjects(source))
              .call();
      assertThat(compiled).as("%s", messages).isTrue();
    }
    assertThat(directory.resolve("Example.class")).exists();
  }
}
