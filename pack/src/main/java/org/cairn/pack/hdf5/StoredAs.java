// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.pack.locate.MalformedException;
import org.cairn.pack.locate.Storage;
import org.jspecify.annotations.Nullable;

/**
 * How the chunks of a dataset are stored, for who wants to read them.
 *
 * <pre>
 * Filters 1 → 1, Count:8, 0:48, (Number:16, NameBytes:16, Flags:16, Values:16, Name, Value:32{values}, [0:32])*
 * Filters 2 → 2, Count:8, (Number:16, [NameBytes:16], Flags:16, Values:16, Name, Value:32{values})*
 * Fill 1, 2 → Version:8, Allocation:8, Writing:8, Defined:8, [Size:32, bytes]      in 2: if it is defined
 * Fill 3    → 3, Flags:8, [Size:32, bytes]                                         if the flags say so
 * Old fill  → Size:32, bytes
 * </pre>
 */
final class StoredAs {
  /** From here on filters have names in the second version, too. */
  private static final int FIRST_WITH_NAME = 256;

  private static final int LONGEST_NAME = 256;
  private static final int UNDEFINED = 0x10;
  private static final int HAS_VALUE = 0x20;

  private StoredAs() {}

  static Storage read(Metadata file, DataObject object, long elementBytes)
      throws IOException, MalformedException {
    return new Storage(filters(file, object.filters()), fill(file, object, elementBytes));
  }

  private static List<String> filters(Metadata file, @Nullable Message message)
      throws IOException, MalformedException {
    List<String> names = new ArrayList<>();
    if (message != null) {
      Cursor body = file.body(message);
      int version = body.u8();
      int count = body.u8();
      body.skip(version == 1 ? 6 : 0);
      for (int i = 0; i < count; i++) {
        names.add(filter(body, version));
      }
    }
    return names;
  }

  private static String filter(Cursor body, int version) throws IOException, MalformedException {
    int number = body.u16();
    int nameBytes = version == 1 || number >= FIRST_WITH_NAME ? body.u16() : 0;
    int values = body.skip(2).u16();
    long behind = body.at() + nameBytes;
    String name = body.textToZero(Math.min(nameBytes, LONGEST_NAME));
    body.skip(behind - body.at());
    body.skip(4L * values + (version == 1 && values % 2 == 1 ? 4 : 0));
    return switch (number) {
      case 1 -> "deflate";
      case 2 -> "shuffle";
      case 3 -> "fletcher32";
      case 4 -> "szip";
      case 5 -> "nbit";
      case 6 -> "scaleoffset";
      default -> name.isEmpty() ? "number " + number : "%s (%d)".formatted(name, number);
    };
  }

  private static Optional<byte[]> fill(Metadata file, DataObject object, long elementBytes)
      throws IOException, MalformedException {
    Optional<byte[]> told = Optional.of(new byte[0]);
    if (object.fill() != null) {
      told = fill(file.body(object.fill()));
    } else if (object.oldFill() != null) {
      told = value(file.body(object.oldFill()));
    }
    // What has no value of its own is filled with zeros.
    return told.map(bytes -> bytes.length == 0 ? new byte[(int) elementBytes] : bytes)
        .filter(bytes -> bytes.length == elementBytes);
  }

  private static Optional<byte[]> fill(Cursor body) throws IOException, MalformedException {
    int version = body.u8();
    if (version > 2) {
      int flags = body.u8();
      return (flags & UNDEFINED) != 0
          ? Optional.empty()
          : (flags & HAS_VALUE) != 0 ? value(body) : Optional.of(new byte[0]);
    }
    boolean defined = body.skip(2).u8() != 0;
    return defined ? value(body) : Optional.empty();
  }

  private static Optional<byte[]> value(Cursor body) throws IOException, MalformedException {
    long size = body.u32();
    if (size > body.left()) {
      throw new MalformedException(body.at(), "has a fill value that is cut off");
    }
    return Optional.of(body.bytes((int) size));
  }
}
