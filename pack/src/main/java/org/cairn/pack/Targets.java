// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;

/** Files that are being unpacked, below a folder. */
final class Targets implements AutoCloseable {
  private final Path folder;

  /** One in each folder that files come to: another may be on another disk. */
  private final Map<Path, Aside> asides = new LinkedHashMap<>();

  private final OpenFiles open = new OpenFiles(StandardOpenOption.CREATE, StandardOpenOption.WRITE);

  /** Folders that were not there before, the innermost first. */
  private final Deque<Path> madeFolders = new ArrayDeque<>();

  private int count;

  Targets(Path folder) {
    this.folder = folder.toAbsolutePath().normalize();
  }

  /**
   * Begins a file.
   *
   * @throws IOException if there is one already, or nothing can be written there
   */
  Target begin(Pack.Member member) throws IOException {
    Path place = member.file().name().below(folder);
    Path parent = Objects.requireNonNull(place.getParent(), "a folder");
    Aside aside = asides.get(parent);
    if (aside == null) {
      requireNoLinks(parent);
      makeFolders(parent);
      aside = Aside.in(parent);
      asides.put(parent, aside);
    }
    if (Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
      throw Aside.exists(place);
    }
    Target target = new Target(member, place, aside, aside.folder().resolve("file" + count++));
    if (member.storedBytes() < member.file().size()) {
      target.reserve();
    }
    return target;
  }

  private void makeFolders(Path parent) throws IOException {
    Path above = parent.getParent();
    if (above != null && !Files.isDirectory(parent)) {
      makeFolders(above);
      Files.createDirectories(parent);
      madeFolders.addFirst(parent);
    }
  }

  /** Those that nothing came to were made for nothing. */
  private void deleteEmptyFolders() throws IOException {
    for (Path made : madeFolders) {
      deleteIfEmpty(made);
    }
  }

  private static void deleteIfEmpty(Path folder) throws IOException {
    try {
      Files.deleteIfExists(folder);
    } catch (DirectoryNotEmptyException e) {
      return; // as it should be
    }
  }

  /** A link to elsewhere, which was there before, would lead out of the folder. */
  private void requireNoLinks(Path parent) throws IOException {
    for (Path at = parent; at != null && !at.equals(folder); at = at.getParent()) {
      if (Files.isSymbolicLink(at)) {
        throw new FileSystemException(
            at.toString(), null, "it is a link; nothing is unpacked through links");
      }
    }
  }

  /** Makes the names durable that were given. */
  void force() throws IOException {
    for (Aside aside : asides.values()) {
      aside.force();
    }
  }

  @Override
  public void close() throws IOException {
    try {
      open.close();
    } finally {
      for (Aside aside : asides.values()) {
        aside.close();
      }
      deleteEmptyFolders();
    }
  }

  /** A file on its way. */
  final class Target implements VersionSource.Sink {
    private final Pack.Member member;
    private final Path place;
    private final Aside aside;
    private final Path made;

    private Target(Pack.Member member, Path place, Aside aside, Path made) {
      this.member = member;
      this.place = place;
      this.aside = aside;
      this.made = made;
    }

    PackName name() {
      return member.file().name();
    }

    @Override
    public void block(DatasetEntry dataset, int block, MemorySegment bytes) throws IOException {
      open.use(
          made,
          channel -> {
            long[] done = new long[1];
            member.forEachPlace(
                dataset,
                block,
                (offset, length) -> {
                  write(channel, offset, bytes.asSlice(done[0], length).asByteBuffer());
                  done[0] += length;
                });
          });
    }

    private void write(FileChannel channel, long offset, ByteBuffer bytes) throws IOException {
      try {
        while (bytes.hasRemaining()) {
          channel.write(bytes, offset + bytes.position());
        }
      } catch (IOException e) {
        throw OpenFiles.unwritable(place, offset + bytes.position(), e);
      }
    }

    /** The file has zeros wherever nothing is written. */
    @Override
    public void zeros(DatasetEntry dataset, int first, int count) {}

    void publish() throws IOException {
      open.use(
          made,
          channel -> {
            extend(channel);
            setMode();
            FileTimes.set(made, member.file().modified());
            channel.force(true);
          });
      open.close(made);
      aside.publish(made, place);
    }

    /** Holes take no space; but a file of a few bytes may claim to have some of exabytes. */
    private void reserve() throws IOException {
      try {
        open.use(made, this::extend);
        open.close(made);
      } catch (IOException e) {
        FileSystemException refused =
            new FileSystemException(
                place.toString(),
                null,
                "no file of %d bytes, with its holes, can be made there: %s; others can be unpacked alone"
                    .formatted(member.file().size(), e.getMessage()));
        refused.initCause(e);
        throw refused;
      }
    }

    /** The last bytes may be zeros, which nobody wrote. */
    private void extend(FileChannel channel) throws IOException {
      long size = member.file().size();
      if (channel.size() == size) {
        return;
      }
      if (made.toFile().exists()) {
        try (RandomAccessFile file = new RandomAccessFile(made.toFile(), "rw")) {
          file.setLength(size);
        }
      } else { // in a folder whose name is no text
        write(channel, size - 1, ByteBuffer.allocate(1));
      }
    }

    private void setMode() throws IOException {
      try {
        Files.setAttribute(made, "unix:mode", member.file().mode());
      } catch (UnsupportedOperationException | IllegalArgumentException e) {
        return; // a system without such modes
      }
    }

    @Override
    public String toString() {
      return place.toString();
    }
  }
}
