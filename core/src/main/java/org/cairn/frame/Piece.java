// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.lang.foreign.MemorySegment;
import org.cairn.transform.Transform;

/**
 * A run of typed bytes of one owner.
 *
 * @param bytes where they lie, on the heap or outside
 * @param transform what makes them smaller; bytes behind the last whole element stay as they are
 */
public record Piece(MemorySegment bytes, Transform transform) {}
