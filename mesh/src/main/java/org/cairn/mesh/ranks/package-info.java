// SPDX-License-Identifier: Apache-2.0

/** How a grid is divided among ranks, what they tell each other, and threads of one rank. */
@NullMarked
package org.cairn.mesh.ranks;

import org.jspecify.annotations.NullMarked;
