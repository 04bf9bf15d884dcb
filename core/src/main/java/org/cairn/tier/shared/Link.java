// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.cairn.record.Digest;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What an index of changes is a change to: the index of the same rank in an older segment.
 *
 * @param number how many flushes lie between a whole index and the one that has this link; the
 *     linked index has a smaller number, a whole one 0
 * @param segment the name of the older segment
 * @param checksum that of the older index
 */
record Link(int number, String segment, Digest checksum) {
  /** Numbers are smaller than this. */
  static final int MOST_NUMBER = 64;

  /** So many links, one behind the other, are followed. */
  static final int MOST_LINKS = 8;

  private static final int NUMBER = 1;
  private static final int SEGMENT = 2;
  private static final int CHECKSUM = 3;

  void write(RecordWriter out) {
    out.putIntField(NUMBER, number);
    long field = out.beginField(SEGMENT);
    out.putBytes(segment.getBytes(StandardCharsets.US_ASCII));
    out.end(field);
    field = out.beginField(CHECKSUM);
    checksum.write(out);
    out.end(field);
  }

  /** Reads a link that fills its field. */
  static Link read(RecordReader in) throws IOException {
    Fields fields = Fields.read(in);
    fields.requireKnown("a link", NUMBER, SEGMENT, CHECKSUM);
    Link link =
        new Link(
            fields.get(NUMBER, "number of an index").getNumber("number"),
            Names.read(fields.get(SEGMENT, "name of a segment")),
            Digest.read(fields.get(CHECKSUM, "checksum of an index")));
    if (link.number == 0 || link.number >= MOST_NUMBER) {
      throw in.corrupt(
          "expected an index of changes with a number from 1 to %d, found %d"
              .formatted(MOST_NUMBER - 1, link.number));
    }
    return link;
  }
}
