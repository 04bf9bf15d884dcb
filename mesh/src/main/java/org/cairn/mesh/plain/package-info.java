// SPDX-License-Identifier: Apache-2.0
/**
 * Programs that keep their arrays and loops to themselves, and say of stretches of their code which
 * arrays these read and overwrite: checkpoints then leave out what is not needed.
 */
@NullMarked
package org.cairn.mesh.plain;

import org.jspecify.annotations.NullMarked;
