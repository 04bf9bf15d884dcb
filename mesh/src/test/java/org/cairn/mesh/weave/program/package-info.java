// SPDX-License-Identifier: Apache-2.0
/** A program that tests put into a module of its own. */
@NullMarked
package org.cairn.mesh.weave.program;

import org.jspecify.annotations.NullMarked;
