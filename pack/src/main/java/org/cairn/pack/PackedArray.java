// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.Hints;
import org.cairn.pack.locate.Locators;
import org.cairn.pack.locate.NumpyType;
import org.cairn.pack.locate.Storage;
import org.cairn.pack.locate.Variable;
import org.cairn.transform.Elements;
import org.cairn.version.DatasetEntry;

/**
 * A variable that its format stores in boxes (chunks, records), to be written in the order of its
 * elements. A pack does not keep where boxes belong: the metadata of the file tell, which are read
 * again, out of the pack. What is read is the metadata and the variable, and nothing else.
 */
public final class PackedArray {
  private static final int ROOM = 1 << 16;

  private final Pack.Member member;
  private final Variable variable;
  private final long bytes;
  private final List<Extent> boxes;
  private final Optional<byte[]> fill;

  private PackedArray(Pack.Member member, Hints hints) throws IOException {
    this.member = member;
    this.variable =
        hints.extents().isEmpty()
            ? hints.wanted().orElseThrow()
            : hints.extents().getFirst().variable();
    this.bytes = bytes(variable.elements(), variable.shape());
    this.boxes = boxes(hints);
    this.fill = hints.storage().flatMap(Storage::fill);
    if (covered() < bytes) {
      requireFill(hints);
    }
  }

  /** What is missing was never written: not merely lost, and what stands for it is known. */
  private void requireFill(Hints hints) throws IOException {
    for (Hints.Note note : hints.notes()) {
      boolean ofAnother = note.text().startsWith("/") && !note.text().startsWith(aboutThis());
      if (!ofAnother) {
        throw refused("not all of it was found (%s)".formatted(note.text()));
      }
    }
    if (hints.notesLeftOut() > 0) {
      throw refused("not all of it was found, and the file has too much that is not understood");
    }
    if (fill.isEmpty()) {
      throw refused(
          "some of its elements were never written, and the file does not say what stands for"
              + " them");
    }
  }

  /** What notes on it begin with. */
  private String aboutThis() {
    return variable.name() + ":";
  }

  /**
   * Finds a variable; also one that is so small that the pack has it among the rest.
   *
   * @return empty if the metadata of the file know none of this name
   * @throws IOException if it cannot be read as an array, with why and what can be done
   */
  public static Optional<PackedArray> find(Pack.Member member, String name) throws IOException {
    return find(member, name, Locators.installed());
  }

  /**
   * Finds a variable in a format that not everybody knows.
   *
   * @param locators those that know it
   */
  public static Optional<PackedArray> find(Pack.Member member, String name, Locators locators)
      throws IOException {
    try (MemberBytes file = new MemberBytes(member)) {
      Hints hints = locators.locate(file, name).hints();
      return hints.extents().isEmpty() && hints.wanted().isEmpty()
          ? Optional.empty()
          : Optional.of(new PackedArray(member, hints));
    }
  }

  /** Whether the bytes of a stream are not simply those of its array. */
  public static boolean isNeeded(DatasetEntry stream, ArrayType type) {
    return type.coded()
        || type.inPieces()
        || stream.spec().byteLength() != bytes(type.elements(), type.shape());
  }

  /** How many bytes the elements have; negative if that is no number. */
  private static long bytes(Elements elements, List<Long> shape) {
    long bytes = elements.width();
    for (long axis : shape) {
      if (axis < 0 || Math.multiplyHigh(bytes, axis) != 0 || bytes * axis < 0) {
        return -1;
      }
      bytes *= axis;
    }
    return bytes;
  }

  /** What the metadata of the file say of the elements of a variable. */
  static Optional<NumpyType> typeOf(Pack.Member member, String name) throws IOException {
    try (MemberBytes file = new MemberBytes(member)) {
      return Locators.installed().locate(file, name).hints().extents().stream()
          .findFirst()
          .map(extent -> extent.variable().type());
    }
  }

  /** What it consists of. */
  public Elements elements() {
    return variable.elements();
  }

  /** What NumPy calls that. */
  public NumpyType type() {
    return variable.type();
  }

  /** How many elements it has along each axis, the slowest first. */
  public List<Long> shape() {
    return variable.shape();
  }

  /** How many bytes its elements have. */
  public long bytes() {
    return bytes;
  }

  /** How much space its elements take: where zeros stand for those that nobody wrote, less. */
  public long spaceNeeded() {
    long covered = covered();
    return covered < bytes && isZero(fill.orElseThrow()) ? covered : bytes;
  }

  /**
   * Writes its elements.
   *
   * @param from where they begin in the file, which has nothing there yet
   * @param progress is told how many bytes were written
   */
  public void writeTo(FileChannel target, long from, LongConsumer progress) throws IOException {
    if (covered() < bytes) {
      fill(fill.orElseThrow(), target, from);
    }
    try (MemberBytes file = new MemberBytes(member)) {
      new Writing(file, target, from, progress).write();
    }
  }

