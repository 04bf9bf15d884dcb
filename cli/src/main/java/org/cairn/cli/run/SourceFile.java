// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.cairn.cli.command.CommandFailedException;
import org.jspecify.annotations.Nullable;

/**
 * A program that is one file of source, compiled into memory as {@code java File.java} does it:
 * nothing is left behind. It starts in the first type of the file.
 */
final class SourceFile {
  private static final int MOST_ERRORS = 5;
  private static final String CLASS_FILE = ".class";

  private final Path file;

  SourceFile(Path file) {
    this.file = file;
  }

  /**
   * What became of it.
   *
   * @param mainClass where the program starts
   * @param classes the bytes of each class, by name
   */
  record Compiled(String mainClass, Map<String, byte[]> classes) {

    /** Loads the class in which the program starts. */
    Class<?> load(ClassLoader parent) throws ClassNotFoundException {
      return Class.forName(mainClass, false, new Loader(parent, classes));
    }

    /** Writes the classes to a folder, for processes that need not compile them again. */
    void writeTo(Path folder) throws IOException {
      for (Map.Entry<String, byte[]> one : classes.entrySet()) {
        Path target = folder.resolve(one.getKey().replace('.', '/') + CLASS_FILE);
        Files.createDirectories(Objects.requireNonNull(target.getParent()));
        Files.write(target, one.getValue());
      }
    }
  }

  /**
   * Compiles it.
   *
   * @param classPath what the program sees besides itself
   */
  Compiled compile(String classPath) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new CommandFailedException(
          "%s is source, and this Java (%s) has no compiler; run it with a JDK"
              .formatted(file, System.getProperty("java.home")));
    }
    DiagnosticCollector<JavaFileObject> remarks = new DiagnosticCollector<>();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(remarks, null, UTF_8)) {
      InMemory memory = new InMemory(files);
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  memory,
                  remarks,
                  List.of("-proc:none", "-Xlint:none", "-parameters", "-cp", classPath),
                  null,
                  files.getJavaFileObjects(file));
      String first = firstType(task);
      task.generate();
      refuseErrors(remarks);
      if (first == null) {
        throw new CommandFailedException(file + " has no class to start in");
      }
      return new Compiled(first, memory.bytes());
    }
  }

  private static @Nullable String firstType(JavacTask task) throws IOException {
    for (CompilationUnitTree unit : task.parse()) {
      String prefix = unit.getPackageName() == null ? "" : unit.getPackageName() + ".";
      for (Tree type : unit.getTypeDecls()) {
        if (type instanceof ClassTree named) {
          return prefix + named.getSimpleName();
        }
      }
    }
    return null;
  }

  private void refuseErrors(DiagnosticCollector<JavaFileObject> remarks) {
    List<String> errors =
        remarks.getDiagnostics().stream()
            .filter(remark -> remark.getKind() == Diagnostic.Kind.ERROR)
            .map(
                error ->
                    "line %d: %s"
                        .formatted(
                            error.getLineNumber(),
                            error.getMessage(Locale.ROOT).lines().findFirst().orElse("")))
            .toList();
    if (!errors.isEmpty()) {
      throw new CommandFailedException(
          "%s does not compile; %s"
              .formatted(
                  file, errors.stream().limit(MOST_ERRORS).collect(Collectors.joining("; "))));
    }
  }

  /** Keeps classes where a loader finds them. */
  private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> classes = new HashMap<>();

    InMemory(JavaFileManager files) {
      super(files);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String name, JavaFileObject.Kind kind, @Nullable FileObject sibling) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      classes.put(name, bytes);
      return new SimpleJavaFileObject(URI.create("memory:///" + name.replace('.', '/')), kind) {
        @Override
        public OutputStream openOutputStream() {
          return bytes;
        }
      };
    }

    Map<String, byte[]> bytes() {
      Map<String, byte[]> all = new HashMap<>();
      classes.forEach((name, bytes) -> all.put(name, bytes.toByteArray()));
      return all;
    }
  }

  /** Finds classes in memory. */
  private static final class Loader extends ClassLoader {
    private final Map<String, byte[]> classes;

    Loader(ClassLoader parent, Map<String, byte[]> classes) {
      super(parent);
      this.classes = classes;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      byte[] bytes = classes.get(name);
      if (bytes == null) {
        throw new ClassNotFoundException(name);
      }
      return defineClass(name, bytes, 0, bytes.length);
    }

    /** Class files are there as those of a folder are: loops of a mesh are woven of them. */
    @Override
    protected @Nullable URL findResource(String name) {
      byte[] bytes =
          name.endsWith(CLASS_FILE)
              ? classes.get(
                  name.substring(0, name.length() - CLASS_FILE.length()).replace('/', '.'))
              : null;
      return bytes == null ? null : url(name, bytes);
    }

    private static URL url(String name, byte[] bytes) {
      try {
        return URL.of(new URI("memory", null, "/" + name, null), new InMemoryFile(bytes));
      } catch (URISyntaxException | MalformedURLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Opens bytes as if they were a file. */
  private static final class InMemoryFile extends URLStreamHandler {
    private final byte[] bytes;

    InMemoryFile(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    protected URLConnection openConnection(URL url) {
      return new URLConnection(url) {
        @Override
        public void connect() {}

        @Override
        public InputStream getInputStream() {
          return new ByteArrayInputStream(bytes);
        }
      };
    }
  }
}
