// SPDX-License-Identifier: Apache-2.0
package org.cairn.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.junit.jupiter.api.Test;

class EventLogTest {
  private static final Instant TIME = Instant.parse("2026-01-02T03:04:05Z");
  private final MemoryStore store = new MemoryStore();

  private String text() throws IOException {
    try (StoreFile file = store.open(EventLog.NAME, Store.Access.READ)) {
      byte[] bytes = new byte[(int) file.size()];
      file.read(0, MemorySegment.ofArray(bytes));
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  @Test
  void writesOneLineAnEvent() throws IOException {
    try (EventLog log = new EventLog(store)) {
      log.append(new Event("a", TIME).with("n", 3).with("x", 0.5).with("ok", true));
    }
    try (EventLog log = new EventLog(store)) {
      log.append(new Event("b", TIME).with("list", List.of("u", 1)));
    }
    assertThat(text())
        .isEqualTo(
            """
            {"time":"2026-01-02T03:04:05Z","event":"a","n":3,"x":0.5,"ok":true}
            {"time":"2026-01-02T03:04:05Z","event":"b","list":["u",1]}
            """);
  }

  @Test
  void oddCharactersDoNotBreakTheLine() {
    String json = new Event("a", TIME).with("name", "a\"b\\c\nd\te\u0000\u2028").toJson();
    assertThat(json).endsWith("\"name\":\"a\\\"b\\\\c\\u000ad\\u0009e\\u0000\\u2028\"}");
    assertThat(json).doesNotContain("\n");
  }

  @Test
  void numbersThatJsonLacksBecomeNull() {
    assertThat(new Event("a", TIME).with("x", Double.NaN).toJson()).endsWith("\"x\":null}");
  }

  @Test
  void aTornLineIsEndedBeforeTheNext() throws IOException {
    try (StoreFile file = store.open(EventLog.NAME, Store.Access.CREATE)) {
      file.write(0, MemorySegment.ofArray("{\"ti".getBytes(StandardCharsets.UTF_8)));
    }
    try (EventLog log = new EventLog(store)) {
      log.append(new Event("a", TIME));
    }
    assertThat(text().lines()).hasSize(2).first().isEqualTo("{\"ti");
  }
}
