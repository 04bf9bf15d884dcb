// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.cairn.testkit.process.MpiJob.Launcher;

/**
 * Two hosts made of namespaces: each has a network interface, a host name, and a disk that all know
 * under the same path. Launchers log in there with a script in place of {@code ssh}.
 */
final class Hosts implements AutoCloseable {
  private static final String NETWORK = "10.213.7.";

  private final Path directory;
  private final String prefix = "cairn" + ProcessHandle.current().pid() + "-";
  private String problem = "";

  private Hosts(Path directory) {
    this.directory = directory;
  }

  /** Makes them if this machine allows it. */
  static Hosts make(Path directory) throws IOException, InterruptedException {
    Hosts hosts = new Hosts(directory);
    hosts.make();
    return hosts;
  }

  boolean isUsable() {
    return problem.isEmpty();
  }

  String problem() {
    return "no hosts out of namespaces: " + problem;
  }

  /** Where the disk of a host is seen by the host itself. */
  static Path mountPoint(Path directory) {
    return directory.resolve("checkpoints");
  }

  /** Where the disk of a host is seen by the test. */
  Path disk(int host) {
    return directory.resolve("disk" + host);
  }

  void loseDisk(int host) throws IOException {
    try (Stream<Path> all = Files.walk(disk(host))) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        if (!path.equals(disk(host))) {
          Files.delete(path);
        }
      }
    }
  }

  private void make() throws IOException, InterruptedException {
    Files.createDirectory(mountPoint(directory));
    script("enter", ENTER);
    script("login", LOGIN);
    for (int host = 1; host <= 2; host++) {
      Files.createDirectory(disk(host));
      run("ip", "netns", "add", name(host));
    }
    run(
        ("ip link add veth1 netns %s type veth peer name veth2 netns %s"
                .formatted(name(1), name(2)))
            .split(" "));
    for (int host = 1; host <= 2; host++) {
      String at = "ip -n " + name(host) + " ";
      run((at + "addr add " + NETWORK + host + "/24 dev veth" + host).split(" "));
      run((at + "link set lo up").split(" "));
      run((at + "link set veth" + host + " up").split(" "));
    }
    run(directory.resolve("enter").toString(), "1", "true");
  }

  private String name(int host) {
    return prefix + host;
  }

  /** Runs a command on a host: {@code enter HOST COMMAND...}. */
  private static final String ENTER =
      """
      #!/bin/bash
      host=$1
      shift
      exec nsenter --net=/run/netns/PREFIX$host unshare --uts --mount bash -c '
        hostname cairnhost$0 && mount --bind DIRECTORY/disk$0 DIRECTORY/checkpoints && exec "$@"' \\
        "$host" "$@"
      """;

  /** What launchers take for ssh: {@code login [OPTION...] ADDRESS COMMAND}. */
  private static final String LOGIN =
      """
      #!/bin/bash
      while [[ $1 == -* ]]; do shift; done
      host=${1##*.}
      shift
      exec DIRECTORY/enter "$host" bash -c "$*"
      """;

  private void script(String name, String text) throws IOException {
    Path file = directory.resolve(name);
    String filled = text.replace("DIRECTORY", directory.toString()).replace("PREFIX", prefix);
    Files.writeString(file, filled, UTF_8);
    if (!file.toFile().setExecutable(true)) {
      problem = file + " cannot be made executable";
    }
  }

  private void run(String... command) throws IOException, InterruptedException {
    if (!isUsable()) {
      return;
    }
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (!process.waitFor(10, TimeUnit.SECONDS) || process.exitValue() != 0) {
        problem = String.join(" ", command) + ": " + said.strip();
      }
    } catch (IOException e) {
      problem = e.toString();
    }
  }

  /** Two ranks on one host, then two on the other; the launcher is on the first. */
  List<String> command(Launcher launcher, int first, int second) {
    String hosts = "%s%d:2,%s%d:2".formatted(NETWORK, first, NETWORK, second);
    String login = directory.resolve("login").toString();
    List<String> words =
        new ArrayList<>(List.of(directory.resolve("enter").toString(), String.valueOf(first)));
    words.addAll(launcher.command(4));
    words.addAll(
        switch (launcher) {
          case OPEN_MPI ->
              List.of(
                  "--host",
                  hosts,
                  "--mca",
                  "plm_rsh_agent",
                  login,
                  "--mca",
                  "btl_tcp_if_include",
                  NETWORK + "0/24",
                  "--mca",
                  "oob_tcp_if_include",
                  NETWORK + "0/24");
          case MPICH -> List.of("-hosts", hosts, "-launcher", "ssh", "-launcher-exec", login);
        });
    return words;
  }

  @Override
  public void close() throws IOException, InterruptedException {
    for (int host = 1; host <= 2; host++) {
      new ProcessBuilder("ip", "netns", "del", name(host))
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    }
  }
}
