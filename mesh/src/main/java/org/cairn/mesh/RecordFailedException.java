// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.io.Serial;

/**
 * What a program wanted to have recorded could not be had: what it asked threw an exception. All
 * ranks are told, and a replay is told again; where it was thrown, that exception is the cause.
 */
public final class RecordFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  RecordFailedException(String why) {
    super("what was to be recorded could not be had: " + why);
  }

  RecordFailedException(RuntimeException why) {
    super("what was to be recorded could not be had: " + why, why);
  }
}
