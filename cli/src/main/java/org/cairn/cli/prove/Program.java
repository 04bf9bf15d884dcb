// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.cli.command.Child;
import org.cairn.cli.command.SameJava;
import org.cairn.cli.run.App;
import org.cairn.cli.run.MpiLauncher;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The program of the user, and how it is started: as {@code cairn run} does it.
 *
 * @param command ours
 * @param app as the user calls it
 * @param ready as it is started
 * @param ranks how many; 0 if the program is no parallel one
 * @param launcher what starts ranks; without, they are threads
 */
record Program(
    CommandSpec command,
    String app,
    App.Ready ready,
    List<String> arguments,
    int ranks,
    Optional<MpiLauncher> launcher) {

  /** How many ranks take checkpoints. */
  int count() {
    return Math.max(1, ranks);
  }

  /** Whether each rank can be killed by itself. */
  boolean hasProcesses() {
    return launcher.isPresent();
  }

  /** Starts it in directories of its own. */
  Child start(Ground ground) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(words(ground))
            .directory(ground.work().toFile())
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(ground.output().toFile()));
    builder.environment().put("TMPDIR", ground.temporary().toAbsolutePath().toString());
    builder.environment().put("CAIRN_PROVE", ground.allowedAsPath());
    return Child.start(builder);
  }

  private List<String> words(Ground ground) {
    List<String> run = new ArrayList<>(List.of("run"));
    if (ranks > 0) {
      run.addAll(List.of("--domains", "per-rank"));
      run.addAll(
          hasProcesses()
              ? List.of("--tell-process")
              : List.of("-n", Integer.toString(ranks), "--threads"));
    }
    run.addAll(ready.words());
    run.addAll(arguments);
    List<String> flags =
        List.of(
            "-Djava.io.tmpdir=" + ground.temporary().toAbsolutePath(),
            "-Dcairn.prove=" + ground.allowedAsPath());
    List<String> cairn = SameJava.cairn(command, flags, run);
    return launcher.map(mpi -> mpi.command(ranks, cairn)).orElse(cairn);
  }
}
