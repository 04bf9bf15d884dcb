// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import org.cairn.Label;
import org.cairn.version.VersionId;

/**
 * What a checkpoint is called and where it goes; the same on all ranks.
 *
 * @param tiers the tiers it goes to beside the container, as bits
 * @param label what the first rank says of it
 */
public record Ticket(VersionId version, int tiers, Label label) {}
