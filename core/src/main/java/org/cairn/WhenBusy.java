// SPDX-License-Identifier: Apache-2.0
package org.cairn;

/** What happens to a checkpoint that is due while the one before is not durable yet. */
public enum WhenBusy {
  /** It waits. */
  WAIT,
  /** It is skipped. */
  SKIP
}
