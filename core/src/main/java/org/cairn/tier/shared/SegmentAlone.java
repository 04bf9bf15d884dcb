// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreLock;

/**
 * A store of one segment, which somebody has given a name of his own: here it has the one that it
 * was written with. Can only be read.
 */
public final class SegmentAlone implements Store {
  private final Opener file;
  private final String location;
  private final String name;

  /** Opens the file, to be read. */
  public interface Opener {
    /** Opens it once more. */
    StoreFile open() throws IOException;
  }

  private SegmentAlone(Opener file, String location, String name) {
    this.file = file;
    this.location = location;
    this.name = name;
  }

  /**
   * Finds out what the segment was called.
   *
   * @param location where the file lies, for messages
   * @throws org.cairn.UnsupportedFormatException if the file is no segment, or of another format
   * @throws org.cairn.CorruptContainerException if its beginning is damaged
   */
  public static SegmentAlone of(Opener file, String location) throws IOException {
    try (StoreFile opened = file.open()) {
      Header header = Header.read(opened, location, SegmentFormat.SEGMENT_MAGIC, "pack");
      SharedNames.Segment identity =
          new SharedNames.Segment(header.version(), header.token(), header.group());
      return new SegmentAlone(file, location, identity.name());
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
    return new Renamed(file.open(), name);
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
  public long freeSpace() {
    throw readOnly();
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
    return wanted.equals(name) ? location : wanted;
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
