// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.cairn.Options;
import org.cairn.comm.SoloCommunicator;
import org.cairn.mesh.weave.KernelFailedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Loops that threads share, by planes, rows or columns, are those of one thread: each point once,
 * and the same bits of sums.
 */
class SharedLoopsTest {
  @TempDir Path folder;
  private int opened;

  private Mesh mesh(int threads) {
    Options never = Options.defaults().every(Duration.ofDays(1));
    return Mesh.open(
        folder.resolve("m" + opened++),
        new SoloCommunicator(),
        MeshOptions.of(never).threads(threads));
  }

  private static int[] sizes(String words) {
    return Arrays.stream(words.split("x")).mapToInt(Integer::parseInt).toArray();
  }

  /** Totals of a field whose points were counted, after several rounds of the same loops. */
  private double[] totals(int[] sizes, int threads) {
    try (Mesh mesh = mesh(threads)) {
      Grid grid = mesh.grid("g", sizes).halo(1);
      Field u = grid.field("u");
      Field seen = grid.field("seen");
      mesh.each("start", grid.all(), writes(u), k -> u.set(k, Math.sin(k) * Math.exp(k % 97)));
      for (int round = 0; round < 20; round++) {
        mesh.each("count", grid.cells(), updates(seen), k -> seen.set(k, seen.at(k) + 1));
      }
      return new double[] {
        mesh.sum("sum", grid.cells(), reads(u), k -> u.at(k)),
        mesh.min("min", grid.cells(), reads(u), k -> u.at(k)),
        mesh.max("max", grid.cells(), reads(u), k -> u.at(k)),
        mesh.min("seen least", grid.cells(), reads(seen), k -> seen.at(k)),
        mesh.max("seen most", grid.cells(), reads(seen), k -> seen.at(k)),
      };
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "30000",
        "9000x1",
        "5000x2",
        "1x200",
        "3x70",
        "200x150",
        "2x9x40",
        "40x30x2",
        "30x20x25"
      })
  void areThoseOfOneThread(String size) {
    double[] alone = totals(sizes(size), 1);
    assertThat(alone).endsWith(20, 20);
    assertThat(totals(sizes(size), 2)).isEqualTo(alone);
    assertThat(totals(sizes(size), 3)).isEqualTo(alone);
  }

  @ParameterizedTest
  @ValueSource(strings = {"30000", "300x300", "30x40x50"})
  void largeOnesAreDoneByAllThreads(String size) {
    Set<Thread> by = ConcurrentHashMap.newKeySet();
    try (Mesh mesh = mesh(2)) {
      Grid grid = mesh.grid("g", sizes(size));
      Field u = grid.field("u");
      // A caller that is done does what no helper has begun, so it may take some rounds.
      for (int round = 0; round < 100_000 && by.size() < 2; round++) {
        mesh.each(
            "who",
            grid.cells(),
            writes(u),
            k -> {
              u.set(k, k);
              by.add(Thread.currentThread());
            });
      }
      assertThat(by).hasSize(2);
      assertThat(mesh.sum("sum", grid.cells(), reads(u), k -> 1)).isEqualTo(grid.cells().points());
    }
  }

  /** Whoever of them does it. */
  @Test
  void aKernelThatFailsInAnyThreadIsToldWithItsPoint() {
    try (Mesh mesh = mesh(2)) {
      Grid grid = mesh.grid("g", 3, 100);
      Field u = grid.field("u");
      for (int row : new int[] {0, 99, 49, 50}) {
        assertThatThrownBy(
                () ->
                    mesh.each(
                        "bad",
                        grid.cells(),
                        writes(u),
                        (k, i, j) -> {
                          if (j == row) {
                            throw new ArithmeticException("at row " + j);
                          }
                          u.set(k, j);
                        }))
            .isInstanceOf(KernelFailedException.class)
            .hasMessageContaining("bad")
            .hasRootCauseMessage("at row " + row);
      }
    }
  }
}
