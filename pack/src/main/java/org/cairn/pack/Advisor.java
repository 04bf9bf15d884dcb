// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.cairn.Compression;
import org.cairn.frame.Choice;
import org.cairn.frame.Chooser;
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
  private static final int REPEATS = 3;
  private static final int FIRST_REPEATS = 12;

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

  /** Tries each of these efforts on files. */
  public List<Advice> advise(List<Packer.Input> inputs, List<Compression> efforts)
      throws IOException {
    try (OpenFiles open = new OpenFiles(StandardOpenOption.READ)) {
      List<SourceFile> files = new ArrayList<>();
      for (Packer.Input input : inputs) {
        files.add(SourceFile.of(input.path(), input.name(), open, settings));
      }
      List<Advice> advice = new ArrayList<>();
      for (Compression effort : efforts) {
        advice.add(advise(files, effort));
      }
      return advice;
    }
  }

  private Advice advise(List<SourceFile> files, Compression effort) throws IOException {
    long total = 0;
    for (SourceFile file : files) {
      for (Stream stream : file.streams()) {
        total += stream.places().length();
      }
    }
    long every = Math.max(1, Math.ceilDiv(total, Math.max(1, sample)));
    try (Trying trying = new Trying(effort)) {
      Iterator<List<FrameOrder.Part>> order = FrameReading.order(files, settings);
      for (long number = 0; order.hasNext(); number++) {
        List<FrameOrder.Part> parts = order.next();
        if (number % every == 0) {
          trying.frame(FrameReading.fill(files, parts, trying.plain), parts);
        }
      }
      return trying.advice();
    }
  }

  /** What one effort takes and gives. */
  private final class Trying implements AutoCloseable {
    private final Compression effort;
    private final Chooser chooser;
    private final FrameEncoder encoder = new FrameEncoder();
    private final FrameDecoder decoder = new FrameDecoder();
    private final Arena arena = Supply.sharedArena();
    private final MemorySegment plain = arena.allocate(FrameReading.largest(settings), 64);
    private MemorySegment stored = MemorySegment.NULL;
    private long bytes;
    private long storedBytes;
    private long encoding;
    private long decoding;

    Trying(Compression effort) {
      this.effort = effort;
      this.chooser = new Chooser(effort);
      chooser.store(settings.bandwidth(), settings.threads());
    }

    void frame(List<TypedBytes> pieces, List<FrameOrder.Part> parts) throws IOException {
      FramePlan plan = chooser.plan(pieces);
      long most = FrameEncoder.mostStored(plan.pieces());
      if (stored.byteSize() < most) {
        stored = arena.allocate(most, 64);
      }
      long length = parts.stream().mapToLong(FrameOrder.Part::length).sum();
      MemorySegment target = plain.asSlice(0, length);
      FrameInfo info = encoder.encode(plan.pieces(), plan.level(), stored);
      long fastest = Long.MAX_VALUE;
      long fastestBack = Long.MAX_VALUE;
      // The first times are those of a cold JVM, which long checkpoints never see.
      int repeats = bytes == 0 ? FIRST_REPEATS : REPEATS;
      for (int i = 0; i < repeats; i++) {
        long start = Supply.nanos();
        info = encoder.encode(plan.pieces(), plan.level(), stored);
        long middle = Supply.nanos();
        decoder.decode(stored.asSlice(0, info.storedLength()), info, "a trial", 0, target);
        fastestBack = Math.min(fastestBack, Supply.nanos() - middle);
        fastest = Math.min(fastest, middle - start);
      }
      decoding += fastestBack;
      encoding += fastest;
      bytes += length;
      storedBytes += info.storedLength();
    }

    Advice advice() {
      return new Advice(
          effort, bytes, storedBytes, encoding * 1e-9, decoding * 1e-9, chooser.choices());
    }

    @Override
    public void close() {
      chooser.close();
      encoder.close();
      decoder.close();
      arena.close();
    }
  }
}
