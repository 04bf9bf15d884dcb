// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import org.cairn.version.Ownership;

/** What a container is for, as it says itself, in words. */
final class Contents {

  private Contents() {}

  static String of(Ownership owner) {
    return switch (owner.kind()) {
      case Ownership.STATE -> "the state of rank " + owner.rank();
      case Ownership.COPY -> "a copy of rank " + owner.rank();
      case Ownership.PARITY -> "parity, kept by rank " + owner.rank();
      default -> "something else";
    };
  }
}
