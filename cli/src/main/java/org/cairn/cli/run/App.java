// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.run;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.cairn.apps.cloverleaf.CloverLeafProgram;
import org.cairn.apps.heat2d.Heat2DProgram;
import org.cairn.apps.poisson.PoissonProgram;
import org.cairn.cli.command.CommandFailedException;

/** A program that can be run: one that comes with Cairn, or a jar that says where it starts. */
final class App {
  private static final Map<String, Class<?>> BUNDLED =
      Map.of(
          "cloverleaf", CloverLeafProgram.class,
          "heat2d", Heat2DProgram.class,
          "poisson", PoissonProgram.class);

  private final Method main;
  private final ClassLoader loader;

  private App(Class<?> mainClass) throws NoSuchMethodException {
    this.main = mainClass.getMethod("main", String[].class);
    this.loader = mainClass.getClassLoader();
  }

  /** Finds a program by its name or file. */
  static App find(String name) throws IOException {
    try {
      Class<?> bundled = BUNDLED.get(name);
      return new App(bundled != null ? bundled : load(Path.of(name)));
    } catch (ClassNotFoundException e) {
      throw new CommandFailedException(name + " has no class " + e.getMessage(), e);
    } catch (NoSuchMethodException e) {
      throw new CommandFailedException(name + " has no public main method", e);
    }
  }

  private static Class<?> load(Path jar) throws IOException, ClassNotFoundException {
    if (!Files.isRegularFile(jar)) {
      throw new CommandFailedException(
          "no program " + jar + ": neither a jar nor one of " + BUNDLED.keySet());
    }
    URL[] path = {jar.toUri().toURL()};
    // Never closed: threads of the program may load classes until the process ends.
    ClassLoader loader = new URLClassLoader(path, App.class.getClassLoader());
    return Class.forName(mainClass(jar), false, loader);
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
    thread.setContextClassLoader(loader);
    try {
      main.invoke(null, (Object) arguments.toArray(String[]::new));
    } catch (InvocationTargetException e) {
      switch (e.getCause()) {
        case Exception cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw e;
      }
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
