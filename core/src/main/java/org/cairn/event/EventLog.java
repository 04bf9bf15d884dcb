// SPDX-License-Identifier: Apache-2.0
package org.cairn.event;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.supply.Mutex;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The append-only log beside a container. It never stands in the way of a checkpoint: what cannot
 * be logged is not, with one warning. Lines are not forced; a crash may lose the last ones, and the
 * last line that is left may be torn.
 *
 * <p>It does not grow for ever: a log that has become {@value #LARGEST_BYTES} bytes long is renamed
 * to {@linkplain #older its older name}, in place of the one that had this name before, and a new
 * one is begun. So the newest events, of this many bytes at least, are kept, and of twice as many
 * at most. Whoever reads a log reads the older one first. A crash in between leaves the older one
 * alone.
 */
public final class EventLog implements AutoCloseable {
  /** The name of the log of a job without a name, in its directory. */
  public static final String NAME = "events.jsonl";

  /** About 50,000 checkpoints. */
  public static final long LARGEST_BYTES = 32L << 20;

  private static final String PREFIX = "events";
  private static final String OLDER_PREFIX = "events.1";

  private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);

  private final Mutex mutex = new Mutex();
  private final Store store;
  private final String name;
  private final long largest;
  private final String location;

  /** Null from when nothing can be logged any more, or the log is closed. */
  private @Nullable StoreFile file;

  private long end;
  private String job = "";
  private String run = "";

  /** Opens the log of a job without a name, or creates it. */
  public EventLog(Store store) {
    this(store, NAME);
  }

  /** Opens a log, or creates it. */
  public EventLog(Store store, String name) {
    this(store, name, LARGEST_BYTES);
  }

  /** Opens a log that becomes at most so long, unless a single line is longer. */
  EventLog(Store store, String name, long largest) {
    this.store = store;
    this.name = name;
    this.largest = largest;
    location = store.location(name);
    try {
      open();
    } catch (IOException e) {
      giveUp(e);
    }
  }

  /** What a log is called once another goes on in its place. */
  public static String older(String name) {
    if (!name.startsWith(PREFIX)) {
      throw new IllegalArgumentException("not the name of a log: " + name);
    }
    return OLDER_PREFIX + name.substring(PREFIX.length());
  }

  private void open() throws IOException {
    StoreFile opened = store.open(name, Store.Access.CREATE);
    file = opened;
    end = opened.size();
    endTornLine(opened);
  }

  private void endTornLine(StoreFile opened) throws IOException {
    byte[] last = {'\n'};
    if (end > 0) {
      opened.read(end - 1, MemorySegment.ofArray(last));
    }
    if (last[0] != '\n') {
      write(opened, new byte[] {'\n'});
    }
  }

  /** From now on every event says whose it is. */
  public void identify(String jobId, String runId) {
    try (Mutex.Held _ = mutex.hold()) {
      job = jobId;
      run = runId;
    }
  }

  /** Appends an event. */
  public void append(Event event) {
    try (Mutex.Held _ = mutex.hold()) {
      if (file == null) {
        return;
      }
      try {
        if (!job.isEmpty()) {
          event.with("job", job).with("run", run);
        }
        byte[] line = (event.toJson() + "\n").getBytes(StandardCharsets.UTF_8);
        if (end > 0 && end + line.length > largest) {
          startAnew();
        }
        StoreFile open = file;
        if (open != null) {
          write(open, line);
        }
      } catch (IOException e) {
        giveUp(e);
      }
    }
  }

  /** One rename: whoever reads, and a crash, finds every line in one of the two. */
  private void startAnew() throws IOException {
    closeFile();
    store.rename(name, older(name));
    open();
  }

  /** Appends an event that nothing comes after; closes the log. */
  void appendLast(Event event) {
    try (Mutex.Held _ = mutex.hold()) {
      append(event);
      close();
    }
  }

  private void write(StoreFile open, byte[] line) throws IOException {
    open.write(end, MemorySegment.ofArray(line));
    end += line.length;
  }

  private void giveUp(IOException e) {
    LOG.warn("events are no longer logged to {}: {}", location, e.toString());
    closeFile();
  }

  private void closeFile() {
    StoreFile open = file;
    file = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        LOG.debug("closing {} failed", location, e);
      }
    }
  }

  @Override
  public void close() {
    try (Mutex.Held _ = mutex.hold()) {
      closeFile();
    }
  }
}
