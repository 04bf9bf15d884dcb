// SPDX-License-Identifier: Apache-2.0
/** What it costs a job to have many ranks, for tests and measurements. */
@NullMarked
package org.cairn.bench.scale;

import org.jspecify.annotations.NullMarked;
