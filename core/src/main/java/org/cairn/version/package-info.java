// SPDX-License-Identifier: Apache-2.0
/**
 * Whose state it is, and what a version of it consists of, wherever it lies.
 *
 * <p>A {@link org.cairn.version.VersionId} names one checkpoint for ever; a {@link
 * org.cairn.version.Lineage} tells of what a run came from and what it left behind; {@link
 * org.cairn.version.Lives} says, from these alone, which versions belong together.
 *
 * <p>A {@link org.cairn.version.VersionMap} says what a version has, {@link
 * org.cairn.version.VersionSource} gives it away, block by block, verified; a {@link
 * org.cairn.version.Delta} is what leads from one to another. {@link
 * org.cairn.version.VersionFormat} is the grammar of what describes a version. Nothing here opens a
 * file.
 */
@NullMarked
package org.cairn.version;

import org.jspecify.annotations.NullMarked;
