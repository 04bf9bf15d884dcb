// SPDX-License-Identifier: Apache-2.0
/**
 * Which pages of memory a program may have written to since a version was saved. Pages only say
 * what need not be looked at; digests decide what changed.
 */
@NullMarked
package org.cairn.track;

import org.jspecify.annotations.NullMarked;
