// SPDX-License-Identifier: Apache-2.0
/**
 * Messages between the ranks of a parallel program.
 *
 * <p>{@link org.cairn.comm.Communicator} is the contract; transports implement it.
 */
package org.cairn.comm;
