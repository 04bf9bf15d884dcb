// SPDX-License-Identifier: Apache-2.0
/**
 * {@code cairn ls}, {@code show}, {@code verify} and {@code diff}: what containers hold. They read
 * containers and change nothing; a program may be writing to them meanwhile.
 */
@NullMarked
package org.cairn.cli.inspect;

import org.jspecify.annotations.NullMarked;
