// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Classes as a JVM has them once they are loaded and linked, kept by a first one for those that
 * come after it (JEP 483 and 514). Tests start hundreds of JVMs that live for a second, of which
 * loading classes takes a third.
 *
 * <p>It takes jars; so what lies in directories is put into some. Kept in {@code target} of the
 * module, for as long as its classes stay as they are. One JVM makes it; others that come while it
 * does go without, and so does everybody where it does not work.
 */
final class ClassCache {
  private static final Map<String, Optional<ClassCache>> KNOWN = new HashMap<>();
  private static final Path HOME = Path.of("target", "class-cache").toAbsolutePath();
  private static final long LIMIT_SECONDS = 120;

  private final Path cache;
  private final String classPath;

  private ClassCache(Path cache, String classPath) {
    this.cache = cache;
    this.classPath = classPath;
  }

  /** Not for JVMs that see other modules than the first one did. */
  static boolean suits(List<String> flags) {
    return flags.stream()
        .noneMatch(flag -> flag.startsWith("--add-") || flag.startsWith("-Xshare"));
  }

  /** The cache of what a program uses; empty if there is none yet, or cannot be one. */
  static synchronized Optional<ClassCache> of(Class<?> program, List<String> arguments) {
    Optional<ClassCache> known = KNOWN.get(program.getName());
    if (known != null) {
      return known;
    }
    try {
      return find(program, arguments);
    } catch (IOException | UncheckedIOException e) {
      KNOWN.put(program.getName(), Optional.empty());
      return Optional.empty();
    }
  }

  private static Optional<ClassCache> find(Class<?> program, List<String> arguments)
      throws IOException {
    Path place = Files.createDirectories(HOME.resolve(program.getSimpleName()));
    try (FileChannel channel =
            FileChannel.open(
                place.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock == null) {
        return Optional.empty(); // somebody makes it just now
      }
      Path own = place.resolve(state());
      if (!Files.exists(own)) {
        deleteOthers(place);
        make(Files.createDirectory(own), program, arguments);
      }
      Path cache = cacheIn(own);
      Optional<ClassCache> found =
          Files.exists(cache)
              ? Optional.of(new ClassCache(cache, Files.readString(own.resolve("path"))))
              : Optional.empty();
      KNOWN.put(program.getName(), found);
      return found;
    }
  }

  private static Path cacheIn(Path directory) {
    return directory.resolve("classes.aot");
  }

  /** Other for other classes: names, sizes and times of all there are. */
  private static String state() throws IOException {
    CRC32 state = new CRC32();
    state.update(System.getProperty("java.vm.version").getBytes(UTF_8));
    for (Path entry : entries(ChildJava.classPath())) {
      try (Stream<Path> files = Files.walk(entry, FileVisitOption.FOLLOW_LINKS)) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          state.update((file + " " + Files.getLastModifiedTime(file).toMillis()).getBytes(UTF_8));
        }
      }
    }
    return Long.toHexString(state.getValue());
  }

  private static List<Path> entries(String classPath) {
    return Stream.of(classPath.split(File.pathSeparator))
        .map(Path::of)
        .filter(Files::exists)
        .toList();
  }

  private static void deleteOthers(Path place) throws IOException {
    try (Stream<Path> files = Files.walk(place)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        if (!file.equals(place) && !file.equals(place.resolve("lock"))) {
          Files.delete(file);
        }
      }
    }
  }

  private static void make(Path own, Class<?> program, List<String> arguments) throws IOException {
    List<String> jars = new ArrayList<>();
    for (Path entry : entries(ChildJava.classPath())) {
      Path jar = own.resolve("classes" + jars.size() + ".jar");
      jars.add((Files.isDirectory(entry) ? jar(entry, jar) : entry).toString());
    }
    String path = String.join(File.pathSeparator, jars);
    Files.writeString(own.resolve("path"), path);
    train(own, path, program, arguments);
  }

  private static Path jar(Path directory, Path jar) throws IOException {
    try (OutputStream out = Files.newOutputStream(jar);
        ZipOutputStream zip = new ZipOutputStream(out);
        Stream<Path> files = Files.walk(directory)) {
      zip.setLevel(0);
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        zip.putNextEntry(
            new ZipEntry(directory.relativize(file).toString().replace(File.separatorChar, '/')));
        Files.copy(file, zip);
        zip.closeEntry();
      }
    }
    return jar;
  }

  private static void train(Path own, String path, Class<?> program, List<String> arguments)
      throws IOException {
    Path making = own.resolve("making.aot");
    List<String> command = new ArrayList<>(ChildJava.start());
    command.addAll(List.of("-XX:AOTCacheOutput=" + making, "-cp", path, program.getName()));
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command)
            .directory(Files.createDirectory(own.resolve("work")).toFile())
            .redirectErrorStream(true)
            .redirectOutput(own.resolve("log").toFile())
            .start();
    try {
      if (process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)
          && process.exitValue() == 0
          && Files.exists(making)) {
        Files.move(making, cacheIn(own));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * What a JVM is told. It starts without the cache where it cannot use it, and does not say so.
   */
  List<String> flags() {
    return List.of("-XX:AOTCache=" + cache, "-Xlog:aot=off", "-Xlog:cds=off");
  }

  /** All classes of this JVM, in jars. */
  String classPath() {
    return classPath;
  }
}
