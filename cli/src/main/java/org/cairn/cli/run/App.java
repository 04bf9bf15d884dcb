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
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
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

  /** The same name where the working directory is another one. */
  public static String absolute(String name) {
    return BUNDLED.containsKey(name) || !Files.exists(Path.of(name))
        ? name
        : Path.of(name).toAbsolutePath().toString();
  }

  private static Class<?> load(String name, String classPath)
      throws IOException, ClassNotFoundException {
    Path file = Path.of(name);
    if (Files.isRegularFile(file)) {
      if (name.endsWith(".java")) {
        String all = System.getProperty("java.class.path") + File.pathSeparator + classPath;
        return new SourceFile(file).load(loader(entries(classPath)), all);
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
