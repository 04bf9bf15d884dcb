// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.time.Duration;
import java.util.Optional;
import org.cairn.CheckpointStats;

/**
 * What it has cost this rank, so far, that a program can be killed.
 *
 * @param loops how many were called, replayed ones and calls of {@link Mesh#here} too
 * @param analysis time in which the best place was looked for
 * @param checkpoints how many were taken in this life
 * @param waited time in which the program waited for them
 * @param restored time from the opening of the mesh until the program was where it had been; zero
 *     if it was not restarted, or is not there yet
 * @param last what the last checkpoint did, once it is durable
 */
public record MeshStats(
    long loops,
    Duration analysis,
    long checkpoints,
    Duration waited,
    Duration restored,
    Optional<CheckpointStats> last) {}
