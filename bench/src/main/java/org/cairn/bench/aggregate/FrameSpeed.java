// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.cairn.Compression;
import org.cairn.frame.Chooser;
import org.cairn.frame.EncodingLine;
import org.cairn.frame.FrameDecoder;
import org.cairn.frame.FrameEncoder;
import org.cairn.frame.FrameInfo;
import org.cairn.frame.FrameOrder;
import org.cairn.frame.FramePlan;
import org.cairn.frame.Piece;
import org.cairn.frame.TypedBytes;

/**
 * Frames of a set that are encoded and decoded again and again, in memory. What to do with which
 * class was found before; a new set begins with each time.
 */
public final class FrameSpeed implements AutoCloseable {
  private final List<List<TypedBytes>> frames = new ArrayList<>();
  private final List<Long> places = new ArrayList<>();
  private final List<FrameInfo> infos = new ArrayList<>();
  private final Chooser chooser;
  private final FrameEncoder encoder = new FrameEncoder();
  private final FrameDecoder decoder = new FrameDecoder();
  private final Map<Integer, EncodingLine> lines = new HashMap<>();
  private final Arena arena = Arena.ofShared();
  private final MemorySegment stored;
  private final MemorySegment plain;

  /** Frames of a set, class after class. */
  public FrameSpeed(LoadedSet set, Compression compression) {
    Iterator<List<FrameOrder.Part>> order =
        set.frames(
            FrameOrder.AWARE,
            new FrameOrder.Sizes(set.size(), Ratios.BLOCK, FrameOrder.Sizes.FRAME));
    long at = 0;
    while (order.hasNext()) {
      List<TypedBytes> pieces = order.next().stream().map(set::typed).toList();
      frames.add(pieces);
      places.add(at);
      at += FrameEncoder.mostStored(plainLength(pieces), pieces.size());
    }
    stored = arena.allocate(at, Long.BYTES);
    plain = arena.allocate(FrameOrder.Sizes.FRAME, Long.BYTES);
    chooser = new Chooser(compression);
    encode();
  }

  private static long plainLength(List<TypedBytes> pieces) {
    return pieces.stream().mapToLong(piece -> piece.bytes().byteSize()).sum();
  }

  /** Encodes all frames on this thread. */
  public void encode() {
    encode(frames::get);
  }

  private void encode(IntFunction<List<TypedBytes>> frame) {
    chooser.beginSet();
    infos.clear();
    for (int i = 0; i < frames.size(); i++) {
      FramePlan plan = chooser.plan(frame.apply(i));
      FrameInfo info = encoder.encode(plan.pieces(), plan.level(), stored.asSlice(places.get(i)));
      chooser.stored(plan, info);
      infos.add(info);
    }
  }

  /**
   * Decodes all frames on this thread, piece by piece, as whoever reads a segment does: one piece
   * after the other comes to the same memory, and is done with before the next.
   */
  public void decode() throws IOException {
    for (int i = 0; i < infos.size(); i++) {
      FrameInfo info = infos.get(i);
      long place = places.get(i);
      decoder.open(stored.asSlice(place, info.storedLength()), info, "memory", place);
      long at = 0;
      for (TypedBytes piece : frames.get(i)) {
        long length = piece.bytes().byteSize();
        MemorySegment _ = decoder.bytes(at, plain.asSlice(0, length));
        at += length;
      }
    }
  }

  /** Fetches and encodes all frames, several times, on this thread. */
  public void encodeAlone(int times) {
    for (int time = 0; time < times; time++) {
      encode(i -> fetched(frames.get(i), plain));
    }
  }

  /** Fetches and encodes all frames, several times, on so many threads beside this one. */
  public void encodeInLine(int threads, int times) throws IOException {
    EncodingLine line = line(threads);
    for (int time = 0; time < times; time++) {
      chooser.beginSet();
      for (List<TypedBytes> pieces : frames) {
        FramePlan plan = chooser.plan(fetched(pieces, line.memory()));
        List<Piece> own = plan.pieces();
        line.encode(own, plan.level(), (_, _) -> {});
      }
    }
    line.finish();
  }

  /** The same each time, as the encoder of one thread is: its memory was touched before. */
  private EncodingLine line(int threads) {
    EncodingLine line = lines.get(threads);
    if (line == null) {
      line = new EncodingLine(threads, EncodingLine.BUDGET, FrameOrder.Sizes.FRAME);
      lines.put(threads, line);
    }
    return line;
  }

  private static List<TypedBytes> fetched(List<TypedBytes> pieces, MemorySegment memory) {
    List<TypedBytes> fetched = new ArrayList<>(pieces.size());
    long at = 0;
    for (TypedBytes piece : pieces) {
      MemorySegment here = memory.asSlice(at, piece.bytes().byteSize());
      here.copyFrom(piece.bytes());
      fetched.add(
          new TypedBytes(piece.key(), piece.elements(), piece.shape(), here, piece.coded()));
      at += here.byteSize();
    }
    return fetched;
  }

  /** How many bytes the frames took the last time. */
  public long storedBytes() {
    return infos.stream().mapToLong(FrameInfo::storedLength).sum();
  }

  @Override
  public void close() {
    lines.values().forEach(EncodingLine::close);
    chooser.close();
    encoder.close();
    decoder.close();
    arena.close();
  }
}
