// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.cloverleaf;

import java.nio.file.Path;
import org.cairn.apps.Saving;
import org.cairn.apps.Words;
import org.jspecify.annotations.Nullable;

/**
 * What {@link CloverLeafProgram} is told on its command line.
 *
 * @param nx cells along x
 * @param ny cells along y
 * @param steps where to stop
 * @param summary steps from summary to summary; 0 for none
 * @param inOrder whether sums are made as the published program makes them
 * @param saving how it is saved
 * @param result file for where it ended, or null
 */
public record CloverLeafOptions(
    int nx,
    int ny,
    long steps,
    long summary,
    boolean inOrder,
    Saving saving,
    @Nullable Path result) {

  static final String USAGE =
      """
      Usage: cloverleaf [OPTION]...
      Lets a dense hot gas expand in a box; when killed, start it again and it goes on where it was.

        --size NXxNY         cells of the box (960x960); they are square, and 10 units are NX of them
        --steps N            stop after N steps (87)
        --summary K          print sums over all cells every K steps (10); 0 for never
        --in-order           add cell after cell as the published program does, for its last digits:
                             slower, and otherwise sums are the same on any number of ranks too
        --result FILE        write where it ended to FILE, with a fingerprint of all bits
      """
          + Saving.USAGE;

  /** Refuses what makes no sense. */
  public CloverLeafOptions {
    if (nx < 2 || ny < 2) {
      throw new IllegalArgumentException("--size cannot be less than 2x2: " + nx + "x" + ny);
    }
    if (steps < 0) {
      throw new IllegalArgumentException("--steps cannot be " + steps);
    }
    if (summary < 0) {
      throw new IllegalArgumentException("--summary cannot be " + summary);
    }
  }

  /**
   * Reads a command line.
   *
   * @throws IllegalArgumentException if it cannot be understood
   */
  public static CloverLeafOptions parse(String... arguments) {
    int[] size = {960, 960};
    long steps = 87;
    long summary = 10;
    boolean inOrder = false;
    Saving saving = Saving.defaults();
    Path result = null;
    Words words = new Words(arguments);
    while (words.hasMore()) {
      String option = words.option();
      switch (option) {
        case "--size" -> size = words.extent(Integer.MAX_VALUE);
        case "--steps" -> steps = words.number(Long.MAX_VALUE);
        case "--summary" -> summary = words.number(Long.MAX_VALUE);
        case "--in-order" -> inOrder = true;
        case "--result" -> result = Path.of(words.value());
        default -> saving = saving.with(option, words);
      }
    }
    return new CloverLeafOptions(size[0], size[1], steps, summary, inOrder, saving, result);
  }
}
