// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The words that start a JVM with the classes of this one: without a second compiler and threads
 * that collect, since it lives for seconds, and with {@linkplain ClassCache classes that are loaded
 * already} where that can be had.
 */
public final class ChildJava {
  private static final List<String> QUICK =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED");

  private final Class<?> training;
  private final List<String> arguments;

  private ChildJava(Class<?> training, List<String> arguments) {
    this.training = training;
    this.arguments = arguments;
  }

  /**
   * JVMs that do what a program does, or some of it. It is run once, in an empty directory, and
   * tells which classes are loaded ahead.
   *
   * @param arguments of the program
   */
  public static ChildJava like(Class<?> program, String... arguments) {
    return new ChildJava(program, List.of(arguments));
  }

  /**
   * The words.
   *
   * @param flags of the JVM, besides those that all have
   */
  public List<String> command(List<String> flags, Class<?> main, List<String> mainArguments) {
    Optional<ClassCache> cache =
        ClassCache.suits(flags) ? ClassCache.of(training, arguments) : Optional.empty();
    List<String> command = new ArrayList<>(start());
    cache.ifPresent(found -> command.addAll(found.flags()));
    command.addAll(flags);
    command.addAll(
        List.of("-cp", cache.map(ClassCache::classPath).orElse(classPath()), main.getName()));
    command.addAll(mainArguments);
    return command;
  }

  /** The program {@code java}, and the flags that all have. */
  static List<String> start() {
    List<String> command = new ArrayList<>(List.of(executable()));
    command.addAll(QUICK);
    return command;
  }

  /** The program {@code java} that runs this. */
  public static String executable() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** The class path of this JVM; Surefire may have started it from a jar that only refers to it. */
  public static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }
}
