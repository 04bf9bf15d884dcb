// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.poisson;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.cairn.comm.Ranks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PoissonProgramTest {
  @TempDir Path temp;

  /** What is left is the error of the five points, a quarter of it when there are twice as many. */
  @Test
  void aFinerGridIsNearerToTheSolution() throws IOException {
    double coarse = run("coarse", "--size 15 --tolerance 1e-12").error();
    double fine = run("fine", "--size 31 --tolerance 1e-12").error();

    assertThat(coarse).isLessThan(5e-3);
    assertThat(coarse / fine).isBetween(3.9, 4.1);
  }

  @Test
  void itIsTheIterationOfAPlainLoop() throws IOException {
    int n = 20;
    int pitch = n + 2;
    double h = 1.0 / (n + 1);
    double[] u = new double[pitch * pitch];
    double[] next = new double[pitch * pitch];
    double[] f = new double[pitch * pitch];
    for (int j = 0; j < pitch; j++) {
      for (int i = 0; i < pitch; i++) {
        double wave = StrictMath.sin(Math.PI * i * h) * StrictMath.sin(Math.PI * j * h);
        boolean inside = i > 0 && i <= n && j > 0 && j <= n;
        u[j * pitch + i] = inside ? 0 : wave + i * h * (j * h);
        f[j * pitch + i] = 2 * Math.PI * Math.PI * wave;
      }
    }
    double change = 0;
    for (int step = 0; step < 100; step++) {
      change = 0;
      for (int k = pitch; k < pitch * (n + 1); k++) {
        if (k % pitch != 0 && k % pitch != n + 1) {
          next[k] = .25 * (u[k - 1] + u[k + 1] + u[k - pitch] + u[k + pitch] + h * h * f[k]);
          change = Math.max(change, Math.abs(next[k] - u[k]));
        }
      }
      for (int k = pitch; k < pitch * (n + 1); k++) {
        u[k] = k % pitch != 0 && k % pitch != n + 1 ? next[k] : u[k];
      }
    }

    assertThat(run("plain", "--size 20 --steps 100").change()).isEqualTo(change);
  }

  @Test
  void ranksThatEndEarlyAndGoOnEndWithTheSameBits() throws IOException {
    PoissonResult whole = run("whole", "--size 30x41 --steps 300");
    String options = "--size 30x41 --every 7 --threads 1 --steps ";

    ranks(1, "pieces", options + 40);
    ranks(3, "pieces", options + 101);

    assertThat(ranks(2, "pieces", options + 300)).containsOnly(whole);
  }

  private List<PoissonResult> ranks(int count, String name, String options) {
    ConcurrentLinkedQueue<PoissonResult> results = new ConcurrentLinkedQueue<>();
    PoissonOptions parsed = options(name, options);
    Ranks.run(count, comm -> results.add(PoissonProgram.run(parsed, comm)));
    return new ArrayList<>(results);
  }

  private PoissonResult run(String name, String options) throws IOException {
    return PoissonProgram.run(options(name, options));
  }

  private PoissonOptions options(String name, String options) {
    return PoissonOptions.parse((options + " --checkpoints " + temp.resolve(name)).split(" ", -1));
  }
}
