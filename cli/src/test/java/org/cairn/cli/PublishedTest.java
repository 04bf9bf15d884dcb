// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;

/**
 * What {@code ./cairn install} leaves in a repository holds together, and has what a public one
 * asks for.
 */
class PublishedTest {
  private static final Path ROOT = Path.of("..");

  private static final List<Pom> MODULES = new ArrayList<>();
  private static Pom root;
  private static Pom bom;

  private record Pom(Document document) {
    static Pom of(Path file) throws Exception {
      return new Pom(
          DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()));
    }

    List<String> all(String path) throws Exception {
      List<String> values = new ArrayList<>();
      XPathFactory.newInstance()
          .newXPath()
          .evaluateExpression(path, document, javax.xml.xpath.XPathNodes.class)
          .forEach(node -> values.add(node.getTextContent().strip()));
      return values;
    }

    String one(String path) throws Exception {
      return String.join(" ", all(path));
    }

    String name() throws Exception {
      return one("/project/artifactId");
    }

    boolean isInner() throws Exception {
      return one("/project/properties/cairn.inner").equals("true");
    }
  }

  @BeforeAll
  static void read() throws Exception {
    root = Pom.of(ROOT.resolve("pom.xml"));
    bom = Pom.of(ROOT.resolve("bom/pom.xml"));
    MODULES.clear();
    for (String module : root.all("/project/modules/module")) {
      if (!module.equals("bom")) {
        MODULES.add(Pom.of(ROOT.resolve(module).resolve("pom.xml")));
      }
    }
  }

  private static Set<String> published() throws Exception {
    Set<String> names = new TreeSet<>();
    for (Pom module : MODULES) {
      if (!module.isInner()) {
        names.add(module.name());
      }
    }
    return names;
  }

  @Test
  void thoseThatTestMeasureOrAreStartedStayHere() throws Exception {
    assertThat(published())
        .containsExactly(
            "cairn-core",
            "cairn-doors",
            "cairn-gpu",
            "cairn-mesh",
            "cairn-mpi",
            "cairn-pack",
            "cairn-plan");
  }

  @Test
  void theBomHasWhatIsPublishedAndNothingElse() throws Exception {
    assertThat(bom.all("//dependencyManagement//artifactId"))
        .containsExactlyInAnyOrderElementsOf(published());
    assertThat(bom.one("/project/version")).isEqualTo(root.one("/project/version"));
  }

  @Test
  void nothingPublishedNeedsWhatIsNot() throws Exception {
    for (Pom module : MODULES) {
      if (!module.isInner()) {
        assertThat(
                module.all(
                    "/project/dependencies/dependency[groupId='org.cairn' and not(scope='test')]/artifactId"))
            .as(module.name())
            .isSubsetOf(published());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "name",
        "description",
        "url",
        "licenses/license/url",
        "developers/developer/name",
        "scm/url",
        "scm/connection"
      })
  void centralsQuestionsAreAnswered(String element) throws Exception {
    assertThat(root.one("/project/" + element)).isNotEmpty();
    if (!Set.of("name", "description").contains(element)) {
      assertThat(bom.one("/project/" + element)).isEqualTo(root.one("/project/" + element));
    }
    for (Pom module : MODULES) {
      if (Set.of("name", "description").contains(element)) {
        assertThat(module.one("/project/" + element)).as(module.name()).isNotEmpty();
      }
    }
  }

  /** Addresses that lead nowhere by rule stand for a home that there is not yet. */
  @Test
  void nothingIsReleasedWithoutAHome() throws Exception {
    for (String element : List.of("url", "scm/url", "scm/connection")) {
      assertThat(root.one("/project/" + element).contains("://cairn.invalid/"))
          .as("%s stands for a home, and so the version is one that is not released", element)
          .isEqualTo(root.one("/project/version").endsWith("-SNAPSHOT"));
    }
  }

  /** What it says of itself, where it is written by hand. */
  @Test
  void theReadmeHasTheVersion() throws Exception {
    String version = root.one("/project/version");
    assertThat(Files.readString(ROOT.resolve("README.md")))
        .contains("<version>" + version + "</version>")
        .contains("org.cairn:cairn-bom:" + version);
    assertThat(Files.readString(ROOT.resolve("examples/kotlin/pom.xml")))
        .contains("<version>" + version + "</version>");
  }
}
