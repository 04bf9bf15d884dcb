// SPDX-License-Identifier: Apache-2.0

/**
 * Where netCDF-3 files (classic, 64-bit offset, 64-bit data) have their variables. Those of
 * netCDF-4 are HDF5.
 */
@NullMarked
package org.cairn.pack.netcdf;

import org.jspecify.annotations.NullMarked;
