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

  /** Where the lock lies. */
  public String location() {
    return location;
  }

  /** Who holds the lock, in words. */
  public String holder() {
    return holder;
  }
}
