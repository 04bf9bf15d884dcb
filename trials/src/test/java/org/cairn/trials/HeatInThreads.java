// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import org.cairn.apps.heat2d.Heat2DOptions;
import org.cairn.apps.heat2d.Heat2DProgram;
import org.cairn.comm.Ranks;
import org.cairn.testkit.process.ChildJava;
import org.cairn.testkit.process.MpiJob;

/** Heat2D on ranks that are threads: uses the classes that ranks in processes do, but for MPI. */
public final class HeatInThreads {
  private static final int RANKS = 4;

  private HeatInThreads() {}

  /** Processes of ranks, which find these classes loaded. */
  static ChildJava likeIt() {
    return ChildJava.like(
        HeatInThreads.class,
        "--size=64 --iterations=60 --every=10 --partner=1 --erasure=1 --shared=shared,1"
            .split("[ =]"));
  }

  /** Ranks of a program that are such processes. */
  static MpiJob job(Class<?> program) {
    return MpiJob.of(likeIt(), program);
  }

  /** Takes the arguments of Heat2D. */
  public static void main(String[] arguments) {
    Heat2DOptions options = Heat2DOptions.parse(arguments);
    for (int life = 0; life < 2; life++) {
      Ranks.run(RANKS, ranks -> Heat2DProgram.run(options, ranks));
    }
  }
}
