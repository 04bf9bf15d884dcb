// SPDX-License-Identifier: Apache-2.0
/** How fast loops over grids are, against loops written by hand. */
@NullMarked
package org.cairn.bench.mesh;

import org.jspecify.annotations.NullMarked;
