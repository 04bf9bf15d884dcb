// SPDX-License-Identifier: Apache-2.0

/**
 * Files that say nothing of themselves: a person describes them, in TOML, and that is where their
 * data are. The page on packing has the keys.
 */
@NullMarked
package org.cairn.pack.raw;

import org.jspecify.annotations.NullMarked;
