// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.cairn.record.RecordWriter;
import org.cairn.store.FullDisk;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.version.Ownership;

/** Makes containers: under another name first, so that what bears the name of one always is one. */
final class NewContainer {
  private NewContainer() {}

  /** Opens the file of a container for writing, and makes it if there is none. */
  static StoreFile openOrCreate(Store store, String name, Ownership owner, LongSupplier random)
      throws IOException {
    String unfinished = name + ".new";
    store.delete(unfinished);
    try {
      return store.open(name, Store.Access.WRITE);
    } catch (NoSuchFileException e) {
      create(store, name, unfinished, owner, random);
      return store.open(name, Store.Access.WRITE);
    }
  }

  private static void create(
      Store store, String name, String unfinished, Ownership owner, LongSupplier random)
      throws IOException {
    prepare(store, name, unfinished, owner, random);
    store.rename(unfinished, name);
    try {
      store.forceDirectory();
    } catch (IOException e) {
      // No later force makes up for one that failed; only a new name does.
      store.delete(name);
      throw e;
    }
  }

  /** A file that nobody has heard of, and that is gone by then, helps nobody to find the disk. */
  private static IOException notMade(
      Store store, String name, String unfinished, IOException failure) {
    IOException named =
        new IOException(
            store.location(name) + " could not be made: " + failure.getMessage(), failure);
    try {
      store.delete(unfinished);
    } catch (IOException e) {
      named.addSuppressed(e);
    }
    return FullDisk.isReason(failure) ? named : failure;
  }

  /**
   * Writes a container without versions, which gets its real name later, by a rename. If that
   * fails, nothing is left.
   */
  static void prepare(
      Store store, String name, String unfinished, Ownership owner, LongSupplier random)
      throws IOException {
    try {
      prepare(store, unfinished, owner, random);
    } catch (IOException e) {
      throw notMade(store, name, unfinished, e);
    }
  }

  private static void prepare(Store store, String unfinished, Ownership owner, LongSupplier random)
      throws IOException {
    UUID id = new UUID(random.getAsLong(), random.getAsLong());
    try (StoreFile file = store.open(unfinished, Store.Access.CREATE);
        RecordWriter record = RecordWriter.onHeap()) {
      Root.empty(owner).write(record);
      ContainerWriter.refuseBeyond(
          ContainerFormat.MAX_ROOT, record, "the list of versions", store.location(unfinished));
      file.write(ContainerFormat.FIRST_EXTENT, record.bytes());
      Pointer place = ContainerWriter.pointer(record, ContainerFormat.FIRST_EXTENT);
      for (int slot = 0; slot < 2; slot++) {
        new Superblock(slot, id, slot, 0, 0, place, place.end()).write(file);
      }
      file.force();
    }
  }
}
