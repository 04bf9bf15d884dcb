// SPDX-License-Identifier: Apache-2.0
/** {@code cairn hash}: what hashes miss, and how fast they are. */
@NullMarked
package org.cairn.cli.hash;

import org.jspecify.annotations.NullMarked;
