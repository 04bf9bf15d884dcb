// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.cairn.testkit.process.ChildJava;
import org.cairn.tier.Found;

/**
 * A fault planted in the library: a change of its source, compiled for a test; the library has no
 * switch for it. Whoever changes such a line changes the fault with it.
 */
record PlantedFault(String file, String line, String instead) {

  /** What failed, and with which seed. */
  record Found(long seed, Throwable failure) {}

  /**
   * Runs histories with the fault until one fails.
   *
   * @param histories a class with a constructor that takes a seed, and a method {@code run}
   * @param classes a directory for the compiled fault
   */
  Optional<Found> find(Class<?> histories, Path classes, LongStream seeds) throws Exception {
    plant(classes);
    try (URLClassLoader loader =
        new URLClassLoader(classPath(classes), ClassLoader.getPlatformClassLoader())) {
      for (long seed : seeds.toArray()) {
        Optional<Found> found = run(loader.loadClass(histories.getName()), seed);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private void plant(Path classes) throws IOException {
    String text = Files.readString(source());
    assertThat(text).as("%s has changed; so must the fault", file).contains(line);
    Path changed = classes.resolve("source").resolve(Path.of(file).getFileName());
    Files.createDirectories(changed.getParent());
    Files.writeString(changed, text.replace(line, instead));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    int status =
        compiler.run(
            null,
            null,
            null,
            "-proc:none",
            "-nowarn",
            "-classpath",
            ChildJava.classPath(),
            "-d",
            classes.toString(),
            changed.toString());
    assertThat(status).isZero();
  }

  /** In the module that has it. */
  private Path source() {
    Path inCore = Path.of("../core/src/main/java/org/cairn", file);
    return Files.exists(inCore) ? inCore : Path.of("../doors/src/main/java/org/cairn", file);
  }

  private static URL[] classPath(Path classes) throws IOException {
    List<URL> urls = new ArrayList<>(List.of(classes.toUri().toURL()));
    for (String entry : ChildJava.classPath().split(File.pathSeparator)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    return urls.toArray(new URL[0]);
  }

  private static Optional<Found> run(Class<?> histories, long seed) throws Exception {
    Constructor<?> constructor = histories.getDeclaredConstructor(long.class);
    Method run = histories.getDeclaredMethod("run");
    constructor.setAccessible(true);
    run.setAccessible(true);
    try {
      run.invoke(constructor.newInstance(seed));
      return Optional.empty();
    } catch (InvocationTargetException e) {
      return Optional.of(new Found(seed, e.getCause()));
    }
  }
}
