// SPDX-License-Identifier: Apache-2.0
/** What it costs to know which pages a program has written to, and what it spares. */
@NullMarked
package org.cairn.bench.track;

import org.jspecify.annotations.NullMarked;
