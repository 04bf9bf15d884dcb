// SPDX-License-Identifier: Apache-2.0

/** Where files of AMReX (boxes of a grid with several components each) have their data. */
@NullMarked
package org.cairn.pack.fab;

import org.jspecify.annotations.NullMarked;
