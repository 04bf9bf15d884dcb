// SPDX-License-Identifier: Apache-2.0
/**
 * Files: the one door through which Cairn reads and writes.
 *
 * <p>{@link org.cairn.store.Store} is the contract; {@link org.cairn.store.DirectoryStore} keeps it
 * on a file system, {@link org.cairn.store.MemoryStore} in memory. Stores that lose, tear and
 * refuse are in the testkit. This package depends on the JDK alone.
 */
@NullMarked
package org.cairn.store;

import org.jspecify.annotations.NullMarked;
