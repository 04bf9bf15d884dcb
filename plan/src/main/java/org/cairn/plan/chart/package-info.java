// SPDX-License-Identifier: Apache-2.0
/**
 * Pictures for a paper: a {@link org.cairn.plan.chart.Chart} says what is shown, {@link
 * org.cairn.plan.chart.ChartWriter} draws it as PNG, SVG, or within an HTML page. One painter
 * serves all three, so that they never differ.
 */
@NullMarked
package org.cairn.plan.chart;

import org.jspecify.annotations.NullMarked;
