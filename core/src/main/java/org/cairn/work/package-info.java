// SPDX-License-Identifier: Apache-2.0
/**
 * Doing one thing on several cores at once ({@link org.cairn.work.Workers}), or several things that
 * follow one another ({@link org.cairn.work.Lane}), or what will be needed next ({@link
 * org.cairn.work.HeadStart}).
 */
@NullMarked
package org.cairn.work;

import org.jspecify.annotations.NullMarked;
