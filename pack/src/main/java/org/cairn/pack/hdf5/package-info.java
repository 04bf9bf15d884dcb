// SPDX-License-Identifier: Apache-2.0

/**
 * Where HDF5 files, and so netCDF-4 files, have their data.
 *
 * <p>The arrows go down: {@link org.cairn.pack.hdf5.Hdf5Locator} reads the superblock and lets a
 * walk go from group to group; the walk reads links (of symbol tables, link messages, heaps) and
 * gives each dataset to the one that reads its type, space and layout; chunked layouts have an
 * index each. All of them read through one cursor, which ends where its structure or the file does.
 *
 * <p>Nothing here recurses over what a file says. Trees are walked with a path of nodes, whose
 * levels must go down one by one; groups wait in a list; no address is looked at as a node or an
 * object twice. What makes no sense is thrown as {@code MalformedException} and becomes a note at
 * the nearest place that can do without it: an entry, a node, an object.
 *
 * <p>The format is that of the HDF5 File Format Specification, version 3.0.
 */
@NullMarked
package org.cairn.pack.hdf5;

import org.jspecify.annotations.NullMarked;
