// SPDX-License-Identifier: Apache-2.0
/**
 * Files of the shared tier: what all ranks write to one directory that outlives their machines.
 *
 * <p>Files are written once and never changed, leases and claims apart. {@link
 * org.cairn.tier.shared.SegmentFormat} is the grammar, {@link org.cairn.tier.shared.SharedNames}
 * makes the names. A group of ranks writes a segment with {@link
 * org.cairn.tier.shared.SegmentWriter} and reads it with {@link
 * org.cairn.tier.shared.SegmentReader}; a {@link org.cairn.tier.shared.Manifest} makes the segments
 * of all groups one version; {@link org.cairn.tier.shared.SharedDirectory} finds versions of all
 * jobs, {@link org.cairn.tier.shared.SharedCheck} verifies one, and {@link
 * org.cairn.tier.shared.Collector} deletes what none needs. {@link
 * org.cairn.tier.shared.SharedTier} is what a running job uses, under a {@link
 * org.cairn.tier.shared.Lease}.
 *
 * <p>The page {@code docs/format/segment.md} has an example.
 */
@NullMarked
package org.cairn.tier.shared;

import org.jspecify.annotations.NullMarked;
