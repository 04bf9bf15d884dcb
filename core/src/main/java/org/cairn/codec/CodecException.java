// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import java.io.Serial;

/**
 * Stored bytes do not expand to the block they claim to be: they are damaged, were cut short, or
 * were written by another codec.
 *
 * <p>Whoever reads the block knows its name and place in the file and adds them.
 */
public class CodecException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** Creates an exception that says what is wrong with the stored bytes. */
  public CodecException(String message) {
    super(message);
  }
}
