// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.nio.file.Path;

/**
 * How targets are measured.
 *
 * @param directory an empty directory on the disk to be measured
 * @param bytes the size of the state
 * @param datasets how many datasets it has
 * @param blockSize bytes a block
 * @param threads threads of Cairn and of the baselines
 * @param rounds repetitions of every measurement
 * @param agingCheckpoints how many checkpoints make a file old
 */
record Settings(
    Path directory,
    long bytes,
    int datasets,
    int blockSize,
    int threads,
    int rounds,
    int agingCheckpoints) {}
