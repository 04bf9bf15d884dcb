// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.util.OptionalDouble;

/**
 * How often a hash missed a change.
 *
 * @param hash which
 * @param change of what kind
 * @param block in blocks of how many bytes
 * @param missed of all blocks that were changed, those with the digest that they had before
 * @param expected what theory says, if it says something; see {@link Expectation}
 */
public record Outcome(
    StudiedHash hash, Change change, int block, Proportion missed, OptionalDouble expected) {}
