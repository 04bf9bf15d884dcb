// SPDX-License-Identifier: Apache-2.0
/**
 * Copies of versions where failures do not reach them all.
 *
 * <p>A {@link org.cairn.tier.Tier} protects the version of every rank; its {@link
 * org.cairn.tier.TierType} finds and rebuilds what was lost. A {@link org.cairn.tier.TierWorker}
 * feeds a tier in the background, {@link org.cairn.tier.Stability} knows which version is safe
 * where, and {@link org.cairn.tier.Agreement} makes a failure of one rank one of all. The kinds
 * themselves are in packages of their own.
 */
package org.cairn.tier;
