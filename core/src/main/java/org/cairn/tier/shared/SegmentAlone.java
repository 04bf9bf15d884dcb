// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreLock;

/**
 * A store of one segment, which somebody has given a name of his own: here it has the one that it
 * was written with. Can only be read.
 */
public final class SegmentAlone implements Store {
  private final Path file;
  private final String name;

  private SegmentAlone(Path file, String name) {
    this.file = file;
    this.name = name;
  }

  /**
   * Finds out what the segment was called.
   *
   * @throws org.cairn.UnsupportedFormatException if the file is no segment, or of another format
   * @throws org.cairn.CorruptContainerException if its beginning is damaged
   */
  public static SegmentAlone of(Path file) throws IOException {
    try (StoreFile opened = DirectoryStore.openAlone(file)) {
      Header header = Header.read(opened, file.toString(), SegmentFormat.SEGMENT_MAGIC, "pack");
      SharedNames.Segment identity =
          new SharedNames.Segment(header.version(), header.token(), header.group());
      return new SegmentAlone(file, identity.name());
    }
  }

  /** The name that the segment was written with. */
  public String name() {
    return name;
  }

  @Override
  public StoreFile open(String wanted, Access access) throws IOException {
    if (!exists(wanted)) {
      throw new NoSuchFileException(location(wanted));
    }
    if (access != Access.READ) {
      throw readOnly();
    }
    return new Renamed(DirectoryStore.openAlone(file), name);
  }

  @Override
  public boolean exists(String wanted) {
    return wanted.equals(name);
  }

  @Override
  public List<String> list() {
    return List.of(name);
  }

  @Override
  public void rename(String from, String to) {
    throw readOnly();
  }

  @Override
  public void delete(String wanted) {
    throw readOnly();
  }

  @Override
  public void forceDirectory() {}

  @Override
  public long freeSpace() throws IOException {
    return Files.getFileStore(file).getUsableSpace();
  }

  @Override
  public StoreLock lock(String wanted) {
    throw readOnly();
  }

  private static UnsupportedOperationException readOnly() {
    return new UnsupportedOperationException("a single segment can only be read");
  }

  @Override
  public String location(String wanted) {
    return wanted.equals(name) ? file.toString() : wanted;
  }

  private record Renamed(StoreFile file, String name) implements StoreFile {
    @Override
    public boolean isNamed() throws IOException {
      return file.isNamed();
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public long read(long position, MemorySegment target) throws IOException {
      return file.read(position, target);
    }

    @Override
    public void write(long position, MemorySegment source) throws IOException {
      file.write(position, source);
    }

    @Override
    public void truncate(long size) throws IOException {
      file.truncate(size);
    }

    @Override
    public void force() throws IOException {
      file.force();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
