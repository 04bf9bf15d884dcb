// SPDX-License-Identifier: Apache-2.0
/**
 * Whose state it is: jobs, runs, versions, and which of them descend from which.
 *
 * <p>A {@link org.cairn.version.VersionId} names one checkpoint for ever; a {@link
 * org.cairn.version.Lineage} tells of what a run came from and what it left behind; {@link
 * org.cairn.version.Lives} says, from these alone, which versions belong together.
 */
@NullMarked
package org.cairn.version;

import org.jspecify.annotations.NullMarked;
