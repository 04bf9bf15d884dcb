// SPDX-License-Identifier: Apache-2.0
/** Cairn beside another library, as two programs that are told the same. */
@NullMarked
package org.cairn.bench.against;

import org.jspecify.annotations.NullMarked;
