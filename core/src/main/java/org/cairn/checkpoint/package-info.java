// SPDX-License-Identifier: Apache-2.0
/**
 * How a checkpoint is made: blocks are hashed on all cores, dirty ones staged, staged ones written,
 * all at the same time; and how it is decided when to take one and of which kind.
 */
@NullMarked
package org.cairn.checkpoint;

import org.jspecify.annotations.NullMarked;
