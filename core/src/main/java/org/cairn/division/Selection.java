// SPDX-License-Identifier: Apache-2.0
package org.cairn.division;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What a rank has put into a version of what it has together with others, and what it has left out.
 * What belongs together is put in by all ranks that have it, or by none.
 *
 * <pre>Selection → length:u32 Description(added) length:u32 Description(leftOut)</pre>
 *
 * @param added what is in the version
 * @param leftOut what is protected and is not
 */
public record Selection(Description added, Description leftOut) {

  /** Whether it is all of what ranks agreed on, and nothing else. */
  public boolean isAllOf(Description agreed) {
    return added.equals(agreed) && leftOut.isNothing();
  }

  /** As a message. */
  public byte[] write() {
    RecordWriter out = RecordWriter.onHeap();
    return out.putCounted(added.write()).putCounted(leftOut.write()).toArray();
  }

  /** What {@link #write} wrote. */
  public static Selection read(byte[] message, String origin) throws IOException {
    RecordReader in = RecordReader.of(message, origin);
    return new Selection(
        Description.read(in.getCounted(), origin), Description.read(in.getCounted(), origin));
  }

  /**
   * What is wrong with what ranks have put into a version, in a sentence; empty if nothing is.
   *
   * @param ranks what each of them has put in, in their order
   */
  public static Optional<String> problem(List<Selection> ranks) {
    Map<String, Integer> adding = new HashMap<>();
    for (int rank = 0; rank < ranks.size(); rank++) {
      for (Description.Said said : ranks.get(rank).added.all()) {
        adding.putIfAbsent(said.whole(), rank);
      }
    }
    for (int rank = 0; rank < ranks.size(); rank++) {
      for (Description.Said said : ranks.get(rank).leftOut.all()) {
        Integer other = adding.get(said.whole());
        if (other != null) {
          return Optional.of(
              "rank %d added %s to the checkpoint, and rank %d did not add its dataset \"%s\"; add it on all ranks or on none"
                  .formatted(other, said.whole(), rank, said.dataset()));
        }
      }
    }
    return Description.problem(ranks.stream().map(Selection::added).toList());
  }
}
