// SPDX-License-Identifier: Apache-2.0
/**
 * Typed bytes, made easier to compress: {@link org.cairn.transform.Transform} says how, {@link
 * org.cairn.transform.Transformer} does it and undoes it. Nothing here knows where the bytes come
 * from or which compressor follows.
 *
 * <p>A piece is worked on in tiles that stay in the nearest cache: {@code LongTiles}, {@code
 * IntTiles} and {@code RecordTiles} by the width of elements. What they do most is in kernels,
 * which have a plain and a vector twin; {@link org.cairn.transform.TransformPath} says which is
 * used.
 */
@NullMarked
package org.cairn.transform;

import org.jspecify.annotations.NullMarked;
