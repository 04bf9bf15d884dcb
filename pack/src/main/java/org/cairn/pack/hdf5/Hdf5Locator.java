// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.ByteSource;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.Locator;
import org.cairn.pack.locate.MalformedException;

/**
 * Finds the datasets of HDF5 files, and so of netCDF-4 files.
 *
 * <p>It reads headers, links and indices of chunks, through a cache of 8 MiB, and no data; besides,
 * it remembers where it has been (64 MiB at most) and which groups are to come (as much). Checksums
 * are not compared: what a wrong one would tell costs no more than a hint.
 */
public final class Hdf5Locator implements Locator {
  private final boolean byTwins;

  /** Knows nothing of any file. */
  public Hdf5Locator() {
    this(true);
  }

  /** Takes each header apart, if it is not to know one by its {@link Twin}. */
  Hdf5Locator(boolean byTwins) {
    this.byTwins = byTwins;
  }

  @Override
  public String format() {
    return "HDF5";
  }

  @Override
  public boolean recognises(ByteSource file) throws IOException {
    return Superblock.find(new Pages(file)) >= 0;
  }

  @Override
  public void locate(ByteSource file, Hints hints) throws IOException {
    Pages pages = new Pages(file);
    try {
      new Walk(new Metadata(pages, Superblock.read(pages), new Twin(byTwins), hints)).run();
    } catch (MalformedException e) {
      e.noteIn(hints);
    }
  }
}
