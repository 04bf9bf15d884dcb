// SPDX-License-Identifier: Apache-2.0

/**
 * Checkpoints of any program, packed into few small files that are verified.
 *
 * @uses org.cairn.pack.locate.Locator a format, of this module or of others
 * @provides org.cairn.pack.locate.Locator the formats that are known
 */
@SuppressWarnings("requires-automatic")
module org.cairn.pack {
  requires transitive org.cairn.core;
  requires org.tomlj;
  // Annotations for compilers.
  requires static org.jspecify;

  exports org.cairn.pack;
  exports org.cairn.pack.locate;
  exports org.cairn.pack.raw;

  uses org.cairn.pack.locate.Locator;

  provides org.cairn.pack.locate.Locator with
      org.cairn.pack.hdf5.Hdf5Locator,
      org.cairn.pack.netcdf.NetcdfLocator,
      org.cairn.pack.fab.FabLocator,
      org.cairn.pack.npy.NpyLocator;
}
