// SPDX-License-Identifier: Apache-2.0
package org.cairn;

/**
 * What a checkpoint saw of a dataset.
 *
 * @param name its name
 * @param bytes its size
 * @param writtenBytes how much of it lies on pages that the program wrote to since the version
 *     before; -1 if nobody knows
 * @param hashedBytes how much was looked at
 * @param changedBytes how much lies in blocks that had changed or were new
 * @param tracking whether its pages are tracked, and why or why not, in words
 */
public record DatasetStats(
    String name,
    long bytes,
    long writtenBytes,
    long hashedBytes,
    long changedBytes,
    String tracking) {}
