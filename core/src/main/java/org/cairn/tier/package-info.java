// SPDX-License-Identifier: Apache-2.0
/**
 * Copies of versions where failures do not reach them all.
 *
 * <p>A {@link org.cairn.tier.Tier} protects the version of every rank, and rebuilds what was lost.
 * Only differences travel: {@link org.cairn.tier.VersionSender} and {@link
 * org.cairn.tier.VersionReceiver} bring a version from one container to another.
 */
package org.cairn.tier;
