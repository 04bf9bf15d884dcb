// SPDX-License-Identifier: Apache-2.0
package org.cairn.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.memory.Remains;
import org.junit.jupiter.api.Test;

class EventLogTest {
  private static final Instant TIME = Instant.parse("2026-01-02T03:04:05Z");
  private final MemoryStore store = new MemoryStore();

  private String text() throws IOException {
    return text(EventLog.NAME);
  }

  private String text(String name) throws IOException {
    try (StoreFile file = store.open(name, Store.Access.READ)) {
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

  /** A program's clock may be made of anything: of what has its checkpoints, for one. */
  @Test
  void lastWordsKeepNoLogThatTheirClockLeadsTo() {
    Remains remains = new Remains();
    for (int i = 0; i < 5; i++) {
      promiseLastWords(remains.of(new EventLog(store)));
    }
    assertThat(remains.count()).isZero();
  }

  private static void promiseLastWords(EventLog log) {
    LastWords.promise(
        log,
        () -> {
          log.identify("a job", "a run");
          return TIME;
        });
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

  @Test
  void aLogThatIsLongEnoughBecomesTheOlderOne() throws IOException {
    try (EventLog log = new EventLog(store, EventLog.NAME, 1000)) {
      for (int i = 0; i < 500; i++) {
        log.append(new Event("e" + i, TIME));
        assertThat(text().length()).isLessThanOrEqualTo(1000);
      }
    }
    assertThat(store.list()).containsExactly("events.1.jsonl", "events.jsonl");
    assertThat(eventsSoFar()).endsWith("e499").hasSizeBetween(1000 / 60, 2 * 1000 / 40);
    assertThat(eventsSoFar()).isEqualTo(consecutive(eventsSoFar().getFirst(), 499));
  }

  @Test
  void aLogThatIsOpenedAgainGoesOnWhereItWas() throws IOException {
    for (int i = 0; i < 60; i++) {
      try (EventLog log = new EventLog(store, "events+plate.1.jsonl", 1000)) {
        log.append(new Event("e" + i, TIME));
      }
    }
    assertThat(store.list()).containsExactly("events+plate.1.jsonl", "events.1+plate.1.jsonl");
  }

  /** Whatever a crash leaves of a rename, no line is lost that was in one of the two. */
  @Test
  void aCrashWhileTheLogIsRenamedLosesNothing() throws IOException {
    try (EventLog log = new EventLog(store, EventLog.NAME, 1000)) {
      for (int i = 0; i < 15; i++) {
        log.append(new Event("e" + i, TIME));
      }
    }
    store.rename(EventLog.NAME, EventLog.older(EventLog.NAME));
    try (EventLog log = new EventLog(store, EventLog.NAME, 1000)) {
      log.append(new Event("e15", TIME));
    }
    assertThat(eventsSoFar()).isEqualTo(consecutive("e0", 15));
  }

  @Test
  void aLineLongerThanTheLogIsLoggedAllTheSame() throws IOException {
    try (EventLog log = new EventLog(store, EventLog.NAME, 100)) {
      for (int i = 0; i < 3; i++) {
        log.append(new Event("e" + i, TIME).with("text", "x".repeat(500)));
      }
    }
    assertThat(eventsSoFar()).containsExactly("e1", "e2");
  }

  private List<String> eventsSoFar() throws IOException {
    List<String> events = new ArrayList<>();
    for (String name : List.of(EventLog.older(EventLog.NAME), EventLog.NAME)) {
      Matcher event = Pattern.compile("\"event\":\"(e\\d+)\"").matcher(text(name));
      while (event.find()) {
        events.add(event.group(1));
      }
    }
    return events;
  }

  private static List<String> consecutive(String first, int last) {
    return IntStream.rangeClosed(Integer.parseInt(first.substring(1)), last)
        .mapToObj(i -> "e" + i)
        .toList();
  }
}
