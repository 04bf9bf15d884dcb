// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.io.IOException;

/**
 * Knows where files of one format have their data. Stateless, for any number of threads.
 *
 * <p>A locator reads metadata only, calls {@link Hints#step} for each object that it looks at, and
 * holds no more memory than the hints do. What it cannot understand it leaves out alone, with a
 * {@link Hints#note note}; the rest of the file it goes on with. It neither loops nor recurses
 * without bounds, whatever a file says.
 */
public interface Locator {
  /** The name of the format, for people. */
  String format();

  /** Whether a file has this format, as its first bytes say. */
  boolean recognises(ByteSource file) throws IOException;

  /**
   * Looks for variables.
   *
   * @throws IOException if the file cannot be read; bytes that make no sense are noted instead
   */
  void locate(ByteSource file, Hints hints) throws IOException;
}
