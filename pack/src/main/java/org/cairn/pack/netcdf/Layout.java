// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.netcdf;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.Variable;
import org.cairn.pack.netcdf.Header.Entry;

/**
 * Where the variables of a header are.
 *
 * <p>One without records lies in one piece. Records lie one behind the other, each with a part of
 * every variable that has records; a part ends at a multiple of 4 bytes, except if there is only
 * one such variable: then nothing is between its parts, and they are one extent together.
 */
final class Layout {
  private final long size;
  private final Header header;
  private final Hints hints;

  /** A variable of which all is known; {@code bytes} are those of one record, or all. */
  private record Known(Entry entry, NetcdfType type, long bytes) {}

  Layout(long size, Header header, Hints hints) {
    this.size = size;
    this.header = header;
    this.hints = hints;
  }

  void locate() {
    List<Known> inRecords = new ArrayList<>();
    boolean recordsAreKnown = header.complete();
    for (Entry entry : header.entries()) {
      hints.step();
      Optional<Known> known = known(entry);
      if (!entry.isInRecords()) {
        known.ifPresent(this::locateWhole);
      } else if (known.isPresent()) {
        inRecords.add(known.get());
      } else {
        recordsAreKnown = false;
      }
    }
    if (recordsAreKnown) {
      locateRecords(inRecords);
    } else if (!inRecords.isEmpty()) {
      hints.note(0, "how long records are is not known: their data are not located");
    }
  }

  private Optional<Known> known(Entry entry) {
    Optional<NetcdfType> type = NetcdfType.of(entry.type());
    if (type.isEmpty()) {
      hints.note(entry.place(), entry.name() + ": " + HeaderParser.unknown(entry.type()));
      return Optional.empty();
    }
    try {
      long bytes = type.get().width();
      for (long axis : entry.fixedAxes()) {
        bytes = Math.multiplyExact(bytes, axis);
      }
      Math.addExact(bytes, 3); // it can be padded
      return Optional.of(new Known(entry, type.get(), bytes));
    } catch (ArithmeticException e) {
      hints.note(entry.place(), entry.name() + " would have more than 2^63 bytes");
      return Optional.empty();
    }
  }

  private void locateWhole(Known known) {
    if (known.bytes() > 0) {
      hints.extent(
          Extent.whole(
              new Variable(
                  known.entry().name(),
                  known.type().elements(),
                  known.type().numpy(),
                  known.entry().dimensions()),
              known.entry().begin(),
              known.bytes()));
    }
  }

  private void locateRecords(List<Known> inRecords) {
    if (inRecords.isEmpty()) {
      return;
    }
    long recordBytes = recordBytes(inRecords);
    if (recordBytes <= 0) {
      return; // nothing in them, or more than any file has: there was a note
    }
    long records = records(inRecords, recordBytes);
    for (Known known : inRecords) {
      locateRecords(known, records, recordBytes);
    }
  }

  private long recordBytes(List<Known> inRecords) {
    if (inRecords.size() == 1) {
      return inRecords.getFirst().bytes();
    }
    try {
      long sum = 0;
      for (Known known : inRecords) {
        sum = Math.addExact(sum, HeaderParser.padded(known.bytes()));
      }
      return sum;
    } catch (ArithmeticException e) {
      hints.note(0, "a record would have more than 2^63 bytes");
      return 0;
    }
  }

  /** As many as the header says; if it does not, as many as have begun. */
  private long records(List<Known> inRecords, long recordBytes) {
    if (header.records() != Header.STREAMING) {
      return header.records();
    }
    long begin = inRecords.stream().mapToLong(known -> known.entry().begin()).min().orElse(size);
    long bytes = Math.max(0, size - begin);
    return bytes / recordBytes + (bytes % recordBytes == 0 ? 0 : 1);
  }

  private void locateRecords(Known known, long records, long recordBytes) {
    Entry entry = known.entry();
    if (known.bytes() == 0) {
      return;
    }
    long there = Math.min(records, fitting(known, recordBytes));
    if (there < records && header.records() != Header.STREAMING) {
      hints.outside(
          entry.begin(),
          "%s has %d records, of which the file has %d".formatted(entry.name(), records, there));
    }
    Variable variable =
        new Variable(
            entry.name(), known.type().elements(), known.type().numpy(), shape(entry, records));
    if (there > 0 && known.bytes() == recordBytes) {
      List<Long> start = Collections.nCopies(entry.dimensions().size(), 0L);
      hints.extent(
          new Extent(
              variable, start, shape(entry, there), entry.begin(), there * recordBytes, false));
    } else {
      locateEach(variable, known, there, recordBytes);
    }
  }

  /** How many records of a variable are wholly within the file. */
  private long fitting(Known known, long recordBytes) {
    long behind = size - known.entry().begin();
    return behind < known.bytes() ? 0 : (behind - known.bytes()) / recordBytes + 1;
  }

  private void locateEach(Variable variable, Known known, long records, long recordBytes) {
    List<Long> box = shape(known.entry(), 1);
    for (long i = 0; i < records; i++) {
      hints.step();
      List<Long> start = new ArrayList<>(Collections.nCopies(box.size(), 0L));
      start.set(0, i);
      hints.extent(
          new Extent(
              variable, start, box, known.entry().begin() + i * recordBytes, known.bytes(), false));
    }
  }

  private static List<Long> shape(Entry entry, long records) {
    List<Long> shape = new ArrayList<>(entry.dimensions());
    shape.set(0, records);
    return List.copyOf(shape);
  }
}
