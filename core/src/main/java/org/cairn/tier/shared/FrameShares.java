// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.util.Arrays;
import java.util.List;
import org.cairn.frame.FrameInfo;

/**
 * How much one rank has in the frames of a segment: its share, which it put there, and what of that
 * is still live. Frames in which others have blocks, too, are each one's to watch over by his own
 * share: if nobody has less than half of it left, at least half of the frame is live. Immutable.
 */
final class FrameShares {
  static final FrameShares NONE = new FrameShares(new long[0], new long[0], new int[0], new int[0]);

  /** The address of each frame, and behind the last one that of its end. */
  private final long[] addresses;

  private final long[] stored;
  private final int[] shares; // plain bytes, as below
  private final int[] live;

  private FrameShares(long[] addresses, long[] stored, int[] shares, int[] live) {
    this.addresses = addresses;
    this.stored = stored;
    this.shares = shares;
    this.live = live;
  }

  /**
   * Frames that were just written: what is put there is the rank's share.
   *
   * @param address of the first one
   * @param plain how many bytes are in each
   * @param stored how many bytes each takes
   */
  static FrameShares written(long address, long[] plain, long[] stored) {
    return of(address, plain, stored, new int[plain.length]);
  }

  /**
   * Frames of a segment that was found.
   *
   * @param members how many have blocks in it
   */
  static FrameShares found(SegmentFrames frames, int members) {
    List<FrameInfo> infos = frames.all().stream().map(SegmentFrames.Frame::info).toList();
    int[] shares = new int[infos.size()];
    for (int i = 0; i < shares.length; i++) {
      // Nobody knows who put how much into frames of several members.
      int plain = (int) infos.get(i).plainLength();
      shares[i] = i < frames.apart() ? plain : plain / Math.max(1, members);
    }
    return of(
        0,
        infos.stream().mapToLong(FrameInfo::plainLength).toArray(),
        infos.stream().mapToLong(FrameInfo::storedLength).toArray(),
        shares);
  }

  private static FrameShares of(long address, long[] plain, long[] stored, int[] shares) {
    long[] addresses = new long[plain.length + 1];
    addresses[0] = address;
    for (int i = 0; i < plain.length; i++) {
      addresses[i + 1] = addresses[i] + plain[i];
    }
    return new FrameShares(addresses, stored, shares, new int[plain.length]);
  }

  /** These frames and others with higher addresses. */
  FrameShares and(FrameShares others) {
    if (stored.length == 0 || others.stored.length == 0) {
      return stored.length == 0 ? others : this;
    }
    // What lies between is a frame of nothing, in which nobody can have blocks.
    int own = stored.length;
    int gap = addresses[own] < others.addresses[0] ? 1 : 0;
    int all = own + gap + others.stored.length;
    long[] joined = Arrays.copyOf(addresses, all + 1);
    System.arraycopy(others.addresses, 0, joined, own + gap, others.addresses.length);
    long[] bytes = Arrays.copyOf(stored, all);
    System.arraycopy(others.stored, 0, bytes, own + gap, others.stored.length);
    int[] both = Arrays.copyOf(shares, all);
    System.arraycopy(others.shares, 0, both, own + gap, others.shares.length);
    int[] alive = Arrays.copyOf(live, all);
    System.arraycopy(others.live, 0, alive, own + gap, others.live.length);
    return new FrameShares(joined, bytes, both, alive);
  }

  /** Of each frame the part of its bytes that the rank's live blocks are of all in it. */
  long liveBytes() {
    double bytes = 0;
    for (int i = 0; i < stored.length; i++) {
      bytes += live[i] == 0 ? 0 : (double) stored[i] * live[i] / (addresses[i + 1] - addresses[i]);
    }
    return Math.round(bytes);
  }

  private static int frameOf(long[] addresses, long address) {
    int at = Arrays.binarySearch(addresses, address);
    int frame = at >= 0 ? at : -at - 2;
    if (frame < 0 || frame >= addresses.length - 1) {
      throw new IllegalArgumentException("no frame has address " + address);
    }
    return frame;
  }

  /** The same, to be changed. */
  Editor edit() {
    return new Editor(this);
  }

  /** Counts. For one thread. */
  static final class Editor {
    private final FrameShares before;
    private int[] live;

    private Editor(FrameShares before) {
      this.before = before;
      this.live = before.live;
    }

    /** So many bytes of the frame at this address live more, or less. */
    void add(long address, int bytes) {
      if (live == before.live) {
        live = before.live.clone();
      }
      live[frameOf(before.addresses, address)] += bytes;
    }

    boolean hasSparse() {
      for (int i = 0; i < live.length; i++) {
        if (isSparse(i)) {
          return true;
        }
      }
      return false;
    }

    boolean isSparse(long address) {
      return isSparse(frameOf(before.addresses, address));
    }

    private boolean isSparse(int frame) {
      return live[frame] > 0 && 2L * live[frame] < before.shares[frame];
    }

    FrameShares build() {
      if (live == before.live) {
        return before;
      }
      int[] shares = before.shares.clone();
      for (int i = 0; i < shares.length; i++) {
        shares[i] = Math.max(shares[i], live[i]);
      }
      return new FrameShares(before.addresses, before.stored, shares, live);
    }
  }
}
