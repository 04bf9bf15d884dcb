// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.run;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.cairn.apps.cloverleaf.CloverLeafProgram;
import org.cairn.apps.heat2d.Heat2DProgram;
import org.cairn.apps.poisson.PoissonProgram;
import org.cairn.cli.command.CommandFailedException;

/**
 * A program that can be run: one that comes with Cairn, a jar that says where it starts, a file of
 * source, or a class of a class path.
 */
public final class App {
  private static final Map<String, Class<?>> BUNDLED =
      Map.of(
          "cloverleaf", CloverLeafProgram.class,
          "heat2d", Heat2DProgram.class,
          "poisson", PoissonProgram.class);

  private static final Pattern CLASS_NAME = Pattern.compile("[\\p{L}_$][\\p{L}\\p{N}_$.]*");

  private final Class<?> program;
  private final MainMethod main;

  private App(Class<?> program) throws NoSuchMethodException {
    this.program = program;
    this.main = MainMethod.of(program);
  }

  /**
   * Finds a program by its name or file.
   *
   * @param classPath what it needs besides Cairn; may be empty
   */
  static App find(String name, String classPath) throws IOException {
    try {
      Class<?> bundled = BUNDLED.get(name);
      return new App(bundled != null ? bundled : load(name, classPath));
    } catch (ClassNotFoundException e) {
      throw new CommandFailedException(name + " has no class " + e.getMessage(), e);
    } catch (NoSuchMethodException e) {
      throw new CommandFailedException(name + " has no main method", e);
    }
  }

  /**
   * How others start a program: in another working directory, and without compiling it again.
   *
   * @param name an absolute path, a name, or a class
   * @param classPath absolute paths
   */
  public record Ready(String name, String classPath) {

    /** The words of {@code cairn run} for it. */
    public List<String> words() {
      return classPath.isEmpty() ? List.of(name) : List.of("--class-path", classPath, name);
    }
  }

  /**
   * Makes a program ready for others.
   *
   * @param folder where classes go if it is source
   */
  public static Ready ready(String name, String classPath, Path folder) throws IOException {
    Ready ready = prepared(name, classPath, folder);
    find(ready.name(), ready.classPath()); // what is wrong with it is told once, and here
    return ready;
  }

  private static Ready prepared(String name, String classPath, Path folder) throws IOException {
    Path file = Path.of(name);
    String absolute = absolute(classPath);
    if (BUNDLED.containsKey(name) || !Files.isRegularFile(file)) {
      return new Ready(name, absolute);
    }
    if (!name.endsWith(".java")) {
      return new Ready(file.toAbsolutePath().toString(), absolute);
    }
    SourceFile.Compiled compiled = compiled(file, classPath);
    compiled.writeTo(folder);
    return new Ready(
        compiled.mainClass(),
        folder.toAbsolutePath() + (absolute.isEmpty() ? "" : File.pathSeparator + absolute));
  }

  private static String absolute(String classPath) {
    return Arrays.stream(classPath.split(Pattern.quote(File.pathSeparator), -1))
        .filter(entry -> !entry.isEmpty())
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static SourceFile.Compiled compiled(Path file, String classPath) throws IOException {
    String all = System.getProperty("java.class.path") + File.pathSeparator + classPath;
    return new SourceFile(file).compile(all);
  }

  private static Class<?> load(String name, String classPath)
      throws IOException, ClassNotFoundException {
    Path file = Path.of(name);
    if (Files.isRegularFile(file)) {
      if (name.endsWith(".java")) {
        return compiled(file, classPath).load(loader(entries(classPath)));
      }
      List<URL> path = new ArrayList<>(List.of(file.toUri().toURL()));
      path.addAll(entries(classPath));
      return Class.forName(mainClass(file), false, loader(path));
    }
    if (!classPath.isEmpty() && CLASS_NAME.matcher(name).matches()) {
      return Class.forName(name, false, loader(entries(classPath)));
    }
    throw new CommandFailedException(
        "no program %s: neither a jar nor a .java file nor one of %s; a class needs --class-path"
            .formatted(name, new TreeSet<>(BUNDLED.keySet())));
  }

  private static List<URL> entries(String classPath) throws MalformedURLException {
    List<URL> entries = new ArrayList<>();
    for (String entry : classPath.split(Pattern.quote(File.pathSeparator), -1)) {
      if (!entry.isEmpty()) {
        entries.add(Path.of(entry).toUri().toURL());
      }
    }
    return entries;
  }

  /** Never closed: threads of the program may load classes until the process ends. */
  private static ClassLoader loader(List<URL> path) {
    return new URLClassLoader(path.toArray(URL[]::new), App.class.getClassLoader());
  }

  private static String mainClass(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      Manifest manifest = file.getManifest();
      String name =
          manifest == null
              ? null
              : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
      if (name == null) {
        throw new CommandFailedException(jar + " does not say where to start (Main-Class)");
      }
      return name.strip();
    }
  }

  /** Runs the program in this thread; what it throws is thrown. */
  void run(List<String> arguments) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(program.getClassLoader());
    try {
      main.run(program, arguments);
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
