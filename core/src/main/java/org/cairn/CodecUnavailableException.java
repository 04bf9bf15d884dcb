// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.Serial;
import org.cairn.codec.CodecException;

/**
 * A codec cannot run here, because its native library is missing or may not be called. The message
 * names the remedy.
 *
 * <p>Deliberately no {@link CodecException}: the stored data is fine, so nobody may take this for
 * damage and fall back to an older version.
 */
public class CodecUnavailableException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** Creates an exception whose message says why and what to do. */
  public CodecUnavailableException(String message) {
    super(message);
  }
}
