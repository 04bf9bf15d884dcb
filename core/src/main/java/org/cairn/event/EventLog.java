// SPDX-License-Identifier: Apache-2.0
package org.cairn.event;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The append-only log beside a container. It never stands in the way of a checkpoint: what cannot
 * be logged is not, with one warning. Lines are not forced; a crash may lose the last ones, and the
 * last line that is left may be torn.
 */
public final class EventLog implements AutoCloseable {
  /** The name of the log of a job without a name, in its directory. */
  public static final String NAME = "events.jsonl";

  private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);

  private final String location;
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
    location = store.location(name);
    try {
      StoreFile opened = store.open(name, Store.Access.CREATE);
      file = opened;
      end = opened.size();
      endTornLine(opened);
    } catch (IOException e) {
      giveUp(e);
    }
  }

  private void endTornLine(StoreFile opened) throws IOException {
    byte[] last = {'\n'};
    if (end > 0) {
      opened.read(end - 1, MemorySegment.ofArray(last));
    }
    if (last[0] != '\n') {
      write(opened, "\n");
    }
  }

  /** From now on every event says whose it is. */
  public synchronized void identify(String jobId, String runId) {
    job = jobId;
    run = runId;
  }

  /** Appends an event. */
  public synchronized void append(Event event) {
    StoreFile open = file;
    if (open == null) {
      return;
    }
    try {
      if (!job.isEmpty()) {
        event.with("job", job).with("run", run);
      }
      write(open, event.toJson() + "\n");
    } catch (IOException e) {
      giveUp(e);
    }
  }

  private void write(StoreFile open, String text) throws IOException {
    byte[] line = text.getBytes(StandardCharsets.UTF_8);
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
  public synchronized void close() {
    closeFile();
  }
}
