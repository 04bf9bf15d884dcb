// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.cairn.Compression;
import org.cairn.frame.Choice;
import org.cairn.frame.Chooser;
import org.cairn.frame.Effort;
import org.cairn.frame.FrameDecoder;
import org.cairn.frame.FrameEncoder;
import org.cairn.frame.FrameInfo;
import org.cairn.frame.FrameOrder;
import org.cairn.frame.FramePlan;
import org.cairn.frame.TypedBytes;
import org.cairn.supply.Supply;

/**
 * Finds out what packing files would bring, without packing them: frames spread over all of them
 * are encoded and decoded, and forgotten.
 */
public final class Advisor {
  private static final int ROUNDS = 3;

  /** The first times are those of a cold JVM, which long checkpoints never see. */
  private static final int FIRST_ROUNDS = 16;

  private final PackSettings settings;
  private final long sample;

  /**
   * An advisor.
   *
   * @param sample how many bytes are tried, at least a frame
   */
  public Advisor(PackSettings settings, long sample) {
    this.settings = settings;
    this.sample = sample;
  }

  /**
   * What an effort brings.
   *
   * @param bytes how many were tried
   * @param stored what became of them
   * @param encodingSeconds one thread's, choices made
   * @param decodingSeconds one thread's
   * @param choices for the classes
   */
  public record Advice(
      Compression compression,
      long bytes,
      long stored,
      double encodingSeconds,
      double decodingSeconds,
      List<Choice> choices) {
    /** How many times smaller data becomes. */
    public double ratio() {
      return (double) bytes / Math.max(1, stored);
    }

    /**
     * The bandwidth of a store, in bytes a second, below which it pays to compress: data is stored
     * sooner then than it would be as it is. 0 if it never does.
     */
    public double breakEven(int threads) {
      return Math.max(0, bytes - stored) / Math.max(1e-9, encodingSeconds / threads);
    }

    /** How long a byte takes until it is stored, in seconds. */
    public double secondsPerByte(double bandwidth, int threads) {
      return (encodingSeconds / threads + stored / bandwidth) / Math.max(1, bytes);
    }
  }

  /**
   * Tries each of these efforts on files: on each frame one after the other, again and again, so
   * that none is measured with code that is colder than the others'.
   */
  public List<Advice> advise(List<Packer.Input> inputs, List<Compression> efforts)
      throws IOException {
    return advise(inputs, efforts, FIRST_ROUNDS, ROUNDS);
  }

  /** How many times smaller files become with an effort; nothing is measured. */
  public double ratio(List<Packer.Input> inputs, Compression effort) throws IOException {
    return advise(inputs, List.of(effort), 1, 1).getFirst().ratio();
  }

  private List<Advice> advise(
      List<Packer.Input> inputs, List<Compression> efforts, int firstRounds, int rounds)
      throws IOException {
    try (OpenFiles open = new OpenFiles(StandardOpenOption.READ);
        Trial trial = new Trial(efforts)) {
      List<SourceFile> files = new ArrayList<>();
      for (Packer.Input input : inputs) {
        files.add(SourceFile.of(input.path(), input.name(), open, settings));
      }
      long every = Math.max(1, Math.ceilDiv(bytes(files), Math.max(1, sample)));
      Iterator<List<FrameOrder.Part>> order = FrameReading.order(files, settings);
      for (long number = 0; order.hasNext(); number++) {
        List<FrameOrder.Part> parts = order.next();
        if (number % every == 0) {
          trial.frame(
              FrameReading.fill(files, parts, trial.plain), number == 0 ? firstRounds : rounds);
        }
      }
      return trial.all.stream().map(Trying::advice).toList();
    }
  }

  private static long bytes(List<SourceFile> files) {
    long total = 0;
    for (SourceFile file : files) {
      for (Stream stream : file.streams()) {
        total += stream.places().length();
      }
    }
    return total;
  }

  /** All efforts, side by side. */
  private final class Trial implements AutoCloseable {
    private final List<Trying> all;
    private final FrameEncoder encoder = new FrameEncoder();
    private final FrameDecoder decoder = new FrameDecoder();
    private final Arena arena = Supply.sharedArena();
    private final MemorySegment plain = arena.allocate(FrameReading.largest(settings), 64);
    private MemorySegment stored = MemorySegment.NULL;

    Trial(List<Compression> efforts) {
      this.all = efforts.stream().map(Trying::new).toList();
    }

    void frame(List<TypedBytes> pieces, int rounds) throws IOException {
      for (Trying one : all) {
        one.begin(pieces);
      }
      for (int round = 0; round < rounds; round++) {
        for (Trying one : all) {
          one.measure(this);
        }
      }
      all.forEach(Trying::end);
    }

    private MemorySegment stored(FramePlan plan) {
      long most = FrameEncoder.mostStored(plan.pieces());
      if (stored.byteSize() < most) {
        stored = arena.allocate(most, 64);
      }
      return stored;
    }

    @Override
    public void close() {
      all.forEach(Trying::close);
      encoder.close();
      decoder.close();
      arena.close();
    }
  }

  /** What one effort takes and gives. */
  private final class Trying {
    private final Compression effort;
    private final Chooser chooser;
    private long bytes;
    private long storedBytes;
    private long encoding;
    private long decoding;
    private FramePlan plan =
        new FramePlan(new Effort(FrameEncoder.NO_LEVEL, ""), List.of(), Map.of());
    private long length;
    private long storedLength;
    private long fastest;
    private long fastestBack;

    Trying(Compression effort) {
      this.effort = effort;
      this.chooser = new Chooser(effort);
      chooser.store(settings.bandwidth(), settings.threads());
    }

    void begin(List<TypedBytes> pieces) {
      plan = chooser.plan(pieces);
      length = pieces.stream().mapToLong(piece -> piece.bytes().byteSize()).sum();
      fastest = Long.MAX_VALUE;
      fastestBack = Long.MAX_VALUE;
    }

    /** The plain bytes come back to where they were. */
    void measure(Trial trial) throws IOException {
      MemorySegment stored = trial.stored(plan);
      long start = Supply.nanos();
      FrameInfo info = trial.encoder.encode(plan.pieces(), plan.level(), stored);
      long middle = Supply.nanos();
      storedLength = info.storedLength();
      trial.decoder.decode(
          stored.asSlice(0, storedLength), info, "a trial", 0, trial.plain.asSlice(0, length));
      fastestBack = Math.min(fastestBack, Supply.nanos() - middle);
      fastest = Math.min(fastest, middle - start);
    }

    void end() {
      decoding += fastestBack;
      encoding += fastest;
      bytes += length;
      storedBytes += storedLength;
    }

    Advice advice() {
      return new Advice(
          effort, bytes, storedBytes, encoding * 1e-9, decoding * 1e-9, chooser.choices());
    }

    void close() {
      chooser.close();
    }
  }
}
