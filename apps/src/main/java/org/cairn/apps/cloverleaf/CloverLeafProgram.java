// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.cloverleaf;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.cairn.apps.ResultFile;
import org.cairn.comm.Communicator;
import org.cairn.comm.Communicators;
import org.cairn.comm.SoloCommunicator;
import org.cairn.mesh.Mesh;

/**
 * CloverLeaf 2D as a program that survives being killed: started again with the same options, it
 * ends with the same bits, also on another number of ranks or threads. What that takes is the line
 * that opens the mesh.
 */
public final class CloverLeafProgram {
  private CloverLeafProgram() {}

  /** Runs the program to its end, as one rank. */
  public static CloverLeafResult run(CloverLeafOptions options) throws IOException {
    try (Communicator solo = new SoloCommunicator()) {
      return run(options, solo);
    }
  }

  /** Runs the program to its end, as one of these ranks. */
  public static CloverLeafResult run(CloverLeafOptions options, Communicator ranks)
      throws IOException {
    CloverLeafResult result;
    try (Mesh mesh = Mesh.open(options.saving().checkpoints(), ranks, options.saving().options())) {
      CloverLeaf clover = new CloverLeaf(mesh, options.nx(), options.ny());
      while (clover.steps() < options.steps()) {
        clover.step();
        options.saving().stepped(mesh, clover.steps());
        if (options.summary() > 0 && clover.steps() % options.summary() == 0) {
          CloverTotals totals = clover.totals(options.inOrder());
          if (ranks.rank() == 0 && !mesh.replaying()) {
            System.out.println(line(clover, totals));
          }
        }
      }
      result = clover.result(options.inOrder());
    }
    if (options.result() != null && ranks.rank() == 0) {
      ResultFile.write(options.result(), result);
    }
    return result;
  }

  private static String line(CloverLeaf clover, CloverTotals totals) {
    return String.format(
        Locale.ROOT,
        "step %d time %.6f mass %.15g internal %.15g kinetic %.15g",
        clover.steps(),
        clover.time(),
        totals.mass(),
        totals.internal(),
        totals.kinetic());
  }

  /** See {@link CloverLeafOptions#USAGE}. */
  public static void main(String[] arguments) throws IOException {
    if (List.of(arguments).contains("--help")) {
      System.out.print(CloverLeafOptions.USAGE);
      return;
    }
    CloverLeafOptions options;
    try {
      options = CloverLeafOptions.parse(arguments);
    } catch (IllegalArgumentException e) {
      System.err.println("cloverleaf: " + e.getMessage());
      System.err.print(CloverLeafOptions.USAGE);
      System.exit(2);
      return;
    }
    try (Communicator ranks = Communicators.world()) {
      CloverLeafResult result = run(options, ranks);
      if (ranks.rank() == 0) {
        System.out.print(result);
      }
    }
  }
}
