// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import java.util.Optional;

/**
 * What a tier cost.
 *
 * @param tier its label, such as {@code partner}
 * @param reached versions that came there on some rank
 * @param failed versions that failed on some rank
 * @param skipped versions left out because the tier was busy
 * @param seconds the time of the slowest rank for each version that came there
 * @param bytes what each rank sent or wrote for each version
 */
public record TierUse(
    String tier,
    int reached,
    int failed,
    int skipped,
    Optional<Spread> seconds,
    Optional<Spread> bytes) {}
