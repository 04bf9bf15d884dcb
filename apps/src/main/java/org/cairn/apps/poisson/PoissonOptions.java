// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.poisson;

import java.nio.file.Path;
import org.cairn.apps.Saving;
import org.cairn.apps.Words;
import org.jspecify.annotations.Nullable;

/**
 * What {@link PoissonProgram} is told on its command line.
 *
 * @param nx points along x, without the edge
 * @param ny points along y
 * @param steps where to stop, unless the change is small enough before
 * @param tolerance what change is small enough
 * @param saving how it is saved
 * @param result file for where it ended, or null
 */
public record PoissonOptions(
    int nx, int ny, long steps, double tolerance, Saving saving, @Nullable Path result) {

  static final String USAGE =
      """
      Usage: poisson [OPTION]...
      Solves Poisson's equation; when killed, start it again and it goes on where it was.

        --size NXxNY         points within the edge (512x512)
        --steps N            stop after N steps (10000)
        --tolerance T        or when no point changes by more than T in a step (1e-6)
        --result FILE        write where it ended to FILE, with a fingerprint of all bits
      """
          + Saving.USAGE;

  /** Refuses what makes no sense. */
  public PoissonOptions {
    if (nx < 1 || ny < 1) {
      throw new IllegalArgumentException("--size cannot be " + nx + "x" + ny);
    }
    if (steps < 0) {
      throw new IllegalArgumentException("--steps cannot be " + steps);
    }
    if (!(tolerance >= 0)) {
      throw new IllegalArgumentException("--tolerance cannot be " + tolerance);
    }
  }

  /**
   * Reads a command line.
   *
   * @throws IllegalArgumentException if it cannot be understood
   */
  public static PoissonOptions parse(String... arguments) {
    int[] size = {512, 512};
    long steps = 10_000;
    double tolerance = 1e-6;
    Saving saving = Saving.defaults();
    Path result = null;
    Words words = new Words(arguments);
    while (words.hasMore()) {
      String option = words.option();
      switch (option) {
        case "--size" -> size = words.extent(Integer.MAX_VALUE);
        case "--steps" -> steps = words.number(Long.MAX_VALUE);
        case "--tolerance" -> tolerance = words.real();
        case "--result" -> result = Path.of(words.value());
        default -> saving = saving.with(option, words);
      }
    }
    return new PoissonOptions(size[0], size[1], steps, tolerance, saving, result);
  }
}
