// SPDX-License-Identifier: Apache-2.0
/** Bringing a saved version back into the memory of the program. */
@NullMarked
package org.cairn.restart;

import org.jspecify.annotations.NullMarked;
