// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import org.cairn.version.Catalog;
import org.cairn.version.SlotOwners;
import org.cairn.version.VersionInfo;

/**
 * A version all of which is durable but the superblock that leads to it.
 *
 * @param rootPlace where its root lies
 * @param catalog its datasets, in the order in which the file has them
 * @param owners whose its slots are
 */
record Prepared(
    Pending pending,
    VersionInfo info,
    Root root,
    Pointer rootPlace,
    Catalog catalog,
    SlotOwners owners) {}
