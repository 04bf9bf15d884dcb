// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.against;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.cairn.cli.command.CommandFailedException;

/** A job that is told what to do, line by line. Closing it is a crash of the job. */
public final class Dialogue implements AutoCloseable {
  private static final String ANSWER = "@ ";
  private static final int SECONDS_TO_END = 20;

  private final List<String> command;
  private final Path errors;
  private final Process process;
  private final BufferedReader answers;

  /** How long it took to open, and to restart where there was something to restart from. */
  private final double ready;

  /** Starts a job, and waits until it is ready. */
  public Dialogue(List<String> command) throws IOException {
    this.command = command;
    this.errors = Files.createTempFile("cairn-bench", ".err");
    this.process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    try {
      this.ready = Double.parseDouble(answer());
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** How long it took to open, and to restart where there was something to restart from. */
  public double ready() {
    return ready;
  }

  /** Changes so much of the state; gives the bytes of what changed, of rank 0. */
  public long change(double part) throws IOException {
    return Long.parseLong(ask("change " + part));
  }

  /** Takes a checkpoint; gives the seconds. */
  public double checkpoint() throws IOException {
    return Double.parseDouble(ask("checkpoint"));
  }

  /** What tells states apart. */
  public String sum() throws IOException {
    return ask("sum");
  }

  private String ask(String order) throws IOException {
    OutputStream orders = process.getOutputStream();
    orders.write((order + "\n").getBytes(UTF_8));
    orders.flush();
    return answer();
  }

  /** The next line that is meant for us; libraries print more. */
  private String answer() throws IOException {
    String line = answers.readLine();
    while (line != null && !line.startsWith(ANSWER)) {
      line = answers.readLine();
    }
    if (line == null) {
      throw new CommandFailedException(
          "%s ended without an answer: %s"
              .formatted(String.join(" ", command), Files.readString(errors).strip()));
    }
    return line.substring(ANSWER.length());
  }

  /** Ends the input, and sees that the job is gone. */
  @Override
  public void close() throws IOException {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // It is gone already.
    }
    try {
      if (!process.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    answers.close();
    Files.deleteIfExists(errors);
  }
}
