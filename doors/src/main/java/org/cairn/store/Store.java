// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The one door to files: everything Cairn keeps lies in one flat directory behind this interface.
 *
 * <p>A store maps plain names to byte arrays that are read and written by position. What a store
 * promises, every implementation proves by inheriting {@code BaseStoreTest}:
 *
 * <ul>
 *   <li><b>Visibility.</b> A write that returned is seen by every later read through this store,
 *       whichever thread or open file it comes from.
 *   <li><b>Durability.</b> Bytes survive a crash once {@link StoreFile#force} returned after they
 *       were written; names survive once {@link #forceDirectory} returned after they were created,
 *       renamed or deleted. Neither implies the other: a new file needs both. Before that, a crash
 *       may keep any subset of what was done, in any order, and may tear a write.
 *   <li><b>A failed force decides nothing.</b> The bytes written before it may or may not be
 *       durable, and a later force that succeeds does not prove that they are.
 *   <li><b>Interrupts do no harm.</b> Operations ignore the interrupt status of the calling thread:
 *       they neither fail nor close a file because of it, and leave the status set.
 *   <li><b>Names cannot escape.</b> A name that is not a {@linkplain StoreNames plain file name} is
 *       refused with {@link IllegalArgumentException} by every method that takes one.
 * </ul>
 *
 * <p>Stores are safe for use by many threads. A store has no state of its own to close; open files
 * and locks have.
 */
public interface Store {

  /** What an open file may be used for. */
  enum Access {
    /** Reading; the file must exist. */
    READ,
    /** Reading and writing; the file must exist. */
    WRITE,
    /** Reading and writing; the file is created empty if it does not exist. */
    CREATE,
    /**
     * Reading and writing; the file must not exist and is created empty. Of several that try at the
     * same time, from whichever process or machine, one succeeds.
     */
    CREATE_NEW
  }

  /**
   * Opens a file. One file may be open many times; all see the same bytes.
   *
   * @throws java.nio.file.NoSuchFileException if the file does not exist and {@code access} does
   *     not create it
   * @throws java.nio.file.FileAlreadyExistsException if the file exists and {@code access} is to
   *     create a new one
   */
  StoreFile open(String name, Access access) throws IOException;

  /**
   * Opens a file to be read from the medium itself, past whatever the system keeps of it in memory:
   * what is forced is seen as the medium has it, rot included.
   *
   * @return empty if this store, or what lies below it, cannot do that
   * @throws java.nio.file.NoSuchFileException if the file does not exist
   */
  default Optional<StoreFile> openUncached(String name) throws IOException {
    return Optional.empty();
  }

  /** Whether a regular file of this name exists. */
  boolean exists(String name) throws IOException;

  /** The names of all regular files, sorted; the list is the caller's to keep. */
  List<String> list() throws IOException;

  /**
   * Renames a file, atomically: everybody sees the old target or the new one, whole. An existing
   * target is replaced. Files open under the old name stay open and keep their bytes. Renaming a
   * file to its own name does nothing.
   *
   * @throws java.nio.file.NoSuchFileException if there is no file {@code from}
   */
  void rename(String from, String to) throws IOException;

  /**
   * Deletes a file; an absent file is fine, so that a clean-up can be repeated. Files open under
   * this name stay readable and writable until they are closed.
   */
  void delete(String name) throws IOException;

  /** Makes all creations, renames and deletions that returned before durable. */
  void forceDirectory() throws IOException;

  /** Bytes that can still be written, as far as anyone can tell; {@code Long.MAX_VALUE} if many. */
  long freeSpace() throws IOException;

  /**
   * Takes the exclusive lock of this name, without waiting. The lock is held until it is closed or
   * the process ends, however it ends. It occupies a file of this name, which tells people who
   * holds it and which stays behind; a leftover file of a dead process is no obstacle. While the
   * lock is held, this process cannot open, rename or delete that file. Use the name for nothing
   * else: on POSIX systems a process loses its lock when it closes the file by any other way.
   *
   * @throws StoreLockedException if another process, or anyone in this process, holds the lock; the
   *     message names the holder and the remedy
   */
  StoreLock lock(String name) throws IOException;

  /** Where the file lies, for messages: an absolute path or {@code memory:name}. */
  String location(String name);

  /** Where all files lie, for messages: an absolute path, or what is before the name of a file. */
  default String location() {
    String name = "file";
    String below = location(name);
    String all = below.endsWith(name) ? below.substring(0, below.length() - name.length()) : below;
    return all.endsWith(File.separator) && all.length() > 1
        ? all.substring(0, all.length() - 1)
        : all;
  }
}
