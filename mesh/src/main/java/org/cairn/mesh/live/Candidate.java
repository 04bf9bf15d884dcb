// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

/**
 * A place that recurs in the ring.
 *
 * @param place the place
 * @param cost bytes that a checkpoint there is expected to write, weighted: see {@link Liveness}
 * @param bytes bytes to be saved there, in the mean
 * @param occurrences how many of them were looked at: those after which it occurred again
 * @param mostLoopsBetween how many loops it took at most from one to the next, or from the last one
 *     to the end of the ring
 */
public record Candidate(
    LoopPlace place, long cost, long bytes, int occurrences, int mostLoopsBetween) {}
