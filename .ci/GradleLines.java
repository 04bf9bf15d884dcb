// SPDX-License-Identifier: Apache-2.0
//
// Gives the dependencies of a file, written as implementation("...") or
// implementation(platform("...")), to the classes of Gradle that dev.gradleplugins publishes, and
// prints the jars that they resolve to: for machines without Gradle. Scripts are not evaluated,
// since that Gradle's compiler knows no Java 25.

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.gradle.api.Project;
import org.gradle.api.artifacts.dsl.DependencyHandler;
import org.gradle.testfixtures.ProjectBuilder;

public final class GradleLines {
  private static final Pattern LINE =
      Pattern.compile("implementation\\((platform\\()?\"([^\"]+)\"\\)?\\)");

  public static void main(String[] arguments) throws IOException {
    Path lines = Path.of(arguments[0]).toAbsolutePath();
    Project project = project(lines.getParent().toFile());
    for (String line : Files.readAllLines(lines)) {
      add(line.strip(), project.getDependencies());
    }
    project.getConfigurations().getByName("runtimeClasspath").resolve().forEach(System.out::println);
    System.exit(0); // Gradle leaves threads
  }

  private static Project project(File folder) {
    Project project =
        ProjectBuilder.builder()
            .withProjectDir(folder)
            .withGradleUserHomeDir(new File(folder, "home"))
            .build();
    project.getPluginManager().apply("java");
    project.getRepositories().mavenLocal();
    project.getRepositories().mavenCentral();
    return project;
  }

  private static void add(String line, DependencyHandler dependencies) {
    Matcher matcher = LINE.matcher(line);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("this is no dependency that is understood: " + line);
    }
    String name = matcher.group(2);
    Object dependency = matcher.group(1) == null ? name : dependencies.platform(name);
    dependencies.add("implementation", dependency);
  }
}
