// SPDX-License-Identifier: Apache-2.0
/**
 * Bounded waiting: sees whether ranks that wait for each other can still hope, and ends the job if
 * not. See docs/design/waiting.md.
 */
@NullMarked
package org.cairn.watch;

import org.jspecify.annotations.NullMarked;
