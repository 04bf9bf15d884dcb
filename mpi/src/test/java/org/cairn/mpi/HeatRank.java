// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import org.cairn.apps.heat2d.Heat2DProgram;
import org.cairn.comm.Launch;

/**
 * One rank of Heat2D that can be found and killed: it leaves its process id in a file before
 * anything else.
 */
public final class HeatRank {
  private HeatRank() {}

  /** Makes every rank a failure domain of its own; otherwise hosts are. */
  static final String APART = "cairn.test.apart";

  /** The directory for process ids, then the arguments of Heat2D. */
  public static void main(String[] arguments) throws IOException {
    int rank = Launch.detect().orElseThrow().rank();
    Path file = Path.of(arguments[0], "rank" + rank);
    Path part = file.resolveSibling(file.getFileName() + ".part");
    Files.writeString(part, String.valueOf(ProcessHandle.current().pid()), UTF_8);
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    if (Boolean.getBoolean(APART)) {
      System.setProperty(MpiProcess.DOMAIN_PROPERTY, "node" + rank);
    }
    Heat2DProgram.main(Arrays.copyOfRange(arguments, 1, arguments.length));
  }
}
