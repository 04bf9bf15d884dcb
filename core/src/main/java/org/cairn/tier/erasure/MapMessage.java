// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import org.cairn.record.RecordReader;

/**
 * The map of a member as it travels to those who keep it.
 *
 * <pre>
 * Message → 0:u32 {@link MemberMap Whole} | 1:u32 {@link MapPatch Patch}
 * </pre>
 */
sealed interface MapMessage permits MemberMap, MapPatch {
  int WHOLE = 0;
  int PATCH = 1;

  /** The head of the map that this makes. */
  MemberHead head();

  byte[] write();

  static MapMessage read(byte[] message, String origin) throws IOException {
    return RecordReader.parse(
        message,
        origin,
        in -> {
          int kind = in.getInt();
          return switch (kind) {
            case WHOLE -> MemberMap.read(in);
            case PATCH -> MapPatch.read(in);
            default -> throw in.corrupt("a message of kind " + kind);
          };
        });
  }
}
