// SPDX-License-Identifier: Apache-2.0
/** A parent class in another package. */
@NullMarked
package org.cairn.mesh.weave.parent;

import org.jspecify.annotations.NullMarked;
