// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.jspecify.annotations.Nullable;

/** What the leader of a group says to all ranks in the end: what it has written, or why not. */
final class GroupReport {
  private final List<String> failures = new ArrayList<>();

  /** Something went wrong; nothing will come of the segment. */
  void failed(String why) {
    failures.add(why);
  }

  boolean isGood() {
    return failures.isEmpty();
  }

  /** What a rank says that could not do its part. */
  static byte[] failed(Throwable reason) {
    return RecordWriter.onHeap().putText(reason.toString()).toArray();
  }

  /**
   * The leader's part.
   *
   * @param done null if nothing came of it
   */
  GroupFlush.Part part(Manifest.@Nullable Group done, GroupFlush.Own own) {
    RecordWriter out = RecordWriter.onHeap().putText(String.join("; ", failures));
    if (done != null) {
      out.putLong(done.takenAt().toEpochMilli());
      long references = out.begin();
      Reference.write(out, done.references());
      out.end(references);
      done.write(out);
    }
    return new GroupFlush.Part(out.toArray(), own);
  }

  /** Reads what a group said. */
  static void read(byte[] message, List<Manifest.Group> groups, List<String> failures)
      throws IOException {
    RecordReader in = RecordReader.of(message, "a message");
    String failure = in.getText();
    if (!failure.isEmpty()) {
      failures.add(failure);
      return;
    }
    Instant takenAt = Instant.ofEpochMilli(in.getLong());
    List<Reference> references = Reference.read(in.getCountedRecord());
    groups.add(Manifest.Group.read(in, takenAt, references));
  }
}
