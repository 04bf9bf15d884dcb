// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Files of which a few are open at a time, however many there are: a process may have no more than
 * a thousand. Who is needed again is opened again. Safe for use by many threads.
 */
final class OpenFiles implements AutoCloseable {
  private static final int MOST = 128;

  private final Set<OpenOption> options;

  /** By when they were last used. */
  private final Map<Path, Open> open = new LinkedHashMap<>(MOST, 0.75f, true);

  /** What is done with a file while it is open. */
  interface Use {
    void run(FileChannel channel) throws IOException;
  }

  private static final class Open {
    private final FileChannel channel;
    private int users;

    private Open(FileChannel channel) {
      this.channel = channel;
    }
  }

  OpenFiles(OpenOption... options) {
    this.options = Set.of(options);
  }

  void use(Path path, Use use) throws IOException {
    Open file = take(path);
    try {
      use.run(file.channel);
    } finally {
      giveBack(file);
    }
  }

  /** What a system says of a write that failed, with the file, which it does not name. */
  static IOException unwritable(Path path, long position, IOException failure) {
    if (failure instanceof ClosedChannelException) {
      return failure; // by an interrupt: the file is not to blame
    }
    String why = "writing at %d: %s".formatted(position, failure.getMessage());
    FileSystemException named = new FileSystemException(path.toString(), null, why);
    named.initCause(failure);
    return named;
  }

  private synchronized Open take(Path path) throws IOException {
    Open file = open.get(path);
    if (file == null) {
      closeSome();
      file = new Open(FileChannel.open(path, options));
      open.put(path, file);
    }
    file.users++;
    return file;
  }

  private synchronized void giveBack(Open file) {
    file.users--;
  }

  private void closeSome() throws IOException {
    Iterator<Open> oldest = open.values().iterator();
    while (open.size() >= MOST && oldest.hasNext()) {
      Open file = oldest.next();
      if (file.users == 0) {
        oldest.remove();
        file.channel.close();
      }
    }
  }

  /** Closes a file that nobody needs any more. */
  synchronized void close(Path path) throws IOException {
    Open file = open.remove(path);
    if (file != null) {
      file.channel.close();
    }
  }

  @Override
  public synchronized void close() throws IOException {
    for (Open file : open.values()) {
      file.channel.close();
    }
    open.clear();
  }
}
