// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.util.Optional;

/**
 * A transport that connects the processes which a launcher started. Found with {@link
 * java.util.ServiceLoader}: name yours in {@code
 * META-INF/services/org.cairn.comm.CommunicatorProvider}.
 */
public interface CommunicatorProvider {

  /** A short name, for messages. */
  String name();

  /** Whether this transport is the one for processes that were started this way. */
  boolean serves(Launch launch);

  /**
   * Why the transport cannot be used here, and what to do; empty if it can. Absence is a value:
   * this never throws.
   */
  Optional<String> problem();

  /**
   * All ranks that were started together. Collective when it is called first; later calls give the
   * same ranks.
   *
   * @throws CommunicationException if they cannot be reached
   */
  Communicator world();
}
