// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.util.List;

/**
 * The place that was chosen, and why.
 *
 * @param best what was chosen
 * @param oftenEnough whether it recurs as often as was asked for; if not, none does, and this is
 *     the one that recurs most often
 * @param runnersUp the next best ones of the same kind, best first
 */
public record Choice(Candidate best, boolean oftenEnough, List<Candidate> runnersUp) {}
