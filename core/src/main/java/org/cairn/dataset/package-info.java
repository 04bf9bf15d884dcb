// SPDX-License-Identifier: Apache-2.0
/** Datasets: named, typed arrays of the program, wherever they lie in memory. */
@NullMarked
package org.cairn.dataset;

import org.jspecify.annotations.NullMarked;
