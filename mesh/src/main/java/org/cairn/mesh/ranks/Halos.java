// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.ranks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.cairn.comm.Communicator;
import org.cairn.comm.Request;
import org.cairn.mesh.live.Box;

/** Brings points of neighbours to a rank: several fields in one message to each. */
public final class Halos {
  private static final int TAG = 1;

  private final Communicator ranks;
  private final Bricks bricks;
  private final Layout layout;
  private final Map<Integer, List<Neighbour>> byDepth = new HashMap<>();

  /** What a neighbour gets of this rank, and what this rank gets of it. */
  private record Neighbour(int rank, Box sent, Box received) {}

  /**
   * Memory of a field.
   *
   * @param memory all of it
   * @param bytes of an element
   */
  public record Memory(MemorySegment memory, int bytes) {}

  /** Of the fields of one grid. */
  public Halos(Communicator ranks, Bricks bricks, Layout layout) {
    this.ranks = ranks;
    this.bricks = bricks;
    this.layout = layout;
  }

  /** An exchange that is going on. */
  public final class Exchange {
    private final List<Neighbour> neighbours;
    private final List<Memory> fields;
    private final List<Request> requests = new ArrayList<>();
    private final List<MemorySegment> arriving = new ArrayList<>();

    // Kept until all is sent.
    private final List<MemorySegment> leaving = new ArrayList<>();

    private Exchange(List<Neighbour> neighbours, List<Memory> fields) {
      this.neighbours = neighbours;
      this.fields = fields;
      for (Neighbour one : neighbours) {
        MemorySegment room = room(one.received);
        arriving.add(room);
        requests.add(ranks.startReceive(room, one.rank, TAG));
      }
      for (Neighbour one : neighbours) {
        MemorySegment packed = room(one.sent);
        long at = 0;
        for (Memory field : fields) {
          at = layout.pack(field, one.sent, packed, at);
        }
        leaving.add(packed);
        requests.add(ranks.startSend(packed, one.rank, TAG));
      }
    }

    private MemorySegment room(Box box) {
      long bytes = fields.stream().mapToLong(field -> box.points() * field.bytes).sum();
      return Arena.ofAuto().allocate(Math.max(1, bytes), Long.BYTES).asSlice(0, bytes);
    }

    /** Waits, and puts what came where it belongs. */
    public void end() {
      requests.forEach(Request::await);
      for (int n = 0; n < neighbours.size(); n++) {
        long at = 0;
        for (Memory field : fields) {
          at = layout.unpack(field, neighbours.get(n).received, arriving.get(n), at);
        }
      }
    }
  }

  /** Begins to bring points of these fields, so many deep; collective. */
  public Exchange begin(List<Memory> fields, int depth) {
    return new Exchange(byDepth.computeIfAbsent(depth, this::neighbours), fields);
  }

  private List<Neighbour> neighbours(int depth) {
    Box mine = bricks.owned(ranks.rank());
    List<Neighbour> all = new ArrayList<>();
    for (int other : bricks.neighbours(ranks.rank())) {
      Box theirs = bricks.owned(other);
      Box sent = bricks.around(theirs, depth).intersect(mine);
      Box received = bricks.around(mine, depth).intersect(theirs);
      if (sent.points() > 0 || received.points() > 0) {
        all.add(new Neighbour(other, sent, received));
      }
    }
    return all;
  }
}
