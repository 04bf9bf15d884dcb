// SPDX-License-Identifier: Apache-2.0
/** What typed compression is measured with and against. */
@NullMarked
package org.cairn.bench.aggregate;

import org.jspecify.annotations.NullMarked;
