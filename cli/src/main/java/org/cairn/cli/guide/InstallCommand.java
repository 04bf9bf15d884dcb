// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.guide;

import java.util.List;
import org.cairn.cli.command.CommandFailedException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Unmatched;

/**
 * {@code cairn install}. The script {@code ./cairn} does it before there is a Java to ask; here is
 * what its help says, and what those are told who start the command without the script.
 */
@Command(
    name = "install",
    description = {
      "Puts the library into the local Maven repository: all artifacts that programs depend on, with sources and Javadoc, and a BOM.",
      "",
      "In a clone of Cairn, with Maven; what follows goes to Maven.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  ./cairn install",
      "  ./cairn install -Dmaven.repo.local=/tmp/repository     another repository"
    })
public final class InstallCommand implements Runnable {
  @Parameters(arity = "0..*", paramLabel = "ARGUMENT", description = "What Maven is to be told.")
  @SuppressWarnings("unused") // for the help
  private List<String> arguments = List.of();

  @Unmatched
  @SuppressWarnings("unused") // options are Maven's
  private List<String> options = List.of();

  @Override
  public void run() {
    throw new CommandFailedException(
        "the library is installed from a clone of Cairn, by its script: ./cairn install");
  }
}
