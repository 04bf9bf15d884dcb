// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.cairn.testkit.process.ChildJava;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * When native libraries are loaded, and what happens where they cannot be: in JVMs of their own.
 */
class CodecLoadingTest {
  private static final String ALLOWED = "--enable-native-access=ALL-UNNAMED";

  @TempDir private Path directory;

  @Test
  void codecsWithoutLibraryTouchNoneAndPrintNothing() throws Exception {
    Child child = run(List.of("-verbose:class"), "none", "deflate");
    assertThat(child.output).contains("works: none", "works: deflate");
    assertThat(child.output)
        .contains("org.cairn.codec.DeflateBlockCodec")
        .doesNotContain("codec.NativeLibrary", "Lz4Functions", "ZstdFunctions", "io.airlift");
    assertThat(child.errors).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "zstd"})
  void withNativeAccessNothingIsPrinted(String name) throws Exception {
    Child child = run(List.of(ALLOWED), name);
    assertThat(child.output).isEqualTo("works: " + name + "\n");
    assertThat(child.errors).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "zstd"})
  void withoutNativeAccessOnlyTheJdkWarns(String name) throws Exception {
    Child child = run(List.of(), name);
    assertThat(child.output).isEqualTo("works: " + name + "\n");
    assertThat(child.errors.lines())
        .isNotEmpty()
        .allMatch(line -> line.isEmpty() || line.startsWith("WARNING: "))
        .anyMatch(line -> line.contains("--enable-native-access"))
        .noneMatch(line -> line.contains("Unsafe"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "zstd"})
  void deniedNativeAccessNamesTheFlag(String name) throws Exception {
    Child child = run(List.of("--illegal-native-access=deny"), name, "deflate");
    assertThat(child.output.lines())
        .containsExactly(
            "unavailable: Codec "
                + name
                + " may not call its native library; start java with "
                + ALLOWED,
            "works: deflate");
    assertThat(child.errors).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "zstd"})
  void foreignPlatformIsNamedEachTime(String name) throws Exception {
    Child child = run(List.of(ALLOWED, "-Dos.arch=vax"), name, name, "deflate");
    assertThat(child.output.lines().toList())
        .hasSize(3)
        .satisfies(lines -> assertThat(lines.get(1)).isEqualTo(lines.get(0)))
        .contains("works: deflate");
    assertThat(child.output).contains("Codec " + name + " has no native library for", "-vax");
    assertThat(child.errors).isEmpty();
  }

  @Test
  void temporaryDirectoryThatIsNotThereIsNamed() throws Exception {
    Path missing = directory.resolve("missing");
    Child child = run(List.of(ALLOWED, "-Djava.io.tmpdir=" + missing), "zstd");
    assertThat(child.output)
        .contains("unavailable: Codec zstd cannot unpack", missing.toString(), "-Djava.io.tmpdir");
  }

  /** As on a file system mounted noexec: the file is there, but the loader refuses it. */
  @Test
  void libraryThatDoesNotLoadIsNamedWithRemedy() throws Exception {
    for (String platform : List.of("linux-aarch64", "linux-amd64")) {
      Path broken = directory.resolve("aircompressor").resolve(platform).resolve("liblz4.so");
      Files.createDirectories(broken.getParent());
      Files.writeString(broken, "This is no library.");
    }
    Child child = run(List.of(ALLOWED), "lz4", "zstd");
    assertThat(child.output)
        .contains("unavailable: Codec lz4 cannot load its native library", "noexec", "works: zstd");
    // On x86-64 the JVM says of any file that is no library that it may have an unusual stack.
    assertThat(child.errors.lines().filter(line -> !line.matches(".*(stack guard|execstack).*")))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "zstd"})
  void codecSaysThatItsJarIsMissing(String name) throws Exception {
    String classPath =
        Stream.of(ChildJava.classPath().split(File.pathSeparator))
            .filter(entry -> !entry.contains("aircompressor"))
            .collect(Collectors.joining(File.pathSeparator));
    Child child = runWith(classPath, List.of(ALLOWED), name, "deflate");
    assertThat(child.output.lines())
        .containsExactly(
            "unavailable: Codec "
                + name
                + " is in aircompressor's jar, which is not there; add it, or use deflate or none",
            "works: deflate");
  }

  @Test
  void unpackedLibraryIsGoneOnceLoaded() throws Exception {
    Path temporary = Files.createDirectory(directory.resolve("tmp"));
    Child child = run(List.of(ALLOWED, "-Djava.io.tmpdir=" + temporary), "zstd", "lz4");
    assertThat(child.output).contains("works: zstd", "works: lz4");
    assertThat(temporary).isEmptyDirectory();
  }

  private record Child(String output, String errors) {}

  private Child run(List<String> flags, String... codecs) throws IOException, InterruptedException {
    return runWith(ChildJava.classPath(), flags, codecs);
  }

  private Child runWith(String classPath, List<String> flags, String... codecs)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(ChildJava.executable());
    command.addAll(flags);
    command.add("-cp");
    command.add(directory + File.pathSeparator + classPath);
    command.add(CodecChild.class.getName());
    command.addAll(List.of(codecs));
    Path output = directory.resolve("output");
    Path errors = directory.resolve("errors");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    Process process =
        builder
            .redirectOutput(Redirect.to(output.toFile()))
            .redirectError(Redirect.to(errors.toFile()))
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("child ended").isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as(Files.readString(errors)).isZero();
    return new Child(Files.readString(output), Files.readString(errors));
  }
}
