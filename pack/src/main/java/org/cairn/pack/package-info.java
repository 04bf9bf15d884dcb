// SPDX-License-Identifier: Apache-2.0

/**
 * Files of any program in a pack: few bytes, each verified, and every file comes back byte for
 * byte.
 *
 * <p>{@link org.cairn.pack.Packer} makes packs, {@link org.cairn.pack.Pack} reads them. A pack is a
 * segment as the shared tier writes them, whose members are files.
 */
@NullMarked
package org.cairn.pack;

import org.jspecify.annotations.NullMarked;
