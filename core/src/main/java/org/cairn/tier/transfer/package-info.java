// SPDX-License-Identifier: Apache-2.0
/**
 * Brings a version from the container of one rank to that of another; only differences travel.
 *
 * <p>{@link org.cairn.tier.transfer.VersionSender} has it, {@link
 * org.cairn.tier.transfer.VersionReceiver} wants it, {@link org.cairn.tier.transfer.Wire} says what
 * they exchange, {@link org.cairn.tier.transfer.Target} where it goes. What is to be sent is a
 * {@link org.cairn.tier.transfer.Selection}, of which {@link org.cairn.tier.transfer.BlockMessages}
 * become, which {@link org.cairn.tier.transfer.Outgoing} has read in time.
 */
package org.cairn.tier.transfer;
