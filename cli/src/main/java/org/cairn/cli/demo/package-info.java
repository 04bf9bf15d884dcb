// SPDX-License-Identifier: Apache-2.0
/** {@code cairn demo}: a program is killed, comes back and ends with the same bits. */
@NullMarked
package org.cairn.cli.demo;

import org.jspecify.annotations.NullMarked;
