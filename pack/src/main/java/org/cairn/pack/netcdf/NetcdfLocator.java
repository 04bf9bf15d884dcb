// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.netcdf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.cairn.pack.locate.ByteSource;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.Locator;

/** Knows where netCDF-3 files have their data. */
public final class NetcdfLocator implements Locator {
  private static final int MAGIC_BYTES = 4;

  @Override
  public String format() {
    return "netCDF-3";
  }

  @Override
  public boolean recognises(ByteSource file) throws IOException {
    if (file.size() < MAGIC_BYTES) {
      return false;
    }
    MemorySegment magic = MemorySegment.ofArray(new byte[MAGIC_BYTES]);
    file.read(0, magic);
    return magic.get(JAVA_BYTE, 0) == 'C'
        && magic.get(JAVA_BYTE, 1) == 'D'
        && magic.get(JAVA_BYTE, 2) == 'F'
        && isVersion(magic.get(JAVA_BYTE, 3));
  }

  private static boolean isVersion(byte version) {
    return version == 1 || version == 2 || version == 5;
  }

  @Override
  public void locate(ByteSource file, Hints hints) throws IOException {
    new Layout(file.size(), HeaderParser.read(file, hints), hints).locate();
  }
}
