// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.module;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * A program that is a module, compiled and started as its author would: with a module path, and
 * with nothing on the class path.
 */
public final class ModularProgram {
  private final Path directory;
  private final String libraries;
  private final String name;

  private ModularProgram(Path directory, String libraries, String name) {
    this.directory = directory;
    this.libraries = libraries;
    this.name = name;
  }

  /** In an empty directory, with the libraries that these classes are in. */
  public static ModularProgram of(Path directory, Class<?>... librariesOf) {
    return of(directory, Stream.of(librariesOf).map(Modules::place).toList());
  }

  /** In an empty directory, with these jars or folders of classes. */
  public static ModularProgram of(Path directory, Collection<Path> libraries) {
    return new ModularProgram(
        directory,
        libraries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
        "program");
  }

  /** The same as a module of another name than {@code program}: one that is trusted with more. */
  public ModularProgram named(String module) {
    return new ModularProgram(directory, libraries, module);
  }

  /**
   * Compiles it.
   *
   * @param main the text of {@code program.Main}
   * @param info what its module-info says: {@code "requires org.cairn.core;"}
   * @return what the compiler has to say: nothing, if all is well
   */
  public String compile(String main, String... info) throws IOException {
    Path sources = directory.resolve("source");
    Files.createDirectories(sources.resolve("program"));
    List<Path> files =
        List.of(
            Files.writeString(
                sources.resolve("module-info.java"),
                "module " + name + " { " + String.join(" ", info) + " }"),
            Files.writeString(sources.resolve("program/Main.java"), main));
    // Without a word, the class path would be that of the test.
    String nothing = Files.createDirectories(directory.resolve("nothing")).toString();
    List<String> options = new ArrayList<>(List.of("-proc:none", "-d", classes().toString()));
    options.addAll(List.of("--class-path", nothing, "--module-path", libraries));
    StringWriter messages = new StringWriter();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (var manager = compiler.getStandardFileManager(null, null, null)) {
      var units = manager.getJavaFileObjectsFromPaths(files);
      compiler.getTask(messages, manager, null, options, null, units).call();
    }
    return messages.toString();
  }

  /** Runs it to its end, and returns what it printed, errors among it. */
  public String run(List<String> flags, String... arguments)
      throws IOException, InterruptedException {
    Path output = directory.resolve("output");
    ProcessBuilder builder = new ProcessBuilder(command(flags, arguments));
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    builder.redirectErrorStream(true).redirectOutput(Redirect.to(output.toFile()));
    builder.start().waitFor();
    return Files.readString(output);
  }

  /** The command that runs it quickly, for launchers of ranks. */
  public List<String> command(List<String> flags, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"));
    command.addAll(flags);
    command.addAll(List.of("--module-path", libraries + File.pathSeparator + classes()));
    command.addAll(List.of("--module", name + "/program.Main"));
    command.addAll(List.of(arguments));
    return command;
  }

  private Path classes() {
    return directory.resolve("classes");
  }
}
