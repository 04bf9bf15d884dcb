// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.store.Store;
import org.cairn.tier.Objections;

/**
 * Finds out whether a directory is shared indeed: the first rank writes a file with a random name
 * and random content, and every rank must read it. Without that, ranks of a node where it is not
 * mounted write into an empty directory, every flush reports success, and nothing can be restored.
 */
final class Mark {
  private static final int WRITABLE = 0;
  private static final int READ_ONLY = 1;

  private final Communicator comm;
  private final Store shared;
  private final Lookout lookout;

  Mark(Communicator comm, Store shared, Clock clock, Duration visibility) {
    this.comm = comm;
    this.shared = shared;
    this.lookout = new Lookout(clock, visibility);
  }

  /**
   * Looks; collective.
   *
   * @return whether the directory can be written to; if not, nothing was looked for
   * @throws IOException on all ranks alike, if some do not see what the first one writes
   */
  boolean check(LongSupplier random) throws IOException {
    String name = "";
    byte[] said = {};
    if (comm.rank() == 0) {
      name = SharedNames.mark(random.getAsLong());
      said = write(name, RecordWriter.onHeap().putLong(random.getAsLong()).toArray());
    }
    try {
      RecordReader in = RecordReader.of(comm.announce(said, 0), "rank 0");
      String failure = in.getText();
      if (!failure.isEmpty()) {
        throw new IOException("the shared directory cannot be used: " + failure);
      }
      if (in.getInt() == READ_ONLY) {
        return false;
      }
      String mark = Names.readCounted(in);
      byte[] content = in.getCounted();
      agree(mark, lookout.await(() -> look(mark, content)));
      return true;
    } finally {
      if (!name.isEmpty()) {
        remove(name);
      }
    }
  }

  private byte[] write(String name, byte[] content) {
    RecordWriter out = RecordWriter.onHeap();
    try {
      LeaseFiles.create(shared, name, content);
      out.putText("").putInt(WRITABLE);
    } catch (IOException e) {
      boolean refused = isReadOnly(e);
      out.putText(refused ? "" : e.toString()).putInt(READ_ONLY);
    }
    return out.putText(name).putCounted(content).toArray();
  }

  /** Whether the store lets nobody write, rather than having failed to. */
  private static boolean isReadOnly(IOException e) {
    String reason = e instanceof FileSystemException one ? one.getReason() : null;
    return e instanceof AccessDeniedException
        || reason != null && reason.toLowerCase(Locale.ROOT).contains("read-only");
  }

  private Optional<String> look(String mark, byte[] expected) throws IOException {
    byte[] found = LeaseFiles.read(shared, mark);
    return Arrays.equals(found, expected)
        ? Optional.empty()
        : Optional.of("%d bytes instead of %d".formatted(found.length, expected.length));
  }

  private void agree(String mark, Optional<String> problem) throws IOException {
    Objections blind =
        Objections.gather(
            comm,
            problem.map(
                found ->
                    "rank %d (%s): %s".formatted(comm.rank(), comm.domain(comm.rank()), found)));
    if (!blind.isEmpty()) {
      throw new IOException(
          "the shared directory is not the same for all ranks: rank 0 (%s) wrote %s, which is not seen by %s; mount it there too"
              .formatted(comm.domain(0), shared.location(mark), blind));
    }
  }

  private void remove(String name) {
    try {
      shared.delete(name);
    } catch (IOException e) {
      // A file of a few bytes stays, which nobody looks at.
    }
  }
}
