// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.awt.Dimension;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.batik.dom.GenericDOMImplementation;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.apache.batik.svggen.SVGIDGenerator;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** Charts as SVG, in which text is text. The same chart always gives the same bytes. */
final class Svg {
  static final String NAMESPACE = "http://www.w3.org/2000/svg";

  /** Verdana is as wide as DejaVu Sans, and is where that is not. */
  private static final String FAMILIES = "'DejaVu Sans', Verdana, Geneva, sans-serif";

  /** Hundredths are finer than any screen. */
  private static final int DECIMALS = 2;

  private Svg() {}

  /**
   * Draws a chart.
   *
   * @param ids what all its ids begin with; charts on one page must not share any
   */
  static String of(Chart chart, String ids) {
    return serialize(draw(chart, ids, Layout.of(chart)));
  }

  /** The same for a page: as wide as is said, and with the values under the pointer. */
  static String forPage(Chart chart, String ids, int width) {
    Layout layout = Layout.of(chart, width);
    Element root = draw(chart, ids, layout);
    Hover.append(root, chart, layout);
    // The page says how wide it is.
    root.removeAttribute("width");
    root.removeAttribute("height");
    return serialize(root);
  }

  private static Element draw(Chart chart, String ids, Layout layout) {
    Document document =
        GenericDOMImplementation.getDOMImplementation().createDocument(NAMESPACE, "svg", null);
    SVGGraphics2D graphics = new SVGGraphics2D(context(document, ids), false);
    graphics.setSVGCanvasSize(new Dimension(layout.width(), layout.height()));
    List<Pen.Written> written = Painter.paint(chart, layout, graphics);
    Element root = graphics.getRoot();
    graphics.dispose();
    anchor(root, written);
    finish(root, chart, layout);
    return root;
  }

  private static SVGGeneratorContext context(Document document, String ids) {
    SVGGeneratorContext context = SVGGeneratorContext.createDefault(document);
    context.setComment(null);
    context.setPrecision(DECIMALS);
    context.setIDGenerator(
        new SVGIDGenerator() {
          @Override
          public String generateID(String prefix) {
            return ids + super.generateID(prefix);
          }
        });
    return context;
  }

  /** Ties each text to its anchor rather than to where it began in the font of this machine. */
  private static void anchor(Element root, List<Pen.Written> written) {
    NodeList texts = root.getElementsByTagNameNS(NAMESPACE, "text");
    for (int i = 0; i < texts.getLength(); i++) {
      Element text = (Element) texts.item(i);
      Pen.Written as = written.get(i);
      text.setAttributeNS(null, "x", rounded(as.x()));
      if (as.anchor() != Pen.Anchor.START) {
        text.setAttributeNS(null, "text-anchor", as.anchor().name().toLowerCase(Locale.ROOT));
      }
    }
  }

  private static void finish(Element root, Chart chart, Layout layout) {
    root.setAttributeNS(null, "viewBox", "0 0 " + layout.width() + " " + layout.height());
    root.setAttributeNS(null, "role", "img");
    root.setAttributeNS(null, "aria-label", Pen.clean(chart.title()));
    tidy(root);
    Element title = root.getOwnerDocument().createElementNS(NAMESPACE, "title");
    title.setTextContent(Pen.clean(chart.title()));
    root.insertBefore(title, root.getFirstChild());
  }

  private static void tidy(Element element) {
    if (element.getAttribute("id").equals("genericDefs")) {
      element.removeAttribute("id"); // Batik gives it to every picture, and nothing refers to it.
    }
    if (element.hasAttribute("font-family")) {
      element.setAttributeNS(null, "font-family", FAMILIES);
    }
    for (Node child = element.getFirstChild(); child != null; child = child.getNextSibling()) {
      if (child instanceof Element inner) {
        tidy(inner);
      }
    }
  }

  static String rounded(double value) {
    return BigDecimal.valueOf(value)
        .setScale(DECIMALS, RoundingMode.HALF_EVEN)
        .stripTrailingZeros()
        .toPlainString();
  }

  private static String serialize(Element root) {
    StringWriter text = new StringWriter();
    try {
      Transformer transformer = TransformerFactory.newDefaultInstance().newTransformer();
      transformer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
      transformer.transform(new DOMSource(root), new StreamResult(text));
    } catch (TransformerException e) {
      throw new IllegalStateException("A chart is no XML", e);
    }
    return text.toString();
  }
}
