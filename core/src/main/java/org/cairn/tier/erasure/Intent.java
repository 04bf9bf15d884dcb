// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.BitSet;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What a member will do: where its bytes will lie, and the windows in which they change.
 *
 * @param root the root digest of its version
 * @param space the digest of its byte space
 * @param end how long that is
 * @param sinceBase the windows in which something is not as in the base
 * @param sinceNothing those in which something is not zero; none if everybody has the base
 */
record Intent(Digest root, Digest space, long end, BitSet sinceBase, BitSet sinceNothing) {
  byte[] write() {
    RecordWriter out = RecordWriter.onHeap();
    root.write(out);
    space.write(out);
    out.putLong(end).putCounted(sinceBase.toByteArray()).putCounted(sinceNothing.toByteArray());
    return out.toArray();
  }

  static Intent read(byte[] bytes) throws IOException {
    return RecordReader.parse(
        bytes,
        "an intent",
        in ->
            new Intent(
                Digest.read(in), Digest.read(in), in.getLongNumber("end"), bits(in), bits(in)));
  }

  private static BitSet bits(RecordReader in) throws IOException {
    return BitSet.valueOf(in.getCounted());
  }

  /** Refuses a map that is not of what the member said it would send. */
  MapMessage checked(MapMessage map, String origin) throws IOException {
    if (!map.head().root().equals(root) || !Digest.of(map.head().space().write()).equals(space)) {
      throw new IOException(origin + " is not that of the version that is protected");
    }
    return map;
  }
}
