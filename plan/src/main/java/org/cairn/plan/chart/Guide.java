// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

/**
 * A value of the horizontal axis that is called out over the whole height, such as the size of the
 * reader's own machine. One that lies outside the axis is left out.
 *
 * @param text drawn at the line
 * @param x where
 */
public record Guide(String text, double x) {}
