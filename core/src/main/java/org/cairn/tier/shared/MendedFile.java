// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.NonWritableChannelException;
import org.cairn.store.StoreFile;

/**
 * A file as it would be with another beginning and something behind its end. Nothing of it is
 * written anywhere.
 *
 * @param beginning stands in the place of as many bytes
 * @param ending follows the last byte of the file
 */
record MendedFile(StoreFile file, long end, MemorySegment beginning, MemorySegment ending)
    implements StoreFile {
  @Override
  public String name() {
    return file.name();
  }

  @Override
  public boolean isNamed() throws IOException {
    return file.isNamed();
  }

  @Override
  public long size() {
    return end + ending.byteSize();
  }

  @Override
  public long read(long position, MemorySegment target) throws IOException {
    long wanted = Math.min(target.byteSize(), Math.max(0, size() - position));
    long inFile = Math.clamp(end - position, 0, wanted);
    long found = file.read(position, target.asSlice(0, inFile));
    if (found < inFile) {
      return found;
    }
    copy(beginning, 0, position, target);
    copy(ending, end, position, target);
    return wanted;
  }

  /** Copies those bytes that are wanted of some that lie at a place. */
  private static void copy(MemorySegment bytes, long at, long position, MemorySegment target) {
    long from = Math.max(at, position);
    long to = Math.min(at + bytes.byteSize(), position + target.byteSize());
    if (from < to) {
      MemorySegment.copy(bytes, from - at, target, from - position, to - from);
    }
  }

  @Override
  public void write(long position, MemorySegment source) {
    throw new NonWritableChannelException();
  }

  @Override
  public void truncate(long size) {
    throw new NonWritableChannelException();
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
