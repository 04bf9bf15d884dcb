// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RankEventsTest {
  @TempDir Path directory;

  @Test
  void theOlderLogComesFirst() throws IOException {
    assertThat(events()).isEmpty();
    Files.writeString(
        directory.resolve("events.1.jsonl"), "{\"event\":\"a\"}\n{\"event\":\"b\"}\n");
    assertThat(events()).containsExactly("a", "b");
    Files.writeString(directory.resolve("events.jsonl"), "{\"event\":\"c\"}\n{\"event");
    assertThat(events()).containsExactly("a", "b", "c");
  }

  private List<String> events() throws IOException {
    List<String> events = new ArrayList<>();
    RankEvents.forEach(directory, event -> events.add(event.path("event").asString("")));
    return events;
  }
}
