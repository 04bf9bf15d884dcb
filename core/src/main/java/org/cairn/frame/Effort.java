// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * How hard a frame was compressed, and why; for people, nothing is decided by it.
 *
 * <pre>
 * Effort → level:v why:text
 * </pre>
 *
 * @param level of zstd; {@link FrameEncoder#NO_LEVEL} for none
 * @param why in words
 */
public record Effort(int level, String why) {
  /** Writes it. */
  public void write(RecordWriter out) {
    out.putVarint(level).putText(why);
  }

  /** Reads it. */
  public static Effort read(RecordReader in) throws CorruptContainerException {
    return new Effort(in.getSmallVarint("a level"), in.getText());
  }

  /** So many frames were compressed alike. */
  public record Count(int level, String why, long frames) {
    @Override
    public String toString() {
      return "%s, %d %s"
          .formatted(new Effort(level, why), frames, frames == 1 ? "frame" : "frames");
    }
  }

  /** How many frames of each there are, the most frequent first. */
  public static List<Count> count(Collection<Effort> some) {
    Map<Effort, Long> counts = new LinkedHashMap<>();
    some.forEach(one -> counts.merge(one, 1L, Long::sum));
    return counts.entrySet().stream()
        .map(one -> new Count(one.getKey().level, one.getKey().why, one.getValue()))
        .sorted(Comparator.comparingLong(Count::frames).reversed())
        .toList();
  }

  @Override
  public String toString() {
    return level == FrameEncoder.NO_LEVEL
        ? "not compressed (%s)".formatted(why)
        : "level %d (%s)".formatted(level, why);
  }
}
