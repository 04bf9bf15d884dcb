// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.version.VersionId;

/**
 * What a flush is compared with, as rank 0 found it for all.
 *
 * @param complete whether the version is there already
 * @param token for the names of segments
 * @param version the newest version of this life; empty if none can be used
 * @param versionToken that of the flush which wrote it; a version may have been written twice
 * @param emptied segments that nothing should be left in
 */
record FlushBase(
    boolean complete,
    int token,
    Optional<VersionId> version,
    int versionToken,
    Set<String> emptied) {

  byte[] write() {
    RecordWriter out = RecordWriter.onHeap().putText("");
    out.putByte(complete ? 1 : 0).putInt(token).putByte(version.isPresent() ? 1 : 0);
    version.ifPresent(id -> id.write(out));
    out.putInt(versionToken).putInt(emptied.size());
    emptied.forEach(out::putText);
    return out.toArray();
  }

  /** What rank 0 says if it cannot say more. */
  static byte[] failed(Throwable reason) {
    String text = String.valueOf(reason.getMessage());
    return RecordWriter.onHeap().putText(text.isEmpty() ? reason.toString() : text).toArray();
  }

  static FlushBase read(byte[] message) throws IOException {
    RecordReader in = RecordReader.of(message, "rank 0");
    String failure = in.getText();
    if (!failure.isEmpty()) {
      throw new IOException("rank 0 cannot flush to the shared directory: " + failure);
    }
    boolean complete = in.getByte() != 0;
    int token = in.getInt();
    Optional<VersionId> version =
        in.getByte() != 0 ? Optional.of(VersionId.read(in)) : Optional.empty();
    int versionToken = in.getInt();
    Set<String> emptied = new HashSet<>();
    for (int i = in.getCount(5); i > 0; i--) {
      emptied.add(Names.readCounted(in));
    }
    return new FlushBase(complete, token, version, versionToken, emptied);
  }
}
