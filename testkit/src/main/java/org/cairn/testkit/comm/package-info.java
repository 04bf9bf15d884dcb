// SPDX-License-Identifier: Apache-2.0
/**
 * What every communicator has to pass, in {@link org.cairn.testkit.comm.BaseCommunicatorTest} or,
 * scenario by scenario, in processes of its own; and {@link
 * org.cairn.testkit.comm.LossyCommunicator}, which loses ranks, delays messages and counts them.
 */
@NullMarked
package org.cairn.testkit.comm;

import org.jspecify.annotations.NullMarked;
