// SPDX-License-Identifier: Apache-2.0

/**
 * Compression of single blocks, chosen per dataset and off unless asked for.
 *
 * <p>{@link org.cairn.Codec} names the codecs and their numbers in files; {@link
 * org.cairn.codec.BlockCodec} compresses and expands blocks where they lie. What a codec stores is
 * its bare stream, with neither length nor checksum in front: the container keeps the stored length
 * and the true length of each block, and digests are over the true bytes.
 *
 * <p>LZ4 and Zstandard run in the native libraries that travel in aircompressor's jar, bound here
 * by foreign functions ({@code NativeLibrary}). Nothing of that is loaded before the first block
 * codec of one of the two is made. Where a library cannot be used, that is a value ({@link
 * org.cairn.codec.BlockCodecs#unavailable}) and {@link org.cairn.codec.BlockCodecs#create} says
 * what to do; the plain-Java versions inside aircompressor are never used, since they need {@code
 * sun.misc.Unsafe}.
 *
 * <p>What is larger than a block, and wants a level of its own, goes through {@link
 * org.cairn.codec.ZstdCompressor} and {@link org.cairn.codec.ZstdExpander}; {@link
 * org.cairn.codec.ZstdHeader} tells what stored bytes claim before anybody takes memory for it.
 */
@NullMarked
package org.cairn.codec;

import org.jspecify.annotations.NullMarked;
