// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.cairn.event.EventLog;
import org.cairn.tier.FileNames;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The event log of one directory. */
public final class RankEvents {

  private RankEvents() {}

  /** Hands over the events of a job without a name. */
  public static void forEach(Path directory, Consumer<JsonNode> consumer) throws IOException {
    forEach(directory, "", consumer);
  }

  /**
   * Hands over the events in their order; where there is no log, none.
   *
   * @param job the name of the job
   */
  public static void forEach(Path directory, String job, Consumer<JsonNode> consumer)
      throws IOException {
    String log = FileNames.events(job);
    read(directory.resolve(EventLog.older(log)), consumer);
    read(directory.resolve(log), consumer);
  }

  private static void read(Path log, Consumer<JsonNode> consumer) throws IOException {
    // Bytes that are no text, as a torn line may have, must not end the reading.
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(Files.newInputStream(log), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        parse(line, consumer);
      }
    } catch (NoSuchFileException e) {
      // Nothing was logged, or it was lost.
    }
  }

  /** A line that was torn when its writer was killed counts for nothing. */
  private static void parse(String line, Consumer<JsonNode> consumer) {
    JsonNode event;
    try {
      event = JsonMapper.shared().readTree(line);
    } catch (JacksonException e) {
      return;
    }
    consumer.accept(event);
  }
}
