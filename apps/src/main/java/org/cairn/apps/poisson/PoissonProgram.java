// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.poisson;

import java.io.IOException;
import java.util.List;
import org.cairn.apps.ResultFile;
import org.cairn.comm.Communicator;
import org.cairn.comm.Communicators;
import org.cairn.comm.SoloCommunicator;
import org.cairn.mesh.Mesh;

/**
 * Poisson's equation as a program that survives being killed: started again with the same options,
 * it ends with the same bits, also on another number of ranks or threads.
 */
public final class PoissonProgram {
  private PoissonProgram() {}

  /** Runs the program to its end, as one rank. */
  public static PoissonResult run(PoissonOptions options) throws IOException {
    try (Communicator solo = new SoloCommunicator()) {
      return run(options, solo);
    }
  }

  /** Runs the program to its end, as one of these ranks. */
  public static PoissonResult run(PoissonOptions options, Communicator ranks) throws IOException {
    PoissonResult result;
    try (Mesh mesh = Mesh.open(options.saving().checkpoints(), ranks, options.saving().options())) {
      Poisson poisson = new Poisson(mesh, options.nx(), options.ny());
      while (poisson.steps() < options.steps() && poisson.change() > options.tolerance()) {
        poisson.step();
        options.saving().stepped(mesh, poisson.steps());
      }
      result = poisson.result();
    }
    if (options.result() != null && ranks.rank() == 0) {
      ResultFile.write(options.result(), result);
    }
    return result;
  }

  /** See {@link PoissonOptions#USAGE}. */
  public static void main(String[] arguments) throws IOException {
    if (List.of(arguments).contains("--help")) {
      System.out.print(PoissonOptions.USAGE);
      return;
    }
    PoissonOptions options;
    try {
      options = PoissonOptions.parse(arguments);
    } catch (IllegalArgumentException e) {
      System.err.println("poisson: " + e.getMessage());
      System.err.print(PoissonOptions.USAGE);
      System.exit(2);
      return;
    }
    try (Communicator ranks = Communicators.world()) {
      PoissonResult result = run(options, ranks);
      if (ranks.rank() == 0) {
        System.out.print(result);
      }
    }
  }
}
