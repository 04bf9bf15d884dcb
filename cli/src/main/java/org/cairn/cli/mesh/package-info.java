// SPDX-License-Identifier: Apache-2.0
/** {@code cairn mesh}: what checkpoints of meshes say of the programs that took them. */
@NullMarked
package org.cairn.cli.mesh;

import org.jspecify.annotations.NullMarked;
