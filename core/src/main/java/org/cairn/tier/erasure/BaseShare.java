// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.cairn.container.BlockReader;
import org.cairn.container.VersionView;
import org.cairn.version.DatasetEntry;

/**
 * The version of a parity container that an update continues, block by block and verified. What it
 * does not have is zero. For one thread.
 */
final class BaseShare implements AutoCloseable {
  private final VersionView view;
  private final BlockReader reader;

  BaseShare(VersionView view) {
    this.view = view;
    this.reader = new BlockReader(view);
  }

  /** How many blocks a dataset has in it. */
  int blocks(String name) {
    return view.find(name).map(DatasetEntry::blocks).orElse(0);
  }

  /**
   * Puts a block into {@code target}, which is as long.
   *
   * @throws DamagedBaseException if it is not as it was written
   */
  void load(String name, int block, MemorySegment target) throws IOException {
    Optional<DatasetEntry> dataset = view.find(name);
    if (dataset.isEmpty() || block >= dataset.get().blocks()) {
      target.fill((byte) 0);
      return;
    }
    try {
      target.copyFrom(reader.read(dataset.get(), block));
    } catch (IOException e) {
      throw new DamagedBaseException(true, view.info().id(), e);
    }
  }

  /** The head of a member's map. */
  MemberHead head(int rank) throws IOException {
    try {
      return ParityFile.readHead(view, rank);
    } catch (IOException e) {
      throw new DamagedBaseException(true, view.info().id(), e);
    }
  }

  /** What it has, or what is made from it, is not what it should be. */
  DamagedBaseException damaged(String what) {
    return new DamagedBaseException(true, view.info().id(), new IOException(what));
  }

  @Override
  public void close() {
    reader.close();
  }
}
