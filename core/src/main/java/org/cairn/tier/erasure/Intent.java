// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What a member will do: where its bytes will lie, and the windows in which they change.
 *
 * @param root the root digest of its version
 * @param space the digest of its byte space
 * @param end how long that is
 * @param changed how many of its bytes are not as in the base
 * @param sinceBase the windows in which something is not as in the base
 * @param sinceNothing those in which it has something
 */
record Intent(
    Digest root, Digest space, long end, long changed, BitSet sinceBase, BitSet sinceNothing) {
  /** Below this much of a group it does not matter how parity is made. */
  private static final long MUCH = 4 << 20;

  /** Parity is made anew where that sends a ninth more than differences at most. */
  private static final int TENTHS = 9;

  /**
   * Whether so much changes that parity is made anew rather than from what it was: then neither old
   * bytes nor old parity need to be read and verified.
   */
  static boolean isMostChanged(List<Intent> all) {
    long bytes = all.stream().mapToLong(Intent::end).sum();
    long changed = all.stream().mapToLong(Intent::changed).sum();
    return bytes >= MUCH && changed / TENTHS >= bytes / 10;
  }

  byte[] write() {
    RecordWriter out = RecordWriter.onHeap();
    root.write(out);
    space.write(out);
    out.putLong(end).putLong(changed);
    out.putCounted(sinceBase.toByteArray()).putCounted(sinceNothing.toByteArray());
    return out.toArray();
  }

  static Intent read(byte[] bytes) throws IOException {
    return RecordReader.parse(
        bytes,
        "an intent",
        in ->
            new Intent(
                Digest.read(in),
                Digest.read(in),
                in.getLongNumber("end"),
                in.getLongNumber("changed bytes"),
                bits(in),
                bits(in)));
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
