// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;

/**
 * A lock is held by someone else, or by another part of this process. The message names the holder
 * and what to do about it.
 */
public class StoreLockedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String location;
  private final String holder;

  /**
   * Reports a lock that could not be taken.
   *
   * @param location where the lock lies, as {@link Store#location} tells it
   * @param holder who holds it, in words: process, host and time
   * @param remedy what the reader of the message can do about it, as a sentence
   */
  public StoreLockedException(String location, String holder, String remedy) {
    super(location + " is locked by " + holder + ". " + remedy);
    this.location = location;
    this.holder = holder;
  }

  static StoreLockedException heldHere(String location, LockHolder holder) {
    return new StoreLockedException(
        location,
        "this process (" + holder.describe() + ")",
        "Close what was opened there first, or share it instead of opening it twice.");
  }

  static StoreLockedException heldElsewhere(String location, LockHolder holder) {
    return new StoreLockedException(
        location,
        holder.describe(),
        "Wait until it has ended, stop it, or use another directory;"
            + " the lock goes with the process, there is no need to delete the file.");
  }

  static StoreLockedException heldByUnknown(String location, String hint) {
    return new StoreLockedException(
        location,
        "another process" + hint,
        "Find out which process has the file open, then wait for it, stop it,"
            + " or use another directory.");
  }

  /** Where the lock lies. */
  public String location() {
    return location;
  }

  /** Who holds the lock, in words. */
  public String holder() {
    return holder;
  }
}
