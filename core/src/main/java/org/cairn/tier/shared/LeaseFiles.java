// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;

/** Small files that are written over in place: leases and claims. */
final class LeaseFiles {
  private static final int MAX_BYTES = 64 << 10;

  private LeaseFiles() {}

  /** Makes a file that must not exist. Forced, so that other machines see it. */
  static void create(Store store, String name, byte[] bytes) throws IOException {
    write(store, name, Store.Access.CREATE_NEW, bytes);
  }

  /** Makes a file, or writes over it. */
  static void put(Store store, String name, byte[] bytes) throws IOException {
    write(store, name, Store.Access.CREATE, bytes);
  }

  /** Writes over a file that must exist: never makes one anew that somebody deleted. */
  static void overwrite(Store store, String name, byte[] bytes) throws IOException {
    write(store, name, Store.Access.WRITE, bytes);
  }

  private static void write(Store store, String name, Store.Access access, byte[] bytes)
      throws IOException {
    try (StoreFile file = store.open(name, access)) {
      file.write(0, MemorySegment.ofArray(bytes));
      file.truncate(bytes.length);
      file.force();
    }
  }

  /** What is in a file, not more than can be ours. */
  static byte[] read(Store store, String name) throws IOException {
    try (StoreFile file = store.open(name, Store.Access.READ)) {
      byte[] bytes = new byte[(int) Math.min(MAX_BYTES, file.size())];
      int count = (int) file.read(0, MemorySegment.ofArray(bytes));
      return Arrays.copyOf(bytes, count);
    }
  }
}
