// SPDX-License-Identifier: Apache-2.0
/**
 * {@code cairn prove}: a program of somebody is killed, started again and compared with itself, so
 * that he knows whether he protects everything.
 *
 * <p>A run is what begins in empty directories and ends with a result; a life is one process, or
 * one start of all ranks, of it.
 */
@NullMarked
package org.cairn.cli.prove;

import org.jspecify.annotations.NullMarked;
