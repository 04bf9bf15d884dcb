// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.plain;

import java.util.List;
import org.cairn.Dataset;
import org.cairn.mesh.live.Mode;

/** What a stretch of code does with some arrays; made by {@link Accesses}. */
public final class Use {
  private final Mode mode;
  private final List<Dataset> datasets;

  Use(Mode mode, Dataset... datasets) {
    this.mode = mode;
    this.datasets = List.of(datasets);
  }

  Mode mode() {
    return mode;
  }

  List<Dataset> datasets() {
    return datasets;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Use use && mode == use.mode && datasets.equals(use.datasets);
  }

  @Override
  public int hashCode() {
    return 31 * mode.hashCode() + datasets.hashCode();
  }

  @Override
  public String toString() {
    return mode + " " + datasets.stream().map(Dataset::name).toList();
  }
}
