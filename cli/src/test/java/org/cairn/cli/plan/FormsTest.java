// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import tools.jackson.databind.JsonNode;

/** Answers for people, for machines and as pictures. */
class FormsTest {
  @SuppressWarnings("unused") // of the parameterized tests
  private static final List<String> QUESTIONS = Ask.QUESTIONS;

  @TempDir Path temp;

  @ParameterizedTest
  @FieldSource("QUESTIONS")
  void sentencesAndTables(String question) {
    String answer = Ask.answer(question);
    assertThat(answer.lines().findFirst().orElseThrow()).matches("[A-Z0-9].*");
    assertThat(answer).contains("────");
  }

  @ParameterizedTest
  @FieldSource("QUESTIONS")
  void json(String question) {
    JsonNode json = Ask.json(question);
    assertThat(json.get("question").asString()).endsWith("?");
    assertThat(json.get("command").asString()).startsWith("cairn plan ");
    assertThat(json.get("answer").size()).isPositive();
    assertThat(json.get("given").size()).isPositive();
    json.properties().stream()
        .filter(table -> isTable(table.getValue()))
        .forEach(
            table -> {
              assertThat(table.getKey()).hasSizeLessThanOrEqualTo(20);
              table.getValue().forEach(FormsTest::assertNumbersAreNumbers);
            });
    assertNumbersAreNumbers(json.get("given"));
  }

  @ParameterizedTest
  @FieldSource("QUESTIONS")
  void csv(String question) {
    List<String> tables = List.of(Ask.answer(question, "--csv").split("\n\n"));
    for (String table : tables) {
      List<String> lines = table.lines().filter(line -> !line.startsWith("# ")).toList();
      int cells = cells(lines.getFirst()).size();
      assertThat(lines).hasSizeGreaterThan(1).allSatisfy(l -> assertThat(cells(l)).hasSize(cells));
      assertThat(cells(lines.getFirst())).doesNotContain("").doesNotHaveDuplicates();
    }
  }

  private static boolean isTable(JsonNode value) {
    return value.isArray() && !value.isEmpty() && value.get(0).isObject();
  }

  /** What a program reads: numbers that are numbers, under short names. */
  private static void assertNumbersAreNumbers(JsonNode row) {
    row.properties()
        .forEach(
            cell -> {
              assertThat(cell.getKey()).hasSizeLessThanOrEqualTo(26);
              if (cell.getValue().isString()) {
                assertThat(cell.getValue().asString())
                    .doesNotMatch("[-+]?[0-9][0-9.,]*( ?%| [a-z]{1,3})?");
              }
            });
  }

  @Test
  void oneTableOfSeveral() {
    String question = "replication --mtbf 5y --sockets 200000 --checkpoint 15min --csv";
    assertThat(Ask.answer(question))
        .startsWith("# strategies\nstrategy,mttiSeconds,")
        .contains("\n\n# counts\ncount,", "\n\n# breakEven\nmtbfSeconds,");
    assertThat(Ask.answer(question + " --table counts")).startsWith("count,failures,mttiSeconds,");
    assertThat(Ask.refusal(question + " --table moon"))
        .contains("there is no table 'moon' here; there are strategies, counts, breakEven");
    assertThat(Ask.refusal(question.replace(" --csv", " --table counts"))).contains("add --csv");
  }

