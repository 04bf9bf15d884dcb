// SPDX-License-Identifier: Apache-2.0
/**
 * Digests of blocks: what decides whether a block changed, and what proves it intact at restart.
 *
 * <p>{@link org.cairn.hash.HashAlgorithm} names the algorithms and their numbers in files, {@link
 * org.cairn.hash.BlockHasher} computes the digests of many blocks where they lie, and {@link
 * org.cairn.hash.Xxh3} is the checksum of single buffers such as metadata. {@link
 * org.cairn.hash.HashPath} says whether XXH3 runs on the Vector API or on its plain twin here.
 *
 * <p>See {@code docs/design/hashing.md} for what was measured and why it looks like this.
 */
@NullMarked
package org.cairn.hash;

import org.jspecify.annotations.NullMarked;
