// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import org.cairn.checkpoint.CostModel;

/** Whether blocks are compared with the version before. */
public enum Strategy {
  /** As the {@link CostModel} advises from what it has measured. */
  AUTO,
  /** Always compare, write what changed. */
  DIFFERENTIAL,
  /** Never compare, write everything. */
  FULL
}
