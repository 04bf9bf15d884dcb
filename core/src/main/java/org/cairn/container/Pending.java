// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.cairn.record.Field;
import org.cairn.record.RecordWriter;
import org.cairn.version.Catalog;
import org.cairn.version.SlotRuns;
import org.cairn.version.VersionId;

/**
 * What a commit wants to become durable: all of its blocks are in the file, none of its records.
 *
 * @param original what its root digest must be, if it is a copy of another container's version
 * @param delta the map record that leads to it
 * @param bytesWritten for its blocks
 * @param deltaBytes about how much of that because it had changed
 */
record Pending(
    VersionId id,
    int tiers,
    Instant takenAt,
    Catalog catalog,
    SlotRuns released,
    Optional<Commit.Expected> original,
    List<Field> unknown,
    RecordWriter delta,
    long blocks,
    long dirtyBlocks,
    long bytesWritten,
    long deltaBytes) {}
