// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.container.BlockScan;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;

/**
 * A JVM of little memory that reads, restores and continues the containers in the directories it is
 * given, and tells for each, in one line, how each of the three ended and how long it took.
 */
final class HostileProbe {
  private byte[] a = new byte[0];
  private byte[] opaque = new byte[0];

  private HostileProbe() {}

  public static void main(String[] directories) throws IOException {
    for (String directory : directories) {
      Store store = DirectoryStore.open(Path.of(directory), false);
      report(Path.of(directory), "read", () -> read(store));
      report(Path.of(directory), "restart", () -> new HostileProbe().restart(store, false));
      report(Path.of(directory), "continue", () -> new HostileProbe().restart(store, true));
    }
  }

  private interface Action {
    String run() throws IOException;
  }

  private static void report(Path directory, String what, Action action) {
    long start = System.nanoTime();
    String end;
    try {
      end = "ok " + action.run();
    } catch (Throwable e) {
      end = e.getClass().getName() + " " + e.getMessage();
    }
    String line =
        "%s\t%s\t%d\t%s"
            .formatted(
                directory.getFileName(),
                what,
                (System.nanoTime() - start) / 1_000_000,
                oneLine(end));
    System.out.println(line);
  }

  private static String oneLine(String text) {
    StringBuilder line = new StringBuilder();
    text.codePoints().limit(600).forEach(c -> line.appendCodePoint(c < ' ' ? ' ' : c));
    return line.toString();
  }

  private static String read(Store store) throws IOException {
    AtomicLong bytes = new AtomicLong();
    int damages = 0;
    try (ContainerReader reader = ContainerReader.open(store, SampleState.FILE);
        Workers crew = new Workers(2, "probe")) {
      List<VersionInfo> versions = reader.versions();
      for (VersionInfo version : versions.subList(0, Math.min(3, versions.size()))) {
        VersionView view = reader.view(version.id());
        damages +=
            BlockScan.run(view, view.datasets(), crew, new Counting(bytes), false, done -> {})
                .size();
      }
      return bytes + " bytes, " + damages + " damages, " + reader.liveBytes() + " live";
    }
  }

  /** Counts bytes; those of zeros in one step, as there may be petabytes. */
  private record Counting(AtomicLong bytes) implements VersionSource.Sink {
    @Override
    public void block(DatasetEntry dataset, int block, MemorySegment content) {
      bytes.addAndGet(content.byteSize());
    }

    @Override
    public void zeros(DatasetEntry dataset, int first, int count) {
      bytes.addAndGet((count - 1L) * dataset.spec().blockSize());
      bytes.addAndGet(dataset.blockLength(first + count - 1));
    }
  }

  private String restart(Store store, boolean goOn) {
    try (Checkpointer cairn = Checkpointer.open(store, Options.defaults().blockSize(128))) {
      cairn.protect("a", byte[].class, () -> a, n -> a = new byte[Math.toIntExact(n)]);
      cairn.protectOpaque("o", () -> opaque, bytes -> opaque = bytes);
      RestartReport report = cairn.restart();
      int length = a.length;
      if (goOn) {
        report.ignored().forEach(cairn::unprotect);
        proceed(cairn);
      }
      return report.version() + " " + report.restored() + " " + length + " bytes";
    }
  }

  /** Checkpoints change half of what was restored, several times; nothing may get lost. */
  private void proceed(Checkpointer cairn) {
    for (int i = 1; i <= 5; i++) {
      a = a.length < 256 ? new byte[256] : a;
      a[3] = (byte) i;
      byte[] expected = a.clone();
      cairn.checkpoint();
      a = new byte[0];
      cairn.restart();
      if (!java.util.Arrays.equals(a, expected)) {
        throw new AssertionError("after checkpoint " + i + " the restart gave something else");
      }
    }
  }
}
