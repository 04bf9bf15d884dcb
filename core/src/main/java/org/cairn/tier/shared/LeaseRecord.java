// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.record.SealedRecord;

/**
 * What a lease says.
 *
 * <pre>
 * Lease → "LEAS" length:u32 Fields checksum
 *   1 token:u64   2 count:u64   3 given back:u32   4 host   5 process:u64   6 container   7 period:u64
 * </pre>
 *
 * @param token random bits of the holder
 * @param count raised with each renewal
 * @param givenBack whether it is free
 * @param host the machine of the holder
 * @param process its number there, for people
 * @param container where the holder's own container lies, whose local lock it has
 * @param period how often the holder means to renew it
 */
record LeaseRecord(
    long token,
    long count,
    boolean givenBack,
    String host,
    long process,
    String container,
    Duration period) {
  private static final int TAG = 0x5341454C; // LEAS
  private static final int TOKEN = 1;
  private static final int COUNT = 2;
  private static final int GIVEN_BACK = 3;
  private static final int HOST = 4;
  private static final int PROCESS = 5;
  private static final int CONTAINER = 6;
  private static final int PERIOD = 7;

  LeaseRecord renewed() {
    return new LeaseRecord(token, count + 1, false, host, process, container, period);
  }

  LeaseRecord returned() {
    return new LeaseRecord(token, count + 1, true, host, process, container, period);
  }

  /** Whoever has the local lock of the same container is the same rank of the same job, later. */
  boolean isOfContainer(String otherHost, String otherContainer) {
    return !container.isEmpty() && container.equals(otherContainer) && host.equals(otherHost);
  }

  byte[] toBytes() {
    RecordWriter out = RecordWriter.onHeap().putInt(TAG);
    long body = out.begin();
    out.putLongField(TOKEN, token).putLongField(COUNT, count);
    out.putIntField(GIVEN_BACK, givenBack ? 1 : 0);
    long field = out.beginField(HOST);
    out.putBytes(host.getBytes(StandardCharsets.UTF_8)).end(field);
    out.putLongField(PROCESS, process);
    field = out.beginField(CONTAINER);
    out.putBytes(container.getBytes(StandardCharsets.UTF_8)).end(field);
    out.putLongField(PERIOD, period.toMillis());
    return out.end(body).seal().toArray();
  }

  /** Reads a lease; empty if it is just being written, or damaged. */
  static Optional<LeaseRecord> parse(byte[] bytes, String location) {
    try {
      RecordReader in = SealedRecord.of(bytes, location).verified("lease");
      in.expectTag(TAG, "a lease");
      Fields fields = Fields.read(in.getCountedRecord());
      return Optional.of(
          new LeaseRecord(
              fields.get(TOKEN, "token").getLong(),
              fields.get(COUNT, "count").getLong(),
              fields.get(GIVEN_BACK, "state").getInt() != 0,
              fields.get(HOST, "host").getRestAsText(),
              fields.get(PROCESS, "process").getLong(),
              fields.get(CONTAINER, "container").getRestAsText(),
              Duration.ofMillis(fields.get(PERIOD, "period").getLongNumber("period"))));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** For people. */
  String describe() {
    return "process %d on %s, with %s".formatted(process, host, container);
  }
}
