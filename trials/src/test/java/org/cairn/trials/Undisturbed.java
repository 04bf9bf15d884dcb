// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.cairn.RestartRequest;
import org.cairn.Tiers;
import org.cairn.apps.heat2d.Heat2DOptions;
import org.cairn.apps.heat2d.Heat2DProgram;
import org.cairn.comm.Ranks;

/** What Heat2D computes when nothing disturbs it, on ranks of this JVM. */
final class Undisturbed {
  private Undisturbed() {}

  /** A result is bit for bit that of as many iterations without a disaster. */
  static void verify(Path result, int size, int ranks) throws IOException {
    long iterations = iterations(result);
    Path expected = compute(result.resolveSibling("undisturbed"), size, ranks, iterations);
    assertThat(Files.mismatch(expected, result))
        .as("the first byte that differs after %d iterations", iterations)
        .isEqualTo(-1);
  }

  private static long iterations(Path result) throws IOException {
    return Files.readString(result.resolveSibling(result.getFileName() + ".txt"), UTF_8)
        .lines()
        .filter(line -> line.startsWith("iterations "))
        .mapToLong(line -> Long.parseLong(line.substring("iterations ".length())))
        .findFirst()
        .orElseThrow();
  }

  private static Path compute(Path directory, int size, int ranks, long iterations)
      throws IOException {
    Path result = Files.createDirectories(directory).resolve("result");
    Files.deleteIfExists(result);
    Heat2DOptions options =
        new Heat2DOptions(
            size,
            iterations,
            result.resolveSibling("unused"),
            0,
            Duration.ofDays(1),
            false,
            Tiers.none(),
            false,
            "",
            RestartRequest.newest(),
            result,
            false);
    Ranks.run(
        ranks,
        comm -> {
          try {
            Heat2DProgram.run(options, comm);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    return result;
  }
}
