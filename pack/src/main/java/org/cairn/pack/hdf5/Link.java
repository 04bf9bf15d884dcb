// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import org.cairn.pack.locate.MalformedException;

/**
 * What a group has under a name.
 *
 * <pre>
 * Message → 1, Flags:8, [Kind:8], [Order:64], [Charset:8], NameLength, Name, Target
 * Target  → Header:address            a hard link, kind 0
 *         | Length:16, Path           a soft link, kind 1
 *         | Length:16, 0, File, Path  an external link, kind 64
 * </pre>
 *
 * @param object where the header of the object is; nowhere if it is elsewhere
 * @param elsewhere what leads out of here, for people; empty for an object of this file
 */
record Link(String name, long object, String elsewhere) {
  /** Longer names are left out. */
  static final int LONGEST_NAME = 1 << 12;

  private static final int HARD = 0;
  private static final int SOFT = 1;
  private static final int EXTERNAL = 64;

  /** Takes links. */
  interface Visitor {
    void link(Link link) throws IOException, MalformedException;
  }

  /** A link to an object. */
  static Link hard(String name, long object) {
    return new Link(name, object, "");
  }

  /** A link that is not followed. */
  static Link soft(String name, String path) {
    return new Link(name, Cursor.UNDEFINED, "is a link to " + path + ", which was not followed");
  }

  /** Reads a link message. */
  static Link read(Cursor message) throws IOException, MalformedException {
    long at = message.at();
    int version = message.u8();
    if (version != 1) {
      throw new MalformedException(at, "has a link of the unknown version " + version);
    }
    int flags = message.u8();
    int kind = (flags & 0x08) != 0 ? message.u8() : HARD;
    message.skip((flags & 0x04) != 0 ? 8 : 0);
    message.skip((flags & 0x10) != 0 ? 1 : 0);
    long length = message.count(1 << (flags & 3));
    if (length > LONGEST_NAME) {
      throw new MalformedException(at, "has a name of %,d bytes".formatted(length));
    }
    String name = message.text((int) length);
    return switch (kind) {
      case HARD -> hard(name, message.address());
      case SOFT -> soft(name, message.text(Math.min(message.u16(), LONGEST_NAME)));
      case EXTERNAL -> external(name, message.skip(3));
      default -> throw new MalformedException(at, name + " is a link of unknown kind " + kind);
    };
  }

  private static Link external(String name, Cursor target) throws IOException, MalformedException {
    String file = target.textToZero(LONGEST_NAME);
    String path = target.textToZero(LONGEST_NAME);
    return new Link(
        name,
        Cursor.UNDEFINED,
        "is a link to %s in the file %s, which was not followed".formatted(path, file));
  }
}
