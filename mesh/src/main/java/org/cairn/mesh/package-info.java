// SPDX-License-Identifier: Apache-2.0

/**
 * A language for structured grids whose programs checkpoint themselves. Everything begins with
 * {@link org.cairn.mesh.Mesh}.
 */
@NullMarked
package org.cairn.mesh;

import org.jspecify.annotations.NullMarked;
