// SPDX-License-Identifier: Apache-2.0
/** Sums of doubles that do not depend on the order of their terms. */
@NullMarked
package org.cairn.mesh.sum;

import org.jspecify.annotations.NullMarked;
