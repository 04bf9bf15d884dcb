// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.pages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.cairn.testkit.process.ChildJava;
import org.cairn.testkit.random.Thorough;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * All Java of the README and of the pages below {@code docs} compiles; programs run, and print what
 * is shown.
 */
@Timeout(300)
@Tag("slow")
class PagesTest {
  @TempDir static Path temp;

  private static final List<Page> PAGES = new ArrayList<>();
  private static Path classes;
  private static List<String> errors;

  /** A snippet as javac reads it. */
  private static final class Source extends SimpleJavaFileObject {
    final Snippet snippet;

    Source(Snippet snippet) {
      super(URI.create("page:///" + snippet.className() + ".java"), Kind.SOURCE);
      this.snippet = snippet;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return snippet.source();
    }
  }

  @BeforeAll
  static void compile() throws IOException {
    PAGES.clear();
    PAGES.addAll(Page.all());
    classes = Files.createDirectories(temp.resolve("classes"));
    errors =
        compile(
            PAGES.stream()
                .flatMap(page -> Stream.concat(page.snippets().stream(), page.tables().stream()))
                .toList());
  }

  /** What javac has against them, each with page and line. */
  private static List<String> compile(List<Snippet> snippets) throws IOException {
    JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
    List<String> options =
        List.of(
            "--release",
            "25",
            "-proc:none",
            "-XDshould-stop.ifError=FLOW",
            "-d",
            classes.toString(),
            "-cp",
            ChildJava.classPath());
    try (var files = javac.getStandardFileManager(said, Locale.ROOT, UTF_8)) {
      javac
          .getTask(null, files, said, options, null, snippets.stream().map(Source::new).toList())
          .call();
    }
    return said.getDiagnostics().stream()
        .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
        .map(PagesTest::explained)
        .toList();
  }

  private static String explained(Diagnostic<? extends JavaFileObject> diagnostic) {
    String message = diagnostic.getMessage(Locale.ROOT);
    return diagnostic.getSource() instanceof Source source
        ? source.snippet.place(diagnostic.getLineNumber()) + ": " + message
        : message;
  }

  @Test
  void allOfItCompiles() {
    assertThat(errors).isEmpty();
  }

  @Test
  void thereIsSome() {
    assertThat(PAGES.stream().mapToInt(page -> page.snippets().size()).sum()).isGreaterThan(12);
    assertThat(PAGES.stream().mapToInt(page -> page.tables().size()).sum()).isPositive();
  }

  /** Without its hidden comment it would be a program all the same. */
  @Test
  void theFirstExampleIsWhole() {
    Snippet first = PAGES.getFirst().snippets().getFirst();

    assertThat(first.isWhole()).isTrue();
    assertThat(first.source()).isEqualTo(String.join("\n", first.lines()) + "\n");
  }

  @Test
  void whatDoesNotCompileIsToldByPageAndLine() throws IOException {
    Snippet wrong =
        new Snippet(
            Path.of("docs/a.md"), 40, List.of("import java.util.*;", "", "int x = y;"), List.of());

    assertThat(compile(List.of(wrong))).hasSize(1).first().asString().startsWith("docs/a.md:42: ");
  }

  /** In order, those of a page in one directory: they may go on with what others left. */
  @TestFactory
  @Thorough
  Stream<DynamicTest> programsPrintWhatIsShown() {
    return PAGES.stream()
        .filter(page -> page.snippets().stream().anyMatch(Snippet::isRun))
        .map(page -> DynamicTest.dynamicTest(page.name().toString(), () -> runAll(page)));
  }

  private void runAll(Page page) throws Exception {
    Path home = Files.createDirectories(temp.resolve(page.name().toString()));
    for (Snippet snippet : page.snippets()) {
      if (snippet.isRun()) {
        String output = run(snippet, home);
        for (String line : snippet.prints()) {
          assertThat(output).as(snippet.toString()).contains(line);
          assertThat(page.shows(line)).as("%s shows: %s", page.name(), line).isTrue();
        }
      }
    }
    List<Session> sessions = Session.of(page).stream().filter(Session::isAfterPrograms).toList();
    if (!sessions.isEmpty()) {
      Sessions.check(sessions, home);
    }
  }

  private static String run(Snippet snippet, Path home) throws Exception {
    Path output = home.resolve("output");
    int exitCode = builder(snippet, home).redirectOutput(output.toFile()).start().waitFor();
    String text = Files.readString(output);
    assertThat(exitCode).as("%s: %s", snippet, text).isZero();
    return text;
  }

  private static ProcessBuilder builder(Snippet snippet, Path home) {
    List<String> command =
        new ArrayList<>(List.of(ChildJava.executable(), "-XX:+UseSerialGC", "-Xmx1g"));
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
    command.add(classes + System.getProperty("path.separator") + ChildJava.classPath());
    command.add(snippet.className());
    return new ProcessBuilder(command).directory(home.toFile()).redirectErrorStream(true);
  }

  /** As a reader does who believes nothing: none of them gets as far as its end. */
  @TestFactory
  Stream<DynamicTest> killedProgramsGoOn() {
    return PAGES.stream()
        .flatMap(page -> page.snippets().stream().filter(Snippet::isKilled))
        .map(snippet -> DynamicTest.dynamicTest(snippet.toString(), () -> killTwice(snippet)));
  }

  private void killTwice(Snippet snippet) throws Exception {
    Path home = Files.createDirectories(temp.resolve(snippet.className()));
    runUntil(snippet, home, snippet.prints());
    runUntil(snippet, home, snippet.printsAgain());
    Page page = pageOf(snippet);
    for (String line : snippet.prints()) {
      assertThat(page.shows(line)).as("%s shows: %s", page.name(), line).isTrue();
    }
  }

  private static Page pageOf(Snippet snippet) {
    return PAGES.stream().filter(page -> page.name().equals(snippet.page())).findFirst().get();
  }

  /** Kills it when it has printed what has all these. */
  private static void runUntil(Snippet snippet, Path home, List<String> texts) throws Exception {
    Process process = builder(snippet, home).start();
    try (BufferedReader output = process.inputReader(UTF_8)) {
      StringBuilder printed = new StringBuilder();
      while (!texts.stream().allMatch(text -> printed.indexOf(text) >= 0)) {
        String line = output.readLine();
        assertThat(line).as("%s ends with: %s", snippet, printed).isNotNull();
        printed.append(line).append('\n');
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
  }
}
