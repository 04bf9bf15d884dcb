// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.util.List;
import org.cairn.container.VersionId;

/**
 * Something that a rank found and that may help to produce versions of a rank.
 *
 * @param kind the tier it belongs to
 * @param owner the rank whose state it holds; for parity, the rank that computed it
 * @param directory the directory it lies in: the rank that directory was made for
 * @param file its name there; empty if the tier needs none
 * @param versions what it holds, newest first
 * @param epoch the newest epoch it knows of
 * @param problem what is wrong with it; empty if nothing is
 */
public record Fragment(
    TierKind kind,
    int owner,
    int directory,
    String file,
    List<VersionId> versions,
    long epoch,
    String problem) {}
