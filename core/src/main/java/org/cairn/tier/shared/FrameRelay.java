// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.cairn.comm.Communicator;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frames in which several processes want blocks are read by one of them, once, and sent to the
 * others as they are stored. Only that: each takes its blocks out and verifies them as if it had
 * read the frame itself, and what does not come it does read itself. So does whoever has no memory
 * for what is said here: all that was begun is ended, and nobody waits for him.
 *
 * <pre>
 * process → reader   WANTED  (name:text count:v offset:v{count})*
 * reader → process   GIVEN   1:u8 name:text offset:v stored    as many as it takes
 *                            0:u8                              there are no more
 * </pre>
 */
final class FrameRelay {
  private static final Logger LOG = LoggerFactory.getLogger(FrameRelay.class);

  private static final int WANTED = 0x5301;
  private static final int GIVEN = 0x5302;

  /** What a process keeps of such frames at most, until it has read its state. */
  private static final long MEMORY = 64 << 20;

  private final Communicator comm;

  /** The processes that read together, the reader first. */
  private final List<Integer> processes;

  FrameRelay(Communicator comm, List<Integer> processes) {
    this.comm = comm;
    this.processes = List.copyOf(processes);
  }

  /** A frame of a segment. */
  private record Place(String segment, long offset) {}

  /**
   * Gets what others read, or reads for them; collective over the processes.
   *
   * @param own what this process is about to read
   */
  void run(List<SegmentSource> own) throws IOException {
    if (comm.rank() == processes.getFirst()) {
      read(own);
    } else {
      comm.send(wish(own).bytes(), processes.getFirst(), WANTED);
      receive(own);
    }
  }

  // ---------------------------------------------------------------- whoever reads

  private void read(List<SegmentSource> own) throws IOException {
    Map<String, TreeMap<Long, List<Integer>>> wanted = new LinkedHashMap<>();
    add(RecordReader.of(wish(own).toArray(), "this process"), comm.rank(), wanted);
    for (int process : processes.subList(1, processes.size())) {
      Optional<RecordReader> wish = message(process, WANTED);
      if (wish.isPresent()) {
        add(wish.get(), process, wanted);
      }
    }
    Map<Integer, Long> sent = new HashMap<>();
    for (Map.Entry<String, TreeMap<Long, List<Integer>>> segment : wanted.entrySet()) {
      for (Map.Entry<Long, List<Integer>> frame : segment.getValue().entrySet()) {
        if (frame.getValue().size() > 1 && !own.isEmpty()) {
          relay(new Place(segment.getKey(), frame.getKey()), frame.getValue(), own, sent);
        }
      }
    }
    for (int process : processes.subList(1, processes.size())) {
      comm.send(RecordWriter.onHeap().putByte(0).bytes(), process, GIVEN);
    }
  }

  /** What there is no memory for stays with the process that wants it. */
  private static void add(
      RecordReader in, int process, Map<String, TreeMap<Long, List<Integer>>> wanted)
      throws IOException {
    try {
      while (in.remaining() > 0) {
        TreeMap<Long, List<Integer>> frames =
            wanted.computeIfAbsent(Names.readCounted(in), _ -> new TreeMap<>());
        for (int i = in.getSmallVarint("a number of frames"); i > 0; i--) {
          frames.computeIfAbsent(in.getVarint(), _ -> new ArrayList<>()).add(process);
        }
      }
    } catch (OutOfMemoryError e) {
      LOG.debug("frames are not read for process {}: {}", process, e.getMessage());
    }
  }

  /** Whoever has no memory left for it, or cannot have it from here, reads for himself. */
  private void relay(
      Place place, List<Integer> takers, List<SegmentSource> own, Map<Integer, Long> sent) {
    try {
      byte[] stored = own.getFirst().readStored(place.segment, place.offset);
      RecordWriter out = RecordWriter.onHeap().putByte(1).putText(place.segment);
      out.putVarint(place.offset).putBytes(stored);
      for (int process : takers) {
        if (sent.merge(process, (long) stored.length, Long::sum) > MEMORY) {
          continue;
        }
        if (process == comm.rank()) {
          keep(place, stored, own);
        } else {
          comm.send(out.bytes(), process, GIVEN);
        }
      }
    } catch (IOException | OutOfMemoryError e) {
      LOG.debug("a frame is not read for others: {}", e.getMessage());
    }
  }

  // ---------------------------------------------------------------- everybody

  private static RecordWriter wish(List<SegmentSource> own) {
    try {
      return wanted(own);
    } catch (OutOfMemoryError e) {
      LOG.debug("all frames are read by this process: {}", e.getMessage());
      return RecordWriter.onHeap();
    }
  }

  private static RecordWriter wanted(List<SegmentSource> own) {
    Map<String, TreeMap<Long, Boolean>> frames = new LinkedHashMap<>();
    own.forEach(
        one ->
            one.forEachFrame(
                (segment, offset) ->
                    frames.computeIfAbsent(segment, _ -> new TreeMap<>()).put(offset, true)));
    RecordWriter out = RecordWriter.onHeap();
    frames.forEach(
        (segment, offsets) -> {
          out.putText(segment).putVarint(offsets.size());
          offsets.keySet().forEach(out::putVarint);
        });
    return out;
  }

  private void receive(List<SegmentSource> own) throws IOException {
    int reader = processes.getFirst();
    while (comm.probe(reader, GIVEN).bytes() > 1) {
      Optional<RecordReader> given = message(reader, GIVEN);
      if (given.isPresent()) {
        keep(given.get(), own);
      }
    }
    comm.receive(new byte[1], reader, GIVEN);
  }

  private static void keep(RecordReader in, List<SegmentSource> own) throws IOException {
    try {
      in.getByte();
      Place place = new Place(Names.readCounted(in), in.getVarint());
      keep(place, in.getRest(), own);
    } catch (OutOfMemoryError e) {
      LOG.debug("a frame is read by this process: {}", e.getMessage());
    }
  }

  private static void keep(Place place, byte[] stored, List<SegmentSource> own) {
    own.forEach(one -> one.keep(place.segment, place.offset, stored));
  }

  /** The next message; nothing if there is no memory for it. */
  private Optional<RecordReader> message(int from, int tag) {
    long length = comm.probe(from, tag).bytes();
    try {
      byte[] bytes = Supply.bytes((int) length);
      comm.receive(bytes, from, tag);
      return Optional.of(RecordReader.of(bytes, "process " + from));
    } catch (OutOfMemoryError e) {
      LOG.debug("{} bytes from process {} are dropped: {}", length, from, e.getMessage());
      Intake.drop(comm, from, tag);
      return Optional.empty();
    }
  }
}
