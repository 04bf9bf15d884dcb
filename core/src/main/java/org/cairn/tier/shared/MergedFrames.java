// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.cairn.frame.EncodingLine;
import org.cairn.frame.FrameInfo;
import org.cairn.frame.FramePlan;
import org.cairn.frame.TypedBytes;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * Fills frames with the small variables of all members of a group, class after class, and of each
 * class member after member: what is alike lies side by side. Each member's bytes come in that
 * order, so none has to be kept. For one thread; others encode.
 */
final class MergedFrames {
  /** Tables of tiny pieces would take more than the pieces. */
  private static final int MOST_PIECES = 1 << 14;

  private final Framing framing;
  private final List<List<Variable>> members;
  private final List<Source> sources;
  private final FrameSink sink;
  private final List<FrameInfo> frames = new ArrayList<>();
  private final List<List<FramePlaces.Part>> parts = new ArrayList<>();
  private final List<TypedBytes> pieces = new ArrayList<>();
  private long address;
  private long filled;

  /**
   * What a member has of one dataset.
   *
   * @param bytes of whole blocks
   */
  record Variable(TypedDataset type, long bytes) {
    static void write(RecordWriter out, List<Variable> variables) {
      out.putVarint(variables.size());
      for (Variable one : variables) {
        one.type.write(out);
        out.putVarint(one.bytes);
      }
    }

    static List<Variable> read(RecordReader in) throws IOException {
      List<Variable> variables = new ArrayList<>();
      for (int i = in.getSmallVarint("a number of variables"); i > 0; i--) {
        variables.add(new Variable(TypedDataset.read(in), in.getVarint()));
      }
      return variables;
    }
  }

  /** The bytes of a member. */
  interface Source {
    /** Reads as many as the target has room for: whole blocks. */
    void read(MemorySegment target) throws IOException;
  }

  /** A variable of somebody. */
  private record Owned(int member, Variable variable) {}

  /**
   * Frames of many members.
   *
   * @param address of the first one
   * @param members what each has, by classes
   * @param sources their bytes, in the same order
   * @param sink takes frames in the order of their addresses
   */
  MergedFrames(
      Framing framing,
      long address,
      List<List<Variable>> members,
      List<Source> sources,
      FrameSink sink) {
    this.framing = framing;
    this.address = address;
    this.members = members;
    this.sources = sources;
    this.sink = sink;
    members.forEach(_ -> parts.add(new ArrayList<>()));
  }

  /** Takes all that the members have. */
  void run() throws IOException {
    Map<String, List<Owned>> classes = new TreeMap<>();
    long total = 0;
    long largest = 1;
    for (int i = 0; i < members.size(); i++) {
      for (Variable one : members.get(i)) {
        classes.computeIfAbsent(one.type.key(), _ -> new ArrayList<>()).add(new Owned(i, one));
        total += one.bytes;
        largest = Math.max(largest, one.type.blockSize());
      }
    }
    if (total == 0) {
      return;
    }
    long room = Math.max(largest, Math.min(total, framing.frame()));
    try (EncodingLine line = framing.line(room)) {
      for (List<Owned> alike : classes.values()) {
        for (Owned one : alike) {
          take(one, room, line);
        }
      }
      endFrame(line);
      line.finish();
    }
  }

  private void take(Owned one, long room, EncodingLine line) throws IOException {
    long left = one.variable.bytes;
    while (left > 0) {
      long fits = Math.min(left, room - filled);
      long whole = fits == left ? left : fits - fits % one.variable.type.blockSize();
      if (whole == 0 || pieces.size() == MOST_PIECES) {
        endFrame(line);
        continue;
      }
      MemorySegment target = line.memory().asSlice(filled, whole);
      sources.get(one.member).read(target);
      pieces.add(one.variable.type.piece(target));
      place(parts.get(one.member), whole, address + filled);
      filled += whole;
      left -= whole;
    }
  }

  private static void place(List<FramePlaces.Part> parts, long length, long address) {
    FramePlaces.Part last = parts.isEmpty() ? null : parts.getLast();
    if (last != null && last.address() + last.length() == address) {
      parts.set(parts.size() - 1, new FramePlaces.Part(last.length() + length, last.address()));
    } else {
      parts.add(new FramePlaces.Part(length, address));
    }
  }

  private void endFrame(EncodingLine line) throws IOException {
    if (filled == 0) {
      return;
    }
    FramePlan plan = framing.planMerged(pieces);
    line.encode(
        plan.pieces(),
        plan.level(),
        (info, stored) -> {
          sink.take(info, plan.effort(), stored);
          framing.storedMerged(plan, info);
          frames.add(info);
        });
    pieces.clear();
    address += filled;
    filled = 0;
  }

  /** What was made. */
  List<FrameInfo> frames() {
    return frames;
  }

  /** Where a member's bytes lie. */
  List<FramePlaces.Part> parts(int member) {
    return parts.get(member);
  }
}
