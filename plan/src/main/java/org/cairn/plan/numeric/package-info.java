// SPDX-License-Identifier: Apache-2.0
/** Integrals, minima and the one special function that the models need and no library here has. */
@NullMarked
package org.cairn.plan.numeric;

import org.jspecify.annotations.NullMarked;
