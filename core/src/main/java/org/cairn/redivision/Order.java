// SPDX-License-Identifier: Apache-2.0
package org.cairn.redivision;

/**
 * Elements that a process wants of a dataset of a member.
 *
 * @param member who saved them
 * @param dataset as it was called then
 * @param width bytes of an element
 * @param runs where they lie, and where they go
 * @param wish which of what the process wants they are for
 */
record Order(int member, String dataset, int width, Runs runs, int wish) {
  long bytes() {
    return runs.elements() * width;
  }
}
