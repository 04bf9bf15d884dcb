// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.cairn.TierKind;

/**
 * What becomes of a checkpoint.
 *
 * @param local how it ended on all ranks
 * @param tiers for each tier when it got there
 */
public record Outcome<T>(
    CompletableFuture<T> local, Map<TierKind, CompletableFuture<Void>> tiers) {}
