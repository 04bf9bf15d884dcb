// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.cairn.erasure.Decoder;
import org.cairn.erasure.ReedSolomon;
import org.cairn.work.Workers;

/**
 * How fast a code is computed on one number of threads, against a copy of the same data and against
 * ISA-L with the same coefficients.
 *
 * <p>Decoding recomputes as many data units as the code can lose, the dearest case. Every thread
 * has a share of each unit. All rates are of data: units that hold data, times their size.
 */
final class ErasureBandwidth implements AutoCloseable {

  private final Arena arena = Arena.ofShared();
  private final Workers crew;
  private final ReedSolomon code;
  private final int threads;
  private final long share;
  private final MemorySegment[] units;
  private final MemorySegment[] copies;
  private final Decoder decoder;

  /** One line of the table; rates in GB/s. */
  record Result(
      String code, int threads, String subject, double median, double best, double ofCopy) {}

  ErasureBandwidth(ReedSolomon code, int threads, long bytes) {
    this.code = code;
    this.threads = threads;
    this.crew = new Workers(threads, "bench-erasure");
    this.share = bytes / code.data() / threads / 4096 * 4096;
    this.units = allocate(code.data() + code.parity());
    this.copies = allocate(code.data());
    this.decoder = code.decoder(IntStream.range(0, code.parity()).toArray());
    Random random = new Random(1);
    for (int i = 0; i < code.data(); i++) {
      fill(units[i], random);
    }
  }

  private MemorySegment[] allocate(int count) {
    MemorySegment[] segments = new MemorySegment[count];
    // An odd number of pages apart, so that units do not meet in the same places of caches.
    Arrays.setAll(segments, _ -> arena.allocate(share * threads + 4096, 4096).fill((byte) 1));
    return segments;
  }

  private static void fill(MemorySegment unit, Random random) {
    for (long i = 0; i < unit.byteSize(); i += Long.BYTES) {
      unit.set(ValueLayout.JAVA_LONG, i, random.nextLong());
    }
  }

  /** Measures all subjects in turn, round after round. */
  List<Result> run(int rounds, Optional<IsaL> isaL) throws IOException {
    Rounds subjects = new Rounds();
    addCopy(subjects);
    addCairn(subjects);
    isaL.ifPresent(library -> addIsaL(subjects, library));
    Map<String, Series> times = subjects.run(5, rounds);
    verify();
    double bytes = 1e-9 * share * threads * code.data();
    Series copy = Objects.requireNonNull(times.get("copy"));
    List<Result> results = new ArrayList<>();
    times.forEach(
        (name, time) ->
            results.add(
                new Result(
                    code.toString(),
                    threads,
                    name,
                    bytes / time.median(),
                    bytes / time.least(),
                    copy.over(time).median())));
    return results;
  }

  private void addCopy(Rounds subjects) {
    subjects.addTimed(
        "copy",
        () ->
            crew.run(
                worker -> {
                  for (int i = 0; i < code.data(); i++) {
                    MemorySegment.copy(units[i], worker * share, copies[i], worker * share, share);
                  }
                }));
  }

  private void addCairn(Rounds subjects) {
    MemorySegment[] all = units;
    MemorySegment[] data = Arrays.copyOf(all, code.data());
    MemorySegment[] parity = Arrays.copyOfRange(all, code.data(), all.length);
    subjects.addTimed(
        "encode",
        () -> crew.run(worker -> code.encode(part(data, worker), part(parity, worker), share)));
    MemorySegment[] left = pick(decoder.sources());
    subjects.addTimed(
        "decode",
        () ->
            crew.run(worker -> decoder.decode(part(left, worker), part(decoded(), worker), share)));
  }

  /** Where decoded units go: the copies are not needed at that time. */
  private MemorySegment[] decoded() {
    return Arrays.copyOf(copies, code.parity());
  }

  private void addIsaL(Rounds subjects, IsaL library) {
    byte[][] encoding = new byte[code.parity()][code.data()];
    byte[][] decoding = new byte[code.parity()][code.data()];
    for (int i = 0; i < code.parity(); i++) {
      for (int j = 0; j < code.data(); j++) {
        encoding[i][j] = code.coefficient(i, j);
        decoding[i][j] = decoder.coefficient(i, j);
      }
    }
    MemorySegment[] data = Arrays.copyOf(units, code.data());
    MemorySegment[] parity = Arrays.copyOfRange(units, code.data(), units.length);
    subjects.addTimed("encode, ISA-L", isaL(library, encoding, data, parity));
    subjects.addTimed("decode, ISA-L", isaL(library, decoding, pick(decoder.sources()), decoded()));
  }

  private Rounds.Timed isaL(
      IsaL library, byte[][] rows, MemorySegment[] sources, MemorySegment[] targets) {
    MemorySegment tables = library.tables(arena, rows);
    MemorySegment[] from = new MemorySegment[threads];
    MemorySegment[] to = new MemorySegment[threads];
    Arrays.setAll(from, worker -> IsaL.pointers(arena, part(sources, worker)));
    Arrays.setAll(to, worker -> IsaL.pointers(arena, part(targets, worker)));
    return () ->
        crew.run(
            worker ->
                library.encode(
                    Math.toIntExact(share),
                    sources.length,
                    targets.length,
                    tables,
                    from[worker],
                    to[worker]));
  }

  private MemorySegment[] pick(int[] numbers) {
    return Arrays.stream(numbers).mapToObj(i -> units[i]).toArray(MemorySegment[]::new);
  }

  private MemorySegment[] part(MemorySegment[] segments, int worker) {
    return Arrays.stream(segments)
        .map(segment -> segment.asSlice(worker * share, share))
        .toArray(MemorySegment[]::new);
  }

  /** What was decoded last is what was lost; ISA-L, if it came last, agrees with us then. */
  private void verify() {
    for (int i = 0; i < code.parity(); i++) {
      long size = share * threads;
      if (MemorySegment.mismatch(units[i], 0, size, copies[i], 0, size) != -1) {
        throw new IllegalStateException("unit " + i + " of " + code + " was decoded wrongly");
      }
    }
  }

  @Override
  public void close() {
    crew.close();
    arena.close();
  }
}
