// SPDX-License-Identifier: Apache-2.0
/**
 * Files of the shared tier: what all ranks write to one directory that outlives their machines.
 *
 * <p>Files are written once and never changed, leases and claims apart. {@link
 * org.cairn.tier.segment.SegmentFormat} is the grammar, {@link org.cairn.tier.SharedNames} makes
 * the names. A group of ranks writes a segment with {@link org.cairn.tier.segment.SegmentWriter}
 * and reads it with {@link org.cairn.tier.segment.SegmentReader}; a {@link
 * org.cairn.tier.segment.Manifest} makes the segments of all groups one version; {@link
 * org.cairn.tier.segment.SharedDirectory} finds versions of all jobs, {@link
 * org.cairn.tier.segment.SharedCheck} verifies one, and {@link org.cairn.tier.segment.Collector}
 * deletes what none needs. {@link org.cairn.tier.segment.SharedTier} is what a running job uses,
 * under a {@link org.cairn.tier.segment.Lease}.
 *
 * <p>The page {@code docs/format/segment.md} has an example.
 */
@NullMarked
package org.cairn.tier.segment;

import org.jspecify.annotations.NullMarked;
