// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;
import org.cairn.cli.terminal.Terminal;
@picocli.CommandLine.Command(name = "sweep")
final class SweepCommand implements Runnable {
  SweepCommand(Terminal terminal) {}
  @Override public void run() {}
}
