// SPDX-License-Identifier: Apache-2.0
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * Writes down which classes a program comes to when it opens and restarts, in that order, for {@code
 * org.cairn.work.HeadStart}, which has them loaded beside. To know, it runs such a program: once to have something to restart
 * from, and once to look. Classes that a JVM has ready (in its archive) and those it makes as it goes are left out, and those of
 * checkpoints: while a restart verifies, they would take a core away from it.
 *
 * <p>Used by the build: {@code java build/FirstClasses.java CLASSES CLASSPATH}. A list that is newer than all classes is kept.
 */
public final class FirstClasses {
  private static final String PROGRAM = """
      import java.lang.foreign.Arena;
      import java.lang.foreign.MemorySegment;
      import java.nio.file.Path;
      import org.cairn.Checkpointer;
      import org.cairn.ElementType;
      import org.cairn.LongCell;
      import org.cairn.Options;

      public final class Lives {
        public static void main(String[] args) {
          double[] heap = new double[100_000];
          MemorySegment segment = Arena.global().allocate(1 << 20, 4096);
          try (Checkpointer cairn = Checkpointer.open(Path.of(args[0]), Options.defaults())) {
            LongCell step = cairn.protect("step", 0L);
            cairn.protect("heap", heap);
            cairn.protect("segment", segment, ElementType.DOUBLE);
            if (cairn.restart().isRestored()) {
              Runtime.getRuntime().halt(0);
            }
            step.set(1);
            heap[7] = 1;
            segment.fill((byte) 1);
            cairn.checkpoint();
          }
        }
      }
      """;

  private static final Pattern LOADED = Pattern.compile("(\\S+) source: (\\S+).*");

  private FirstClasses() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Path classes = Path.of(args[0]);
    Path list = classes.resolve(Path.of("org", "cairn", "work", "first-classes.txt"));
    if (isNewerThanAll(list, classes)) {
      return;
    }
    Path folder = Files.createTempDirectory("cairn-first-classes-");
    try {
      Path source = Files.writeString(folder.resolve("Lives.java"), PROGRAM);
      String known = classes + File.pathSeparator + args[1];
      compile(source, folder, known);
      List<String> life = List.of("-cp", folder + File.pathSeparator + known, "Lives", folder.resolve("checkpoints").toString());
      run(List.of(), life);
      Path log = folder.resolve("classes.log");
      run(List.of("-Xlog:class+load:file=" + log + ":none"), life);
      Set<String> first = loaded(log);
      Files.writeString(list, String.join("\n", first));
      System.out.printf("%,d classes that a restart comes to first%n", first.size());
    } finally {
      delete(folder);
    }
  }

  /** Then it is left alone, and so is the jar: modules that depend on one whose jar is new are compiled anew. */
  private static boolean isNewerThanAll(Path list, Path classes) throws IOException {
    long written = list.toFile().lastModified();
    try (Stream<Path> files = Files.walk(classes)) {
      return Stream.concat(Stream.of(ownSource()), files.filter(file -> file.toString().endsWith(".class")))
          .allMatch(file -> file.toFile().lastModified() < written);
    }
  }

  private static Path ownSource() {
    return Path.of(URI.create(FirstClasses.class.getProtectionDomain().getCodeSource().getLocation().toString()));
  }

  private static void compile(Path source, Path folder, String known) {
    int result = ToolProvider.getSystemJavaCompiler()
        .run(null, null, null, "-d", folder.toString(), "-cp", known, source.toString());
    if (result != 0) {
      throw new IllegalStateException("the program that opens and restarts does not compile");
    }
  }

  private static void run(List<String> flags, List<String> words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(flags);
    command.addAll(words);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    if (process.waitFor() != 0) {
      throw new IllegalStateException("the program that opens and restarts failed:\n" + output);
    }
  }

  private static Set<String> loaded(Path log) throws IOException {
    Set<String> names = new LinkedHashSet<>();
    for (String line : Files.readAllLines(log)) {
      Matcher match = LOADED.matcher(line);
      if (match.matches() && isFromFile(match.group(2)) && !match.group(1).contains("/")) {
        names.add(match.group(1));
      }
    }
    names.remove("Lives");
    return names;
  }

  private static boolean isFromFile(String source) {
    return source.startsWith("jrt:") || source.startsWith("file:");
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
