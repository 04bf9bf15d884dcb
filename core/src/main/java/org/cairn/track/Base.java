// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;

/**
 * What memory is compared with: a version by its identity and its root digest. Two containers, or
 * two lives, may have one identity and not the same content.
 */
public record Base(VersionId version, long low, long high) {
  /** A version that a container has. */
  public static Base of(VersionInfo info) {
    return new Base(info.id(), info.digestLow(), info.digestHigh());
  }
}
