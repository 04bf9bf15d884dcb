// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreLock;
import org.cairn.version.VersionId;

/**
 * A store of one segment, which somebody has given a name of his own: here it has the one that it
 * was written with. Or one that was mended, and what lies beside it. Can only be read.
 */
public final class SegmentAlone implements Store {
  private final Opener file;
  private final String location;
  private final String name;
  private final Optional<Store> beside;

  /** Opens the file, to be read. */
  public interface Opener {
    /** Opens it once more. */
    StoreFile open() throws IOException;
  }

  private SegmentAlone(Opener file, String location, String name, Optional<Store> beside) {
    this.file = file;
    this.location = location;
    this.name = name;
    this.beside = beside;
  }

  /**
   * Finds out what the segment was called.
   *
   * @param location where the file lies, for messages
   * @throws org.cairn.UnsupportedFormatException if the file is no segment, or of another format
   * @throws CorruptContainerException if its beginning is damaged
   */
  public static SegmentAlone of(Opener file, String location) throws IOException {
    try (StoreFile opened = file.open()) {
      Header header = Header.read(opened, location, SegmentFormat.SEGMENT_MAGIC, "pack");
      SharedNames.Segment identity =
          new SharedNames.Segment(header.version(), header.token(), header.group());
      return new SegmentAlone(file, location, identity.name(), Optional.empty());
    }
  }

  /**
   * Finds what is left of a segment that is damaged where it says what is in it: members that are
   * whole can be read, as if there were no others.
   *
   * @param why what is known to be wrong with it
   * @throws IOException that very reason, or that the file is cut off, if nothing is left or the
   *     file is none
   */
  public static SegmentAlone rescue(Opener file, String location, IOException why)
      throws IOException {
    try (StoreFile opened = file.open()) {
      boolean isOurs =
          why instanceof UnsupportedFormatException other
              ? !other.isOurs() && SegmentRescue.isSegmentByItsEnd(opened, location)
              : why instanceof CorruptContainerException;
      if (isOurs) {
        SegmentRescue.Rescued left =
            SegmentRescue.rescue(opened, location, _ -> Optional.empty()).orElse(null);
        if (left == null) {
          throw SegmentRescue.hopeless(opened, location, why);
        }
        return new SegmentAlone(
            () -> left.mend(file.open()), location, left.name(), Optional.empty());
      }
    }
    throw why;
  }

  /**
   * The same for the segment of a version in a directory, whose members may have blocks in others:
   * these have to be whole.
   */
  public static SegmentAlone rescue(Store directory, VersionId version, IOException why)
      throws IOException {
    for (String name : directory.list()) {
      if (SharedNames.segment(name).filter(one -> isOf(version, one)).isPresent()) {
        Opener file = () -> directory.open(name, Access.READ);
        String location = directory.location(name);
        try (StoreFile opened = file.open()) {
          Optional<SegmentRescue.Rescued> left =
              SegmentRescue.rescue(opened, location, other -> find(directory, other));
          if (left.isPresent() && left.get().name().equals(name)) {
            return new SegmentAlone(
                () -> left.get().mend(file.open()), location, name, Optional.of(directory));
          }
        }
      }
    }
    throw why;
  }

  private static boolean isOf(VersionId version, SharedNames.Segment segment) {
    return segment.version().equals(version) && !segment.ofIndices();
  }

  private static Optional<Reference> find(Store directory, String name) {
    try (SegmentReader other = SegmentReader.open(directory, name)) {
      return other.references().stream().filter(one -> one.segment().equals(name)).findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The name that the segment was written with. */
  public String name() {
    return name;
  }

  /** How many bytes the file has, without what was mended. */
  public long storedSize() throws IOException {
    try (StoreFile opened = file.open()) {
      return opened instanceof MendedFile mended ? mended.end() : opened.size();
    }
  }

  @Override
  public StoreFile open(String wanted, Access access) throws IOException {
    if (access != Access.READ) {
      throw readOnly();
    }
    if (wanted.equals(name)) {
      return new Renamed(file.open(), name);
    }
    if (beside.isEmpty()) {
      throw new NoSuchFileException(location(wanted));
    }
    return beside.get().open(wanted, access);
  }

  @Override
  public boolean exists(String wanted) throws IOException {
    return wanted.equals(name) || beside.isPresent() && beside.get().exists(wanted);
  }

  @Override
  public List<String> list() throws IOException {
    return beside.isPresent() ? beside.get().list() : List.of(name);
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
    if (wanted.equals(name)) {
      return location;
    }
    return beside.map(store -> store.location(wanted)).orElse(wanted);
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
