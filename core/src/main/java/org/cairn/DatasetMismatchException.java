// SPDX-License-Identifier: Apache-2.0
package org.cairn;

/** What was saved under a name is not what the program protects under it. */
public class DatasetMismatchException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  private final String dataset;

  /** Reports a mismatch: the dataset, what is stored and what was offered. */
  public DatasetMismatchException(String dataset, String stored, String offered, String why) {
    super(
        "dataset \"%s\": the checkpoint has %s, the program offers %s (%s)"
            .formatted(dataset, stored, offered, why));
    this.dataset = dataset;
  }

  /** The name of the dataset. */
  public String dataset() {
    return dataset;
  }
}
