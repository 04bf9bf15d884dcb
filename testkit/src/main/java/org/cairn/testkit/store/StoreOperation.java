// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

/**
 * Something a store was asked to do.
 *
 * @param kind what
 * @param name the file, the source of a rename, or empty for the directory
 * @param target the target of a rename, otherwise empty
 * @param position where a read or write starts, or the new size of a truncated file
 * @param length how many bytes a read or write asks for
 */
public record StoreOperation(Kind kind, String name, String target, long position, long length) {

  /** What a store can be asked to do. */
  public enum Kind {
    CREATE,
    READ,
    WRITE,
    TRUNCATE,
    FORCE,
    RENAME,
    DELETE,
    FORCE_DIRECTORY
  }

  static StoreOperation on(Kind kind, String name) {
    return new StoreOperation(kind, name, "", 0, 0);
  }

  static StoreOperation read(String name, long position, long length) {
    return new StoreOperation(Kind.READ, name, "", position, length);
  }

  static StoreOperation write(String name, long position, long length) {
    return new StoreOperation(Kind.WRITE, name, "", position, length);
  }

  static StoreOperation truncate(String name, long size) {
    return new StoreOperation(Kind.TRUNCATE, name, "", size, 0);
  }

  static StoreOperation rename(String from, String to) {
    return new StoreOperation(Kind.RENAME, from, to, 0, 0);
  }

  static StoreOperation forceDirectory() {
    return on(Kind.FORCE_DIRECTORY, "");
  }

  /** Whether it makes earlier operations durable. */
  public boolean isForce() {
    return kind == Kind.FORCE || kind == Kind.FORCE_DIRECTORY;
  }

  /** The first position behind a read or write. */
  public long end() {
    return position + length;
  }

  @Override
  public String toString() {
    return switch (kind) {
      case READ, WRITE -> kind + " " + name + " [" + position + ", " + end() + ")";
      case TRUNCATE -> kind + " " + name + " to " + position;
      case RENAME -> kind + " " + name + " to " + target;
      case CREATE, FORCE, DELETE -> kind + " " + name;
      case FORCE_DIRECTORY -> kind.toString();
    };
  }
}
