// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.compress.v3.Compressor;
import java.nio.file.Path;
import java.util.List;
import org.cairn.Checkpointer;
import org.cairn.comm.Communicator;
import org.cairn.mpi.MpiProvider;
import org.cairn.testkit.module.ModularProgram;
import org.cairn.testkit.process.MpiJob;
import org.cairn.testkit.process.MpiJob.Launcher;
import org.cairn.testkit.process.MpiJob.Result;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.simple.SimpleLogger;

/** A program that is a module, and requires core alone, finds its ranks under a launcher. */
@Tag("slow")
class ModulePathTest {
  private static final int RANKS = 2;

  private static final String RANK =
      """
      package program;

      import java.nio.file.Path;
      import org.cairn.*;
      import org.cairn.comm.*;

      public class Main {
        public static void main(String[] arguments) {
          Communicator ranks = Communicators.world();
          long[] u = new long[10_000];
          try (Checkpointer cairn =
              Checkpointer.open(Path.of(arguments[0]), ranks, Options.defaults())) {
            cairn.protect("u", u).codec(Codec.LZ4);
            cairn.restart();
            System.out.println(
                "rank %d of %d has %d, by %s"
                    .formatted(ranks.rank(), ranks.size(), u[7], ranks.getClass().getModule().getName()));
            u[7] += 1 + ranks.rank();
            cairn.checkpoint();
          }
        }
      }
      """;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  @DisabledIfSystemProperty(named = "cairn.mpi", matches = "off")
  void ranksFindEachOther(Launcher launcher) throws Exception {
    ModularProgram program = program();
    assertThat(program.compile(RANK, "requires org.cairn.core;")).isEmpty();

    assertThat(run(launcher, program).out().lines())
        .contains("rank 0 of 2 has 0, by org.cairn.mpi", "rank 1 of 2 has 0, by org.cairn.mpi");
    assertThat(run(launcher, program).out().lines())
        .contains("rank 0 of 2 has 1, by org.cairn.mpi", "rank 1 of 2 has 2, by org.cairn.mpi");
  }

  private Result run(Launcher launcher, ModularProgram program) throws Exception {
    Result result =
        MpiJob.run(
            launcher,
            RANKS,
            program.command(
                List.of(
                    "--enable-native-access=org.cairn.core,org.cairn.mpi",
                    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"),
                directory.resolve("checkpoints").toString()));
    assertThat(result.exitCode()).as(result.toString()).isZero();
    return result;
  }

  private ModularProgram program() {
    return ModularProgram.of(
        directory,
        Checkpointer.class,
        Communicator.class,
        MpiProvider.class,
        Logger.class,
        SimpleLogger.class,
        Compressor.class);
  }
}