  /** Cells of a line, quoted ones without their quotes. */
  private static List<String> cells(String line) {
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean quoted = false;
    for (char c : line.toCharArray()) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.add(cell.toString());
        cell.setLength(0);
      } else {
        cell.append(c);
      }
    }
    assertThat(quoted).as(line).isFalse();
    cells.add(cell.toString());
    return cells;
  }

  @Test
  void pngIsPng() throws IOException {
    Path file = temp.resolve("cost.png");
    Ask.answer("interval --mtbf 24h --checkpoint 5min --png", file);
    assertThat(Files.readAllBytes(file)).startsWith(0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n');
    assertThat(ImageIO.read(file.toFile()).getWidth()).isGreaterThan(400);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "interval --mtbf 5y --sockets 2000 --checkpoint 5min --plot efficiency",
        "wall-time --mtbf 24h --checkpoint 5min",
        "replication --mtbf 5y --sockets 200000 --checkpoint 15min --plot mtti",
        "differential --hash-rate 5GB/s --write-rate 500MB/s --plot bandwidths",
        "multilevel --level local,cost=5s,mtbf=1d --level shared,cost=10min,mtbf=30d",
        "simulate --mtbf 5y --sockets 2000 --checkpoint 15min --trials 5 --plot time",
        "simulate --mtbf 1d --checkpoint 15min --trials 5",
        "simulate --level a,cost=5s,mtbf=1d --level b,cost=10min,mtbf=30d --trials 5",
        "compare --mtbf 5y --sockets 2000 --checkpoint 15min --trials 5"
      })
  void svgIsXml(String question) throws Exception {
    Path file = temp.resolve("picture.svg");
    Ask.answer(question, "--svg", file);
    Document document = parse(file);
    assertThat(document.getDocumentElement().getLocalName()).isEqualTo("svg");
    assertThat(Files.readString(file)).doesNotContain("NaN", "Infinity");
  }

  /** Whoever asks sees where he stands, also on a machine or at an interval that few have. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "yours: 20 | wall-time --mtbf 5y --sockets 20 --checkpoint 5min",
        "yours: 90 h | wall-time --mtbf 24h --checkpoint 5s --interval 90h",
        "yours: 90 h | wall-time --mtbf 4y --sockets 2000 --checkpoint 5min --failures weibull:0.7"
            + " --trials 5 --interval 90h",
        "yours: 3,000,000 | replication --mtbf 5y --sockets 3000000 --checkpoint 15min",
        "yours: 2 | replication --mtbf 5y --sockets 2 --checkpoint 15min --plot mtti",
        "yours: 1,500,000 pairs | replication --mtbf 5y --sockets 3000000 --checkpoint 15min"
            + " --plot absorbed",
        "your machine | replication --mtbf 300y --sockets 3000000 --checkpoint 15min"
            + " --plot break-even",
        "yours: 20 | compare --mtbf 5y --sockets 20 --checkpoint 15min --trials 5",
        "yours: 4 | simulate --mtbf 5y --sockets 4 --checkpoint 15min --trials 5 --replicas 3",
        "yours: 60 min | simulate --mtbf 5d --interval 1h --checkpoint 15min --trials 5",
        "yours: 4,000,000 | differential --hash-rate 5GB/s --write-rate 1GB/s --plot bandwidths"
            + " --mtbf 5y --sockets 4000000",
        "yours: 900 | multilevel --level local,cost=5s,mtbf=1d --level shared,cost=10min,mtbf=30d"
            + " --counts 900"
      })
  void theOwnPointIsMarked(String line) throws Exception {
    String[] parts = line.split(" \\| ");
    Path file = temp.resolve("picture.svg");
    Ask.answer(parts[1], "--svg", file);
    assertThat(texts(parse(file))).contains(parts[0]);
  }

  /** What is written in a picture. */
  private static List<String> texts(Document picture) {
    List<String> texts = new ArrayList<>();
    NodeList elements = picture.getElementsByTagNameNS("*", "text");
    for (int i = 0; i < elements.getLength(); i++) {
      texts.add(elements.item(i).getTextContent().replace('\u00a0', ' ').strip());
    }
    return texts;
  }

  private static Document parse(Path file) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setNamespaceAware(true);
    factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
    return factory.newDocumentBuilder().parse(file.toFile());
  }

  @Test
  void htmlStandsAlone() throws IOException {
    Path file = temp.resolve("page.html");
    Ask.answer("interval --mtbf 24h --checkpoint 5min --html", file);
    String page = Files.readString(file, StandardCharsets.UTF_8);
    assertThat(page.replaceAll("</?span[^>]*>", ""))
        .startsWith("<!DOCTYPE html>")
        .contains("<svg", "<table", "cairn plan interval --mtbf 24h --checkpoint 5min")
        .doesNotContainPattern("(?i)(src|href)\\s*=\\s*[\"']?(https?:)?//")
        .doesNotContain("<script", "<link", "@import", "NaN", "Infinity")
        // for phones, for dark rooms, and what is under the pointer
        .contains("class=\"narrow\"", "prefers-color-scheme: dark", "<text", "all of it: ");
  }

  @Test
  void allPicturesAtOnceAndTheAnswerToo() {
    String question = "interval --mtbf 24h --checkpoint 5min";
    List<Path> files =
        List.of(temp.resolve("a.svg"), temp.resolve("a.png"), temp.resolve("a.html"));
    String answer =
        Ask.answer(question, "--svg", files.get(0), "--png", files.get(1), "--html", files.get(2));
    assertThat(files).allSatisfy(file -> assertThat(file).isNotEmptyFile());
    assertThat(answer).isEqualTo(Ask.answer(question));
  }
}
