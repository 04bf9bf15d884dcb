// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.schedule;

/** All tasks wait for each other. */
public final class HangException extends RuntimeException {
  private static final long serialVersionUID = 1;

  HangException(String problem, String stacks) {
    super(problem + "; they wait here:\n" + stacks);
  }
}
