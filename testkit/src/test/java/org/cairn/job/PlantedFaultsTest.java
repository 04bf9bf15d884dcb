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
import java.util.stream.LongStream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The random worlds find what they are there for: with a fault planted in the comparison of
 * identities, in the lineage or in the choice, one of the first of them fails. A fault is a change
 * of the source, compiled for the test; the library has no switch for it.
 */
@Timeout(300)
class PlantedFaultsTest {
  private static final int WORLDS = 60;

  @TempDir private Path classes;

  /** A line of the library, and what stands there instead. */
  enum Fault {
    /** A run forgets what it left behind: it comes back as its rival. */
    FORGETS_WHAT_IT_LEFT_BEHIND(
        "version/Lives.java",
        "return newest.values().stream()\n        .filter(version -> continued.isEmpty()",
        "return newest.values().stream()\n        .filter(_ -> false)\n"
            + "        .filter(version -> continued.isEmpty()"),

    /** Versions of two runs with the same numbers are the same. */
    IGNORES_JOB_AND_RUN(
        "version/VersionId.java",
        "  /** The form that fits no other version",
        """
          @Override
          public boolean equals(Object other) {
            return other instanceof VersionId id && epoch == id.epoch && sequence == id.sequence;
          }

          @Override
          public int hashCode() {
            return Long.hashCode(sequence);
          }

          /** The form that fits no other version\
        """),

    /** Files of other lives are taken for one's own. */
    WRITES_INTO_FILES_OF_OTHERS(
        "tier/Home.java",
        "&& run.job().equals(found.lineage().job())",
        "|| found.kind() == kind && found.rank() == owner"),

    /** What others have in the shared directory is collected with one's own. */
    COLLECTS_WHAT_OTHERS_HAVE(
        "tier/segment/Collector.java",
        "if (plan.lineage.includes(version) && plan.mayGo(version)) {",
        "if (plan.mayGo(version)) {"),

    /** A version of which a segment was purged is as good as any. */
    BELIEVES_MANIFESTS(
        "tier/segment/SharedDirectory.java",
        "found.put(version, sighting(manifest, footers.problem(manifest.references())));",
        "found.put(version, sighting(manifest, Optional.empty()));"),

    /** Of several lives the first is as good as any. */
    DOES_NOT_ASK("job/Choice.java", "if (able.size() == 1) {", "if (able.size() >= 1) {", 40);

    private final String file;
    private final String line;
    private final String instead;

    /** A world that found it once; asked first, to save time. */
    private final long hint;

    Fault(String file, String line, String instead) {
      this(file, line, instead, 1);
    }

    Fault(String file, String line, String instead, long hint) {
      this.file = file;
      this.line = line;
      this.instead = instead;
      this.hint = hint;
    }
  }

  @ParameterizedTest
  @EnumSource
  void isFound(Fault fault) throws Exception {
    plant(fault);
    long found = 0;
    try (URLClassLoader loader = new URLClassLoader(classPath(), platform())) {
      LongStream all = LongStream.rangeClosed(1, WORLDS);
      for (long seed : LongStream.concat(LongStream.of(fault.hint), all).toArray()) {
        if (fails(loader, seed)) {
          found = seed;
          break;
        }
      }
    }
    System.out.println("planted: " + fault + " is found by world " + found);
    assertThat(found).as("no world of %d finds %s", WORLDS, fault).isPositive();
  }

  private void plant(Fault fault) throws IOException {
    Path sources = Path.of("../core/src/main/java/org/cairn");
    String text = Files.readString(sources.resolve(fault.file));
    assertThat(text).as("%s has changed; so must the fault", fault.file).contains(fault.line);
    Path changed = classes.resolve("source").resolve(Path.of(fault.file).getFileName());
    Files.createDirectories(changed.getParent());
    Files.writeString(changed, text.replace(fault.line, fault.instead));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    int status =
        compiler.run(
            null,
            null,
            null,
            "-proc:none",
            "-nowarn",
            "-classpath",
            pathOfClasses(),
            "-d",
            classes.toString(),
            changed.toString());
    assertThat(status).isZero();
  }

  private static String pathOfClasses() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  private URL[] classPath() throws IOException {
    List<URL> urls = new ArrayList<>(List.of(classes.toUri().toURL()));
    for (String entry : pathOfClasses().split(File.pathSeparator)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    return urls.toArray(new URL[0]);
  }

  private static ClassLoader platform() {
    return ClassLoader.getPlatformClassLoader();
  }

  private static boolean fails(ClassLoader loader, long seed) throws Exception {
    Class<?> world = loader.loadClass(World.class.getName());
    Constructor<?> constructor = world.getDeclaredConstructor(long.class);
    Method run = world.getDeclaredMethod("run");
    constructor.setAccessible(true);
    run.setAccessible(true);
    try {
      run.invoke(constructor.newInstance(seed));
      return false;
    } catch (InvocationTargetException e) {
      return true;
    }
  }
}
