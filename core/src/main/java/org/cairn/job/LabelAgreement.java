// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.cairn.Label;
import org.cairn.comm.Communicator;
import org.cairn.record.Field;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What all ranks say of a version, whatever each of them was told: what the first one says.
 *
 * <pre>Message → length:u32 Fields, and zeros to {@value #BYTES} bytes</pre>
 */
final class LabelAgreement {
  /** Fields of the longest label and note, and more. */
  static final int BYTES = Label.MAX_TEXT + Label.MAX_NOTE + 64;

  private LabelAgreement() {}

  /** Collective, where all know that the first rank has something to say. */
  static Label reach(Communicator comm, Label mine) {
    byte[] message = new byte[BYTES];
    if (comm.rank() == 0) {
      RecordWriter out = RecordWriter.onHeap();
      long start = out.begin();
      byte[] said = out.putFields(mine.toFields()).end(start).toArray();
      System.arraycopy(said, 0, message, 0, said.length);
    }
    comm.broadcast(MemorySegment.ofArray(message), 0);
    try {
      RecordReader in = RecordReader.of(message, "rank 0");
      List<Field> fields = Fields.read(in.getCountedRecord()).unknown();
      return Label.of(fields);
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalStateException("what rank 0 says of a checkpoint cannot be read", e);
    }
  }
}
