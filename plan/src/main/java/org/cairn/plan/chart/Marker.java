// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

/**
 * A point to call out, such as an optimum. One that lies outside the axes is left out.
 *
 * @param text drawn beside it, where it hides no curve
 * @param x where
 * @param y where
 */
public record Marker(String text, double x, double y) {}
