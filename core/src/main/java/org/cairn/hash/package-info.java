// SPDX-License-Identifier: Apache-2.0
/**
 * Digests of blocks: what decides whether a block changed, and what proves it intact at restart.
 *
 * <p>{@link org.cairn.HashAlgorithm} names the algorithms on offer, {@link org.cairn.hash.WeakHash}
 * those for the study, and {@link org.cairn.hash.Hashers} finds what computes them and which number
 * stands for which in files. {@link org.cairn.hash.BlockHasher} computes the digests of many blocks
 * where they lie, and {@link org.cairn.hash.Xxh3} is the checksum of single buffers such as
 * metadata. {@link org.cairn.hash.HashPath} says whether XXH3 runs on the Vector API or on its
 * plain twin here.
 *
 * <p>{@link org.cairn.hash.DefaultHash} names the algorithm of new datasets where nobody chose one.
 *
 * <p>{@link org.cairn.hash.SecondOpinion} is asked before bytes are called damaged because of a
 * digest.
 *
 * <p>See {@code docs/design/hashing.md} for what was measured and why it looks like this.
 */
@NullMarked
package org.cairn.hash;

import org.jspecify.annotations.NullMarked;
