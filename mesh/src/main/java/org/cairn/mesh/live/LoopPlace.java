// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

/**
 * A place where a checkpoint can be taken: before a loop, when a certain loop was the one before
 * it. One loop may be at several places of a chain, and different points are live at each.
 */
public record LoopPlace(int loop, int before) {}
