// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.CorruptContainerException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What ranks have against going on, the same on all of them: how many object, and what the first
 * few say. Thousands may say the same; no message grows with their number.
 *
 * <pre>
 * Objections → count:u32 named:u32 (reason:text)*
 * </pre>
 *
 * @param count how many ranks object
 * @param first what the first of them say, in the order of ranks
 */
public record Objections(int count, List<String> first) {
  private static final int NAMED = 8;

  /** A message of any length must not make the exchange fail. */
  private static final int MAX_REASON = 4000;

  private static final Objections NONE = new Objections(0, List.of());

  /** Copies the list. */
  public Objections {
    first = List.copyOf(first);
  }

  /** Asks all ranks; collective. If none objects, a single number travels. */
  public static Objections gather(Communicator comm, Optional<String> mine) {
    if (comm.allReduce(mine.isPresent() ? 1L : 0L, Reduction.MAX) == 0) {
      return NONE;
    }
    Objections here =
        mine.map(reason -> new Objections(1, List.of(shortened(reason)))).orElse(NONE);
    return read(comm.allMerge(here.write(), (one, next) -> read(one).and(read(next)).write()));
  }

  private static String shortened(String reason) {
    return reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason;
  }

  /** Whether nobody objects. */
  public boolean isEmpty() {
    return count == 0;
  }

  private Objections and(Objections next) {
    List<String> both = new ArrayList<>(first);
    both.addAll(next.first);
    return new Objections(count + next.count, both.subList(0, Math.min(NAMED, both.size())));
  }

  /** As a message. */
  public byte[] write() {
    RecordWriter out = RecordWriter.onHeap().putInt(count).putInt(first.size());
    first.forEach(out::putText);
    return out.toArray();
  }

  /** What cannot be understood is an objection too: nobody can say that it was none. */
  public static Objections read(byte[] message) {
    try {
      RecordReader in = RecordReader.of(message, "what ranks object");
      int count = in.getNumber("a number of ranks");
      List<String> first = new ArrayList<>();
      for (int left = in.getCount(4); left > 0; left--) {
        first.add(in.getText());
      }
      return new Objections(Math.max(count, first.size()), first);
    } catch (CorruptContainerException e) {
      return new Objections(1, List.of("it is not understood: " + e.getMessage()));
    }
  }

  /** All that is known, on one line. */
  @Override
  public String toString() {
    String text = String.join("; ", first);
    return count > first.size() ? text + "; and " + (count - first.size()) + " more ranks" : text;
  }
}
