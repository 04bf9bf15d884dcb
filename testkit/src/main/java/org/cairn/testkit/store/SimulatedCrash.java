// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

/**
 * The power went off. An {@link Error}, because nobody handles a power failure: code that catches
 * {@link java.io.IOException}, or every {@link Exception}, to carry on must not get to see it.
 */
public final class SimulatedCrash extends Error {
  private static final long serialVersionUID = 1L;

  SimulatedCrash(String message) {
    super(message);
  }
}
