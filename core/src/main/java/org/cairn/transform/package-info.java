// SPDX-License-Identifier: Apache-2.0
/**
 * Typed bytes, made easier to compress: {@link org.cairn.transform.Transform} says how, {@link
 * org.cairn.transform.Transformer} does it and undoes it. Nothing here knows where the bytes come
 * from or which compressor follows.
 */
@NullMarked
package org.cairn.transform;

import org.jspecify.annotations.NullMarked;
