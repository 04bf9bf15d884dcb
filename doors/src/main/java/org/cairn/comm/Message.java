// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

/**
 * What is known of a message that arrived, or is about to.
 *
 * @param source the rank that sent it
 * @param tag the tag it was sent with
 * @param bytes its length
 */
public record Message(int source, int tag, long bytes) {}
