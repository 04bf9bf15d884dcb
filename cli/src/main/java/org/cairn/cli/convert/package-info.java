// SPDX-License-Identifier: Apache-2.0

/** {@code cairn convert}: a version as a new job of another number of ranks. */
@NullMarked
package org.cairn.cli.convert;

import org.jspecify.annotations.NullMarked;
