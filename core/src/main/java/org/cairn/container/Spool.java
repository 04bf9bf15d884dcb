// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import org.cairn.CorruptContainerException;
import org.cairn.record.Digest;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.version.BlockMap;
import org.cairn.version.Catalog;
import org.cairn.version.DatasetEntry;
import org.cairn.version.RootDigest;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;

/**
 * A version that came from elsewhere only to be read, and is no container: the bytes of its blocks
 * lie one behind the other in the order in which they came, in memory or in a file without a name;
 * where each lies, and its digest, is known to this object alone. Whatever becomes of the process,
 * nothing is left that could be taken for a state.
 *
 * <p>Every block is verified when it is read, as those of a container are. One thread at a time
 * fills it; once it is published any may read.
 */
public final class Spool implements Incoming, Closeable {
  private static final String IN_MEMORY = "spool";

  private final StoreFile file;
  private final BlockMap map = new BlockMap(Runtime.getRuntime().maxMemory() / 5 * 2);
  private final VersionView view;
  private long end;
  private boolean published;

  private Spool(
      StoreFile file, String location, VersionInfo info, Collection<DatasetEntry> datasets) {
    this.file = file;
    LinkedHashMap<String, DatasetEntry> byName = new LinkedHashMap<>();
    datasets.forEach(dataset -> byName.put(dataset.name(), dataset));
    this.view = new VersionView(new ContainerFile(file, location), info, new Catalog(byName), map);
  }

  /** A version that is kept in memory. */
  public static Spool inMemory(VersionInfo info, Collection<DatasetEntry> datasets)
      throws IOException {
    MemoryStore store = new MemoryStore();
    return new Spool(
        store.open(IN_MEMORY, Store.Access.CREATE), store.location(IN_MEMORY), info, datasets);
  }

  /**
   * A version whose bytes go to a file of a store.
   *
   * @param name what the file is called for a moment: it is deleted before it has a byte
   */
  public static Spool inFile(
      Store store, String name, VersionInfo info, Collection<DatasetEntry> datasets)
      throws IOException {
    // A crash may have left one, without a byte.
    store.delete(name);
    StoreFile file = store.open(name, Store.Access.CREATE_NEW);
    try {
      store.delete(name);
      return new Spool(file, store.location(name), info, datasets);
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  @Override
  public void store(StagedBlocks staged) throws IOException {
    if (staged.used() > 0) {
      file.write(end, staged.memory().asSlice(0, staged.used()));
    }
    for (int i = 0; i < staged.blocks(); i++) {
      if (staged.isZero(i)) {
        map.zeros(staged.slot(i), 1, staged.length(i));
      } else {
        map.block(
            staged.slot(i),
            staged.length(i),
            staged.stored(i),
            end + staged.position(i),
            staged.low(i),
            staged.high(i));
      }
    }
    end += staged.used();
  }

  @Override
  public void publish() throws IOException {
    VersionInfo info = view.info();
    for (DatasetEntry dataset : view.datasets()) {
      int block = map.firstUnfit(dataset);
      if (block >= 0) {
        throw wrong("block %d of \"%s\" did not come".formatted(block, dataset.name()));
      }
    }
    Digest told = new Digest(info.digestLow(), info.digestHigh());
    if (!RootDigest.holds(digest -> digest.add(view), told)) {
      throw wrong("root digest %s, expected %s".formatted(RootDigest.of(view), told));
    }
    published = true;
  }

  private CorruptContainerException wrong(String what) {
    return new CorruptContainerException(
        view.file().location(), -1, "version %s: %s".formatted(view.info().id(), what));
  }

  /** The version, once it is published. */
  public VersionSource source() {
    if (!published) {
      throw new IllegalStateException("version " + view.info().id() + " is not whole yet");
    }
    return view;
  }

  @Override
  public void abort() {
    if (!published) {
      try {
        close();
      } catch (IOException e) {
        // It has no name, and goes with the process.
      }
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