  /** Those that are the variable's, in the order of the file. */
  private List<Extent> boxes(Hints hints) throws IOException {
    List<Extent> found = new ArrayList<>();
    if (bytes == 0) {
      return found;
    }
    for (Extent extent : hints.extents()) {
      if (extent.offset() < 0 || extent.offset() > member.file().size() - extent.length()) {
        throw refused("the file ends before the last of its elements");
      }
      if (extent.coded()) {
        throw refused(
            "it is stored with filters (%s)"
                .formatted(
                    String.join(", ", hints.storage().map(Storage::filters).orElse(List.of()))));
      }
      found.add(extent);
    }
    if (bytes < 0 || !areApart(found)) {
      throw refused("the file does not say where its pieces belong");
    }
    found.sort(Comparator.comparingLong(Extent::offset));
    return found;
  }

  /** Whether all are boxes of one grid, each another one. */
  private boolean areApart(List<Extent> found) {
    if (found.isEmpty()) {
      return true; // nothing was written
    }
    List<Long> box = found.getFirst().box();
    Set<List<Long>> starts = new HashSet<>();
    for (Extent extent : found) {
      if (!extent.variable().equals(variable)
          || extent.length() != bytes(variable.elements(), box)
          || !extent.box().equals(box)
          || !starts.add(extent.start())) {
        return false;
      }
      for (int i = 0; i < box.size(); i++) {
        if (box.get(i) < 1
            || extent.start().get(i) < 0
            || extent.start().get(i) % box.get(i) != 0) {
          return false;
        }
      }
    }
    return true;
  }

  /** How many bytes of the array the boxes have. */
  private long covered() {
    long covered = 0;
    for (Extent box : boxes) {
      long some = variable.elements().width();
      for (int i = 0; i < variable.shape().size(); i++) {
        some *= inside(box, i);
      }
      covered += some;
    }
    return covered;
  }

  /** How many elements along an axis are in the box and in the array. */
  private long inside(Extent box, int axis) {
    return Math.max(
        0, Math.min(box.box().get(axis), variable.shape().get(axis) - box.start().get(axis)));
  }

  private boolean isInside(Extent box) {
    for (int i = 0; i < variable.shape().size(); i++) {
      if (inside(box, i) == 0) {
        return false;
      }
    }
    return true;
  }

  /** Puts what stands for elements that nobody wrote in all places. */
  private void fill(byte[] value, FileChannel target, long from) throws IOException {
    if (isZero(value)) {
      target.write(ByteBuffer.allocate(1), from + bytes - 1); // files begin with zeros
      return;
    }
    ByteBuffer many = ByteBuffer.allocate(Math.max(1, ROOM / value.length) * value.length);
    while (many.hasRemaining()) {
      many.put(value);
    }
    for (long done = 0; done < bytes; ) {
      many.clear().limit((int) Math.min(many.capacity(), bytes - done));
      done += target.write(many, from + done);
    }
  }

  private static boolean isZero(byte[] bytes) {
    for (byte b : bytes) {
      if (b != 0) {
        return false;
      }
    }
    return true;
  }

  private IOException refused(String why) {
    return new IOException(
        "%s of %s cannot be exported as an array: %s; unpack the file and read it with the tools"
                .formatted(variable.name(), member.file().name(), why)
            + " of its format, as h5dump or ncdump, or use --format raw for its bytes as they lie");
  }

  /** Brings rows of boxes to where they belong. */
  private final class Writing {
    private final MemberBytes file;
    private final FileChannel target;
    private final long from;
    private final LongConsumer progress;
    private final ByteBuffer room = ByteBuffer.allocate(ROOM);
    private final int axes = variable.shape().size();
    private final int width = variable.elements().width();
    private long written;

    Writing(MemberBytes file, FileChannel target, long from, LongConsumer progress) {
      this.file = file;
      this.target = target;
      this.from = from;
      this.progress = progress;
    }

    void write() throws IOException {
      for (Extent box : boxes) {
        if (isInside(box)) {
          write(box);
        }
        progress.accept(written);
      }
    }

    /** Goes through the rows of a box: what lies side by side in it and in the array. */
    private void write(Extent box) throws IOException {
      int whole = rowAxes(box);
      long row = width;
      for (int i = whole; i < axes; i++) {
        row *= inside(box, i);
      }
      long[] place = new long[whole];
      do {
        long inBox = 0;
        long inArray = 0;
        for (int i = 0; i < axes; i++) {
          long at = i < whole ? place[i] : 0;
          inBox = inBox * box.box().get(i) + at;
          inArray = inArray * variable.shape().get(i) + box.start().get(i) + at;
        }
        copy(box.offset() + inBox * width, from + inArray * width, row);
      } while (next(box, place));
    }

    /** The first of the axes of a row: those behind it are whole in the box and in the array. */
    private int rowAxes(Extent box) {
      int first = axes;
      while (first > 0) {
        first--;
        boolean whole =
            box.box().get(first).equals(variable.shape().get(first)) && box.start().get(first) == 0;
        if (!whole) {
          break;
        }
      }
      return first;
    }

    private boolean next(Extent box, long[] place) {
      for (int i = place.length - 1; i >= 0; i--) {
        if (++place[i] < inside(box, i)) {
          return true;
        }
        place[i] = 0;
      }
      return false;
    }

    private void copy(long offset, long to, long length) throws IOException {
      for (long done = 0; done < length; ) {
        int some = (int) Math.min(ROOM, length - done);
        file.read(offset + done, MemorySegment.ofArray(room.array()).asSlice(0, some));
        room.clear().limit(some);
        while (room.hasRemaining()) {
          target.write(room, to + done + room.position());
        }
        done += some;
      }
      written += length;
    }
  }
}
