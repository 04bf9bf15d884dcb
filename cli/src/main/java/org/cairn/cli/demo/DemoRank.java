// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.demo;

import org.cairn.cli.Main;
import org.cairn.comm.Launch;

/** One rank of the demo: {@code cairn run}, after it has said which process it is. */
public final class DemoRank {

  private DemoRank() {}

  /** Says {@code rank RANK is process PROCESS}, then does what {@link Main} does. */
  public static void main(String[] arguments) {
    Launch.detect()
        .ifPresent(
            launch ->
                System.out.println(
                    "rank " + launch.rank() + " is process " + ProcessHandle.current().pid()));
    Main.main(arguments);
  }
}
