// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

/**
 * The smallest or largest of many values, and where it is.
 *
 * @param value the value
 * @param location what the rank said that has it
 */
public record LocatedLong(long value, long location) {}
