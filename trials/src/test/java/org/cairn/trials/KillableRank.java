// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import org.cairn.apps.cloverleaf.CloverLeafProgram;
import org.cairn.apps.heat2d.Heat2DProgram;
import org.cairn.apps.poisson.PoissonProgram;
import org.cairn.comm.Launch;

/**
 * One rank of a program that can be found and killed: it leaves its process id in a file before
 * anything else.
 */
public final class KillableRank {
  private KillableRank() {}

  /** Makes every rank a failure domain of its own; otherwise hosts are. */
  static final String APART = "cairn.test.apart";

  /** What the ranks do. */
  enum Program {
    HEAT,
    POISSON,
    CLOVERLEAF;

    private void run(String[] arguments) throws IOException {
      switch (this) {
        case HEAT -> Heat2DProgram.main(arguments);
        case POISSON -> PoissonProgram.main(arguments);
        case CLOVERLEAF -> CloverLeafProgram.main(arguments);
      }
    }
  }

  /** The directory for process ids, then the program and its arguments. */
  public static void main(String[] arguments) throws IOException {
    int rank = Launch.detect().orElseThrow().rank();
    Path file = Path.of(arguments[0], "rank" + rank);
    Path part = file.resolveSibling(file.getFileName() + ".part");
    Files.writeString(part, String.valueOf(ProcessHandle.current().pid()), UTF_8);
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    if (Boolean.getBoolean(APART)) {
      System.setProperty("cairn.domain", "node" + rank);
    }
    Program.valueOf(arguments[1]).run(Arrays.copyOfRange(arguments, 2, arguments.length));
  }
}
