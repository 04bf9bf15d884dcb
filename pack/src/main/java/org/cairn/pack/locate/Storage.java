// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.util.List;
import java.util.Optional;

/**
 * How a format stores a variable, for who wants to read it as an array.
 *
 * @param filters what its bytes went through, by the names that people know; empty if they are
 *     elements
 * @param fill what stands where nothing was written; empty if nothing is said of that
 */
public record Storage(List<String> filters, Optional<byte[]> fill) {
  /** Takes copies. */
  public Storage {
    filters = List.copyOf(filters);
    fill = fill.map(byte[]::clone);
  }
}
