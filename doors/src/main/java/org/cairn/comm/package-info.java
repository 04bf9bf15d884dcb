// SPDX-License-Identifier: Apache-2.0
/**
 * Messages between the ranks of a parallel program.
 *
 * <p>{@link org.cairn.comm.Communicator} is the contract; transports implement its few methods
 * without a body. {@link org.cairn.comm.SoloCommunicator} is for a program of one rank, {@link
 * org.cairn.comm.Ranks} runs ranks as threads of this JVM. {@link org.cairn.comm.CartesianGrid}
 * finds neighbours. Collectives are made of messages, once for all transports. This package depends
 * on the JDK alone.
 */
@NullMarked
package org.cairn.comm;

import org.jspecify.annotations.NullMarked;
