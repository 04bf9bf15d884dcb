// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.record.Digest;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * A segment that a version needs.
 *
 * @param segment its name
 * @param size how many bytes the file has
 * @param liveBytes how many of them that version needs: blocks, and indices that its own are
 *     changes to
 * @param footer the checksum of its footer, which holds those of all indices
 * @param frameBytes how many bytes its frames have: what lives is compared with them, since indices
 *     may be larger; 0 if it has none
 */
public record Reference(String segment, long size, long liveBytes, Digest footer, long frameBytes) {
  private static final int NAME = 1;
  private static final int SIZE = 2;
  private static final int LIVE = 3;
  private static final int FOOTER = 4;
  private static final int FRAME_BYTES = 5;

  /** A segment without frames, or of which that is not known yet. */
  public Reference(String segment, long size, long liveBytes, Digest footer) {
    this(segment, size, liveBytes, footer, 0);
  }

  /** The same segment, of which so much is needed. */
  Reference needing(long bytes) {
    return new Reference(segment, size, bytes, footer, frameBytes);
  }

  /** The part of it that is needed, of what can be. */
  double livePart() {
    return (double) liveBytes / Math.max(1, frameBytes > 0 ? frameBytes : size);
  }

  static void write(RecordWriter out, List<Reference> references) {
    for (Reference reference : references) {
      long start = out.begin();
      long field = out.beginField(NAME);
      out.putBytes(reference.segment.getBytes(StandardCharsets.US_ASCII));
      out.end(field);
      out.putLongField(SIZE, reference.size).putLongField(LIVE, reference.liveBytes);
      field = out.beginField(FOOTER);
      reference.footer.write(out);
      out.end(field);
      if (reference.frameBytes > 0) {
        out.putLongField(FRAME_BYTES, reference.frameBytes);
      }
      out.end(start);
    }
  }

  /** Reads references to the end of a field. */
  static List<Reference> read(RecordReader in) throws IOException {
    List<Reference> references = new ArrayList<>();
    while (in.remaining() > 0) {
      Fields fields = Fields.read(in.getCountedRecord());
      fields.requireKnown("a reference", NAME, SIZE, LIVE, FOOTER, FRAME_BYTES);
      Optional<RecordReader> frames = fields.find(FRAME_BYTES);
      references.add(
          new Reference(
              Names.read(fields.get(NAME, "name of a segment")),
              fields.get(SIZE, "size of a segment").getLongNumber("size"),
              fields.get(LIVE, "number of live bytes").getLongNumber("live bytes"),
              Digest.read(fields.get(FOOTER, "checksum of a footer")),
              frames.isEmpty() ? 0 : frames.get().getLongNumber("bytes of frames")));
    }
    return references;
  }

  static Map<String, Reference> byName(List<Reference> references) {
    Map<String, Reference> all = new HashMap<>();
    references.forEach(one -> all.put(one.segment, one));
    return all;
  }

  /** The same segment, needed for more. */
  Reference plus(Reference other) {
    return new Reference(
        segment,
        Math.max(size, other.size),
        liveBytes + other.liveBytes,
        footer.equals(Digest.NONE) ? other.footer : footer,
        Math.max(frameBytes, other.frameBytes));
  }
}
