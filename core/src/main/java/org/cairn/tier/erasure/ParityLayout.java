// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.cairn.container.VersionView;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What parity of a version was computed from: enough to decode it without any other knowledge.
 *
 * <pre>
 * dataset "layout" → index:u32 Layout
 * Layout → tag:u32 format:u32 unit:u32 parity:u32 rows:u64 members:u32 Member{members}
 * Member → rank:u32 root:u128 space:u128     root digest of its version, digest of its byte space
 * </pre>
 *
 * <p>Parity follows from the bytes of all members and their places. So parity units that were made
 * under equal layouts belong together, whenever and from whatever base each was made; units of
 * different layouts must never be mixed.
 *
 * @param stripes how units are arranged
 * @param rows how many rows there are: as many as the longest member needs
 */
record ParityLayout(Stripes stripes, long rows, List<Member> members) {
  static final String DATASET = "layout";

  /** Parity is combined in units of this size. */
  static final int UNIT = 64 << 10;

  private static final int TAG = 0x59524150; // "PARY"
  private static final int FORMAT = 1;

  /** More than the 256 members that there can be take. */
  private static final int MAX_BYTES = 64 << 10;

  /** One rank of the group. */
  record Member(int rank, Digest root, Digest space) {}

  static Placed read(VersionView view) throws IOException {
    byte[] bytes = ParityFile.read(view, DATASET, MAX_BYTES);
    return RecordReader.parse(
        bytes,
        "the layout of parity version " + view.info().id(),
        in -> new Placed(in.getInt(), read(in)));
  }

  /** A layout, and which of its members keeps this copy of it. */
  record Placed(int index, ParityLayout layout) {
    Placed {
      if (index < 0 || index >= layout.members.size()) {
        throw new IllegalArgumentException("member " + index + " of " + layout.members.size());
      }
    }

    byte[] write() {
      return RecordWriter.onHeap().putInt(index).putBytes(layout.write()).toArray();
    }
  }

  List<Integer> ranks() {
    return members.stream().map(Member::rank).toList();
  }

  Digest stamp() {
    return Digest.of(write());
  }

  byte[] write() {
    RecordWriter out = RecordWriter.onHeap().putInt(TAG).putInt(FORMAT);
    out.putInt(stripes.unit()).putInt(stripes.parity()).putLong(rows).putInt(members.size());
    for (Member member : members) {
      out.putInt(member.rank);
      member.root.write(out);
      member.space.write(out);
    }
    return out.toArray();
  }

  static ParityLayout read(RecordReader in) throws IOException {
    int tag = in.getInt();
    int format = in.getInt();
    if (tag != TAG || format != FORMAT) {
      throw new IllegalArgumentException("tag %08x, format %d".formatted(tag, format));
    }
    int unit = in.getInt();
    int parity = in.getInt();
    long rows = in.getLongNumber("rows");
    int count = in.getCount(36);
    List<Member> members = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      members.add(new Member(in.getInt(), Digest.read(in), Digest.read(in)));
    }
    return new ParityLayout(new Stripes(count, parity, unit), rows, List.copyOf(members));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ParityLayout that
        && rows == that.rows
        && stripes.unit() == that.stripes.unit()
        && stripes.parity() == that.stripes.parity()
        && members.equals(that.members);
  }

  @Override
  public int hashCode() {
    return members.hashCode();
  }

  // What can be had back.

  /** Who keeps the map of a member: itself and as many after it as may be lost. */
  static List<Integer> keepersOfMap(int member, int members, int parity) {
    List<Integer> keepers = new ArrayList<>();
    for (int i = 0; i <= parity; i++) {
      keepers.add((member + i) % members);
    }
    return keepers;
  }

  /**
   * Whether the data of all members can be had.
   *
   * @param members how many there are
   * @param parity how many of a stripe's units are parity
   * @param data the members whose own container has the version
   * @param parities the members whose parity container has it, under one layout
   */
  static boolean canRebuild(int members, int parity, BitSet data, BitSet parities) {
    if (data.nextClearBit(0) >= members) {
      return true;
    }
    // Also those who have their data must know where it lay.
    for (int member = 0; member < members; member++) {
      if (keepersOfMap(member, members, parity).stream().noneMatch(parities::get)) {
        return false;
      }
    }
    Stripes stripes = new Stripes(members, parity, UNIT);
    for (int stripe = 0; stripe < members; stripe++) {
      if (!canDecode(stripes, stripe, data, parities)) {
        return false;
      }
    }
    return true;
  }

  private static boolean canDecode(Stripes stripes, int stripe, BitSet data, BitSet parities) {
    int missing = 0;
    boolean missesData = false;
    for (int member = 0; member < stripes.members(); member++) {
      boolean isParity = stripes.isParity(member, stripe);
      if (!(isParity ? parities : data).get(member)) {
        missing++;
        missesData |= !isParity;
      }
    }
    return !missesData || missing <= stripes.parity();
  }
}
