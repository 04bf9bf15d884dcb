// SPDX-License-Identifier: Apache-2.0
package org.cairn.record;

import static org.assertj.core.api.Assertions.assertThat;

import org.cairn.CorruptContainerException;
import org.junit.jupiter.api.Test;

class RecordWriterTest {
  /** Growing costs a handshake of all threads where memory is native. */
  @Test
  void whatWasReservedDoesNotGrow() throws CorruptContainerException {
    try (RecordWriter record = new RecordWriter()) {
      record.putInt(7).reserve(100_000);
      long capacity = record.capacity();
      assertThat(capacity).isGreaterThanOrEqualTo(100_004);

      for (int i = 0; i < 100_000 / Long.BYTES; i++) {
        record.putLong(i);
      }
      assertThat(record.capacity()).isEqualTo(capacity);
      assertThat(RecordReader.of(record.toArray(), "memory").getInt()).isEqualTo(7);
    }
  }
}
