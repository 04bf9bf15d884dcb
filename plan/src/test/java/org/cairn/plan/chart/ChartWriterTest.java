// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.awt.Color;
import java.awt.geom.Point2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class ChartWriterTest {
  private static final String NASTY = "a <b> & \"c\"";

  @TempDir private Path folder;

  @Test
  void pngHasTwoPixelsPerUnit() throws IOException {
    BufferedImage image = png(Charts.efficiency());

    assertThat(image.getWidth()).isEqualTo(1800);
    assertThat(image.getHeight()).isEqualTo(1100);
    assertThat(new Color(image.getRGB(0, 0))).isEqualTo(Color.WHITE);
  }

  @Test
  void pictureGrowsWithItsLegend() {
    List<Series> many = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      many.add(
          Charts.series("A rather long name for a series, number " + i, xs(), x -> x, Style.LINE));
    }

    assertThat(ChartWriter.image(linear(many)).getHeight()).isEqualTo(1100 + 2 * 3 * 20);
  }

  @Test
  void regionIsShadedBehindTheCurves() {
    Chart chart = Charts.efficiency();
    BufferedImage image = ChartWriter.image(chart);

    assertThat(pixel(image, chart, 60_000, 30)).isEqualTo(Palette.SHADE);
    assertThat(pixel(image, chart, 24_000, 30)).isEqualTo(Color.WHITE);
    assertThat(pixel(image, chart, 210_000, 55)).isEqualTo(Color.WHITE);
    assertThat(pixel(image, chart, 30_000, 100 * (1 - Math.sqrt(30_000 / 400_000.0))))
        .isEqualTo(Palette.ink(Palette.colour(0)));
  }

  @Test
  void rectangleIsShadedWithinItsHeight() {
    Chart chart = Charts.breakEven();
    BufferedImage image = ChartWriter.image(chart);

    assertThat(pixel(image, chart, 25, 850_000)).isEqualTo(Palette.SHADE);
    assertThat(pixel(image, chart, 45, 26_000)).isEqualTo(Palette.SHADE);
    assertThat(pixel(image, chart, 45, 24_000)).isEqualTo(Color.WHITE);
    assertThat(pixel(image, chart, 51, 850_000)).isEqualTo(Color.WHITE);
  }

  @Test
  void everySeriesHasItsColour() {
    BufferedImage image = ChartWriter.image(Charts.breakEven());

    for (int series = 0; series < 5; series++) {
      assertThat(count(image, Palette.ink(Palette.colour(series))))
          .as("series %d", series)
          .isGreaterThan(300);
    }
    assertThat(count(image, Palette.ink(Palette.colour(5)))).isZero();
  }

  @Test
  void pointsTakeTheColourOfTheirModel() {
    BufferedImage image = ChartWriter.image(Charts.interval());

    assertThat(count(image, Palette.ink(Palette.colour(0)))).isGreaterThan(300);
    assertThat(count(image, Palette.ink(Palette.colour(1)))).isZero();
  }

  @Test
  void linesDifferInPatternNotOnlyInColour() {
    List<List<Float>> patterns = new ArrayList<>();
    for (Style style : List.of(Style.LINE, Style.DASHED)) {
      for (int i = 0; i < 5; i++) {
        patterns.add(dashes(style, i));
      }
    }

    assertThat(patterns).doesNotHaveDuplicates();
    assertThat(patterns.getFirst()).isEmpty();
  }

  @Test
  void missingPointIsAGap() {
    double[] x = {0, 4, 5, 6, 10};
    double[] y = {5, 5, Double.NaN, 5, 5};
    Chart chart = linear(List.of(new Series("gap", x, y, Style.LINE)));
    BufferedImage image = ChartWriter.image(chart);

    assertThat(pixel(image, chart, 3.3, 5)).isEqualTo(Palette.ink(Palette.colour(0)));
    assertThat(pixel(image, chart, 6.7, 5)).isEqualTo(Palette.ink(Palette.colour(0)));
    assertThat(pixel(image, chart, 4.7, 5)).isNotEqualTo(Palette.ink(Palette.colour(0)));
  }

  @Test
  void pointBetweenTwoGapsIsADot() {
    double[] y = {Double.NaN, 5, Double.NaN, 2, 2};
    Chart chart =
        linear(List.of(new Series("lonely", new double[] {0, 1.3, 3, 4, 5}, y, Style.LINE)));

    assertThat(pixel(ChartWriter.image(chart), chart, 1.3, 5))
        .isEqualTo(Palette.ink(Palette.colour(0)));
  }

  @Test
  void whatALogarithmicAxisCannotShowIsAGap() {
    double[] x = {-1, 0, 1, 10, 100, 1_000, Double.POSITIVE_INFINITY};
    double[] y = {1, 1, 1, 10, 0, 1_000, 1};
    Chart chart =
        new Chart(
            "Zeros",
            "",
            Axis.log("x", ""),
            Axis.log("y", ""),
            List.of(
                new Series("zeros", x, y, Style.LINE)
                    .withErrors(new double[] {1, 1, 2, 2, 2, 2, 2})));
    Layout layout = Layout.of(chart);
    Curve curve = Curve.of(chart.series().getFirst(), chart.x(), chart.y(), layout.plot());

    assertThat(curve.pieces()).hasSize(1);
    assertThat(curve.lonely()).hasSize(1);
    assertThat(curve.errors()).hasSize(3);
    assertThat(count(ChartWriter.image(chart), Palette.ink(Palette.colour(0)))).isGreaterThan(300);
  }

  @Test
  void oneSeriesMayBeEmpty() {
    Series none = new Series("none", new double[] {1}, new double[] {Double.NaN}, Style.LINE);
    Series some = new Series("some", new double[] {1, 2}, new double[] {1, 2}, Style.LINE);

    assertThat(
            count(ChartWriter.image(linear(List.of(none, some))), Palette.ink(Palette.colour(1))))
        .isGreaterThan(300);
  }

  @Test
  void nothingToDrawIsAnErrorThatNamesTheSeries() {
    Chart chart =
        new Chart(
            "Nothing",
            "",
            Axis.linear("x", ""),
            Axis.log("y", ""),
            List.of(
                new Series("first", new double[] {1}, new double[] {0}, Style.LINE),
                new Series("second", new double[0], new double[0], Style.POINTS)));

    assertThatThrownBy(() -> ChartWriter.png(chart, folder.resolve("chart.png")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("Nothing", "first, second", "above 0");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  @Timeout(20)
  void dashesOfACurveThatLeavesThePlotAreNotDrawn() throws IOException {
    double[] x = {0, 1, 2};
    double[] y = {0.5, 1e300, 0.5};
    Chart chart =
        new Chart(
            "Steep",
            "",
            Axis.linear("x", ""),
            Axis.linear("y", "").between(0, 1),
            List.of(new Series("steep", x, y, Style.DASHED)));

    assertThat(count(ChartWriter.image(chart), Palette.ink(Palette.colour(0)))).isGreaterThan(100);
  }

  @Test
  void textOfAnSvgIsText() throws Exception {
    List<String> texts = texts(svg(Charts.efficiency()));

    assertThat(texts)
        .contains("Efficiency of a week-long run, with and without replication")
        .contains("Checkpoint of 15 minutes, 5 years between failures of a socket")
        .contains("Sockets, logarithmic", "Efficiency (%)", "exascale")
        .contains("Checkpoint/restart", "Dual replication", "Simulated, 95% confidence")
        .contains("1,000", "10,000", "100,000", "1,000,000")
        .contains("0", "20", "40", "60", "80", "100");
    assertThat(texts(svg(Charts.interval()))).contains("optimum: 49 minutes");
  }

  @Test
  void svgScalesAndKeepsTextAtItsAnchor() throws Exception {
    Document svg = svg(Charts.efficiency());
    Plot plot = Layout.of(Charts.efficiency()).plot();

    assertThat(svg.getDocumentElement().getAttribute("viewBox")).isEqualTo("0 0 900 550");
    Element tick = text(svg, "10,000");
    assertThat(tick.getAttribute("text-anchor")).isEqualTo("middle");
    assertThat(Double.parseDouble(tick.getAttribute("x")))
        .isCloseTo(plot.px(10_000), org.assertj.core.data.Offset.offset(0.01));
    assertThat(text(svg, "80").getAttribute("text-anchor")).isEqualTo("end");
  }

  @Test
  void svgEscapesNames() throws Exception {
    Chart chart =
        new Chart(
            NASTY + 1,
            NASTY + 2,
            Axis.linear(NASTY + 3, ""),
            Axis.linear(NASTY + 4, ""),
            List.of(new Series(NASTY + 5 + "\0", xs(), xs(), Style.LINE)),
            List.of(new Region(NASTY + 6, 2, 8)),
            List.of(new Marker(NASTY + 7, 1, 5)));

    assertThat(texts(svg(chart)))
        .contains(
            NASTY + 1, NASTY + 2, NASTY + 3, NASTY + 4, NASTY + 5 + " ", NASTY + 6, NASTY + 7);
  }

  @Test
  void sameChartIsSameSvg() throws IOException {
    Path one = folder.resolve("1.svg");
    Path two = folder.resolve("2.svg");
    ChartWriter.svg(Charts.mtti(), one);
    ChartWriter.svg(Charts.mtti(), two);

    assertThat(one).hasSameBinaryContentAs(two);
    assertThat(Files.size(one)).isLessThan(40_000);
    assertThat(Files.readString(one)).doesNotContain("<!DOCTYPE", "<!--");
  }

  @Test
  void htmlNeedsNothingElse() throws IOException {
    String html = html(page());

    assertThat(html).doesNotContain("<script", "<link", "@import", "src=");
    assertThat(html.replace("http://www.w3.org/2000/svg", "")).doesNotContain("http:", "https:");
    assertThat(html).containsPattern("(?s)<svg.*</svg>.*<svg.*</svg>");
  }

  @Test
  void idsOfAPageAreUniqueAndResolve() throws IOException {
    String html = html(page());
    List<String> ids = matches(html, " id=\"([^\"]+)\"");

    assertThat(ids).isNotEmpty().doesNotHaveDuplicates();
    assertThat(matches(html, "url\\(#([^)]+)\\)")).isNotEmpty().isSubsetOf(ids);
  }

  @Test
  void htmlEscapesEverything() throws IOException {
    String html = html(page());

    assertThat(html)
        .contains("<h1>a &lt;b&gt; &amp; &quot;c&quot;</h1>")
        .contains("<p>First a &lt;b&gt; &amp; &quot;c&quot;.</p>\n<p>Second.</p>")
        .contains("<th class=\"number\">n &lt;</th><th>what &gt;</th>")
        .contains("<td class=\"number\">1,000</td><td>x &amp; y</td>")
        .contains("<h2>Table &lt;1&gt;</h2>")
        .contains("<th class=\"number\">second</th>")
        .contains("<pre>cairn plan &lt;in &gt;out</pre>")
        .doesNotContain("<b>");
  }

  /** Batik draws everything with a black line that does not say otherwise. */
  @Test
  void stripsForThePointerAreNotSeen() throws IOException {
    assertThat(html(page())).contains(".at .hit { fill: transparent; stroke: none; }");
  }

  @Test
  void numbersStayWithTheirUnits() throws IOException {
    Page.Table table =
        new Page.Table("", List.of("a", "b"), List.of(List.of("x", "50 min 43 s of 2 h")));
    Page page = new Page("t", "50 GB/s, 13 min 8 s, 4 %, 5 minus 3", List.of(), List.of(table), "");

    assertThat(html(page))
        .contains("<p>50\u00a0GB/s, 13\u00a0min\u00a08\u00a0s, 4\u00a0%, 5 minus 3</p>")
        .contains("<td>50\u00a0min\u00a043\u00a0s of 2\u00a0h</td>");
    assertThat(Pen.wrap("checkpoint 15 min", Pen.LABEL, Pen.width("checkpoint 15", Pen.LABEL) + 1))
        .containsExactly("checkpoint", "15 min");
  }

  /** Browsers break a line after a hyphen, in commands too. */
  @Test
  void optionsAreNotBroken() throws IOException {
    Page page = new Page("t", "of them (--local-severe)", List.of(), List.of(), "a --b 1-2 c--d");

    assertThat(html(page))
        .contains(".option { white-space: nowrap; }")
        .contains("(<span class=\"option\">--local-severe</span>)")
        .contains("<pre>a <span class=\"option\">--b</span> 1-2 c--d</pre>");
  }

  @Test
  void pageWithoutTableHasNone() throws IOException {
    Page page = new Page("t", "a", List.of(), List.of(), "");

    assertThat(html(page)).contains("<p>a</p>").doesNotContain("<table", "<pre>");
  }

  @Test
  void tableWithARaggedRowIsRefused() {
    List<List<String>> rows = List.of(List.of("1", "2"), List.of("3"));

    assertThatThrownBy(() -> new Page.Table("t", List.of("x", "y"), rows))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[3]");
  }

  private static Page page() {
    return new Page(
        NASTY,
        "First " + NASTY + ".\n\n\nSecond.\n",
        List.of(Charts.mtti(), Charts.interval()),
        List.of(
            new Page.Table(
                "Table <1>",
                List.of("n <", "what >"),
                List.of(List.of("1,000", "x & y"), List.of("2.5 %", "z"))),
            new Page.Table("", List.of("second"), List.of(List.of("2")))),
        "cairn plan <in >out");
  }

  private static double[] xs() {
    return Charts.linSpace(0, 10, 11);
  }

  private static Chart linear(List<Series> series) {
    return new Chart("Linear", "", Axis.linear("x", ""), Axis.linear("y", ""), series);
  }

  private static List<Float> dashes(Style style, int i) {
    float[] dashes =
        Optional.ofNullable(Palette.stroke(style, i).getDashArray()).orElse(new float[0]);
    return IntStream.range(0, dashes.length).mapToObj(k -> dashes[k]).toList();
  }

  private BufferedImage png(Chart chart) throws IOException {
    Path file = folder.resolve("chart.png");
    ChartWriter.png(chart, file);
    return ImageIO.read(file.toFile());
  }

  private Document svg(Chart chart) throws Exception {
    Path file = folder.resolve("chart.svg");
    ChartWriter.svg(chart, file);
    DocumentBuilderFactory factory = DocumentBuilderFactory.newDefaultNSInstance();
    return factory.newDocumentBuilder().parse(file.toFile());
  }

  private String html(Page page) throws IOException {
    Path file = folder.resolve("page.html");
    ChartWriter.html(page, file);
    return Files.readString(file);
  }

  private static Color pixel(BufferedImage image, Chart chart, double x, double y) {
    Point2D point = Layout.of(chart).plot().point(x, y);
    return new Color(image.getRGB((int) (2 * point.getX()), (int) (2 * point.getY())));
  }

  private static long count(BufferedImage image, Color colour) {
    int[] pixels =
        image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
    return IntStream.of(pixels).filter(pixel -> pixel == colour.getRGB()).count();
  }

  private static List<String> texts(Document svg) {
    NodeList nodes = svg.getElementsByTagName("text");
    return IntStream.range(0, nodes.getLength())
        .mapToObj(i -> nodes.item(i).getTextContent())
        .toList();
  }

  private static Element text(Document svg, String content) {
    NodeList nodes = svg.getElementsByTagName("text");
    return (Element) nodes.item(texts(svg).indexOf(content));
  }

  private static List<String> matches(String text, String pattern) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult m) -> m.group(1))
        .toList();
  }
}
