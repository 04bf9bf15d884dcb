// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.record.SealedRecord;
import org.cairn.store.Store;
import org.cairn.supply.Mutex;
import org.cairn.version.VersionId;

/**
 * Says that a run is just writing a version, so that nobody collects what it will refer to: neither
 * the version that it is compared with, nor anything newer than the one being written. Renewed like
 * a {@link Lease} while it lasts; a slow store may take hours for a flush.
 *
 * <pre>
 * Claim → "CLAI" length:u32 Fields checksum
 *   1 count:u64   2 VersionId, being written   3 VersionId, compared with (absent: none)
 * </pre>
 *
 * <p>Safe for use by many threads.
 */
final class Claim {
  private static final int TAG = 0x49414C43; // CLAI
  private static final int COUNT = 1;
  private static final int VERSION = 2;
  private static final int BASE = 3;

  private final Mutex mutex = new Mutex();
  private final Store store;
  private final String name;
  private final Content content;

  // Guarded by this.
  private long count;
  private boolean ended;

  /**
   * What a claim says.
   *
   * @param version being written
   * @param base the version that it is compared with, and whose segments it will refer to
   */
  record Content(VersionId version, Optional<VersionId> base) {}

  private Claim(Store store, Content content) {
    this.store = store;
    this.content = content;
    this.name = new SharedNames.ClaimName(content.version.job(), content.version.run()).name();
  }

  /** Begins to claim. */
  static Claim begin(Store store, VersionId version, Optional<VersionId> base) throws IOException {
    Claim claim = new Claim(store, new Content(version, base));
    LeaseFiles.put(store, claim.name, claim.bytes(0));
    return claim;
  }

  /** Shows that the flush goes on. */
  void renew() throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
      if (!ended) {
        count++;
        try {
          LeaseFiles.overwrite(store, name, bytes(count));
        } catch (NoSuchFileException e) {
          LeaseFiles.put(store, name, bytes(count));
        }
      }
    }
  }

  /** The flush is over, whatever became of it. */
  void end() throws IOException {
    try (Mutex.Held _ = mutex.hold()) {
      ended = true;
      store.delete(name);
    }
  }

  private byte[] bytes(long number) {
    RecordWriter out = RecordWriter.onHeap().putInt(TAG);
    long body = out.begin();
    out.putLongField(COUNT, number);
    long field = out.beginField(VERSION);
    content.version.write(out);
    out.end(field);
    if (content.base.isPresent()) {
      field = out.beginField(BASE);
      content.base.get().write(out);
      out.end(field);
    }
    return out.end(body).seal().toArray();
  }

  /** Reads a claim; empty if it is just being written, or damaged. */
  static Optional<Content> parse(byte[] bytes, String location) {
    try {
      RecordReader in = SealedRecord.of(bytes, location).verified("claim");
      in.expectTag(TAG, "a claim");
      Fields fields = Fields.read(in.getCountedRecord());
      Optional<RecordReader> base = fields.find(BASE);
      return Optional.of(
          new Content(
              VersionId.read(fields.get(VERSION, "version")),
              base.isEmpty() ? Optional.empty() : Optional.of(VersionId.read(base.get()))));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
