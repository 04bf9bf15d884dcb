// SPDX-License-Identifier: Apache-2.0
/**
 * Many typed pieces of many owners, compressed together: {@link org.cairn.frame.Piece pieces} fill
 * frames in a {@link org.cairn.frame.FrameOrder}, each goes through the transform that a {@link
 * org.cairn.frame.Chooser} found for its class, and all of a frame through one pass of Zstandard
 * ({@link org.cairn.frame.FrameEncoder}, {@link org.cairn.frame.FrameDecoder}). Several frames at
 * once: {@link org.cairn.frame.EncodingLine}, {@link org.cairn.frame.DecodingLine}.
 *
 * <p>Nothing here knows files, ranks or containers. A frame describes itself but for its {@link
 * org.cairn.frame.FrameInfo}, which whoever stores it keeps elsewhere.
 */
@NullMarked
package org.cairn.frame;

import org.jspecify.annotations.NullMarked;
