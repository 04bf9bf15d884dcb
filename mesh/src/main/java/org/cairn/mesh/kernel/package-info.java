// SPDX-License-Identifier: Apache-2.0
/** What a program gives to a loop over a grid: lambdas over the points or rows of a range. */
@NullMarked
package org.cairn.mesh.kernel;

import org.jspecify.annotations.NullMarked;
