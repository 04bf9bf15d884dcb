// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.geom.Line2D;
import java.awt.geom.Point2D;
import java.awt.geom.Rectangle2D;
import org.junit.jupiter.api.Test;

class LabelsTest {
  private final Rectangle2D plot = new Rectangle2D.Double(0, 0, 400, 300);
  private final Labels labels = new Labels(plot);

  @Test
  void nameOfARegionIsAtItsTop() {
    Rectangle2D box = labels.place(Labels.within(plot, 60, 12));

    assertThat(box.getCenterX()).isEqualTo(200);
    assertThat(box.getY()).isEqualTo(6);
  }

  @Test
  void nameOfARegionAvoidsCurves() {
    Line2D curve = new Line2D.Double(0, 12, 400, 40);
    labels.avoid(curve);

    Rectangle2D box = labels.place(Labels.within(plot, 60, 12));

    assertThat(box.intersectsLine(curve)).isFalse();
    assertThat(plot.contains(box)).isTrue();
  }

  @Test
  void twoNamesDoNotOverlap() {
    Rectangle2D one = labels.place(Labels.within(plot, 60, 12));
    Rectangle2D two = labels.place(Labels.within(plot, 60, 12));

    assertThat(one.intersects(two)).isFalse();
  }

  @Test
  void textOfAMarkerStaysInThePlot() {
    Rectangle2D box = labels.place(Labels.around(new Point2D.Double(398, 2), 80, 12));

    assertThat(plot.contains(box)).isTrue();
  }
}
