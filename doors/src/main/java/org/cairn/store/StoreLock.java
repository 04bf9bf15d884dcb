// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import java.io.IOException;

/** An exclusive lock held by this process; see {@link Store#lock}. */
public interface StoreLock extends AutoCloseable {

  /** The name under which the lock was taken. */
  String name();

  /** Whether the lock is still held. */
  boolean isHeld();

  /**
   * Whether the name still leads to the file that is locked; if not, another process may hold a
   * lock of the same name.
   */
  boolean isNamed() throws IOException;

  /** Releases the lock. Closing twice is fine. */
  @Override
  void close() throws IOException;
}
