// SPDX-License-Identifier: Apache-2.0
/** Checkpoint and restart of the arrays that make up a program's state. */
@org.jspecify.annotations.NullMarked
package org.cairn;
