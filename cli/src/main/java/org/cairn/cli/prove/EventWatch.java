// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Follows the event logs of a life, wherever below some directories the program has them. What was
 * logged before the watch began is not its own.
 */
final class EventWatch {
  private static final String PREFIX = "events";
  private static final String SUFFIX = ".jsonl";

  /** Directories are searched now and then; logs that are known are looked at each time. */
  private static final long SEARCH_PAUSE = TimeUnit.MILLISECONDS.toNanos(30);

  private final List<Path> roots;
  private final Map<Path, Log> logs = new LinkedHashMap<>();
  private final List<Seen> seen = new ArrayList<>();
  private long searchedAt;

  EventWatch(List<Path> roots) throws IOException {
    this.roots = roots;
    search();
    for (Log log : logs.values()) {
      log.skip();
    }
  }

  /** Looks for news. */
  void poll() throws IOException {
    if (System.nanoTime() - searchedAt > SEARCH_PAUSE) {
      search();
    }
    for (Log log : logs.values()) {
      log.read();
    }
  }

  /** All events so far; those of one rank are in their order. */
  List<Seen> seen() {
    return seen;
  }

  private void search() throws IOException {
    for (Path root : roots) {
      try (Stream<Path> tree = Files.walk(root)) {
        tree.filter(EventWatch::isLog).forEach(log -> logs.computeIfAbsent(log, Log::new));
      } catch (UncheckedIOException | NoSuchFileException e) {
        // The program removes what it has made; next time it is gone.
      }
    }
    searchedAt = System.nanoTime();
  }

  private static boolean isLog(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.startsWith(PREFIX) && name.endsWith(SUFFIX) && !name.startsWith(PREFIX + ".1");
  }

  private final class Log {
    private final Path file;
    private long position;
    private int rank;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    Log(Path file) {
      this.file = file;
    }

    void skip() throws IOException {
      position = Files.size(file);
    }

    void read() throws IOException {
      try {
        long size = Files.size(file);
        if (size < position) {
          position = 0; // another one in its place
          line.reset();
        }
        if (size > position) {
          readTo(size);
        }
      } catch (NoSuchFileException e) {
        position = 0;
      }
    }

    private void readTo(long size) throws IOException {
      ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(1 << 20, size - position));
      try (SeekableByteChannel channel = Files.newByteChannel(file)) {
        channel.position(position);
        channel.read(bytes);
      }
      position += bytes.position();
      bytes.flip();
      while (bytes.hasRemaining()) {
        byte next = bytes.get();
        if (next == '\n') {
          parse(line.toString(UTF_8));
          line.reset();
        } else {
          line.write(next);
        }
      }
    }

    /** A line that was torn when its writer was killed counts for nothing. */
    private void parse(String text) {
      try {
        JsonNode event = JsonMapper.shared().readTree(text);
        if (event.path("event").asString("").equals("open")) {
          rank = event.path("rank").asInt(0);
        }
        Path directory = file.toAbsolutePath().getParent();
        seen.add(new Seen(rank, directory == null ? file : directory, event));
      } catch (JacksonException e) {
        // Torn.
      }
    }
  }
}
