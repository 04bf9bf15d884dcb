// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.cloverleaf;

/**
 * Sums over all cells.
 *
 * @param pressure of pressure times volume
 * @param internal energy of the gas at rest
 * @param kinetic energy of its motion
 */
public record CloverTotals(
    double volume, double mass, double pressure, double internal, double kinetic) {}
