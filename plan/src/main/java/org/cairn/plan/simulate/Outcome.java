// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

/**
 * How one trial went.
 *
 * @param wall seconds from start to end
 * @param work of them, doing what had not been done before
 * @param checkpoint of them, writing checkpoints, interrupted ones included
 * @param recover of them, recovering, interrupted recoveries included
 * @param rework of them, doing again what was lost
 * @param failures of sockets in use
 * @param interrupts of the job
 * @param finished whether the work was done before the time to give up
 */
record Outcome(
    double wall,
    double work,
    double checkpoint,
    double recover,
    double rework,
    long failures,
    long interrupts,
    boolean finished) {}
