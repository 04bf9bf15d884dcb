// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.hash.Xxh3;
import org.cairn.record.ByteOrderMark;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.store.StoreFile;
import org.cairn.supply.Supply;
import org.cairn.version.VersionFormat;

/**
 * The anchor of a container, kept twice; see {@link ContainerFormat}.
 *
 * @param slot which of the two places this one was read from
 * @param id names the container for its whole life
 * @param sequence grows with every superblock written; the larger one of two is the newer
 * @param epoch the newest epoch any version of this container may carry
 * @param lastSequence the largest sequence of any committed version
 * @param root where the list of retained versions lies
 * @param end how long the file was at least
 */
record Superblock(
    int slot, UUID id, long sequence, long epoch, long lastSequence, Pointer root, long end) {

  /** Writes this superblock to its slot. The caller forces. */
  void write(StoreFile file) throws IOException {
    RecordWriter out = RecordWriter.onHeap();
    encode(out);
    file.write(slot * ContainerFormat.SUPERBLOCK_STRIDE, out.bytes());
  }

  private void encode(RecordWriter out) {
    out.putLong(ContainerFormat.MAGIC);
    out.putInt(ByteOrderMark.NATIVE);
    out.putInt(ContainerFormat.VERSION);
    out.putLong(id.getMostSignificantBits());
    out.putLong(id.getLeastSignificantBits());
    out.putLong(sequence);
    out.putLong(epoch);
    out.putLong(lastSequence);
    root.write(out);
    out.putLong(end);
    long[] checksum = new long[2];
    Xxh3.digest(out.bytes(), 0, out.position(), checksum, 0);
    out.putLong(checksum[0]);
    out.putLong(checksum[1]);
  }

  /** The other slot, which the next superblock goes to: this one must survive a torn write. */
  int otherSlot() {
    return 1 - slot;
  }

  /** What was found in the two slots: the readable ones, newest first, and what ails the others. */
  record Pair(List<Superblock> readable, List<String> problems) {}

  /**
   * Reads both slots.
   *
   * @throws UnsupportedFormatException if the file is foreign, or of a newer format
   * @throws CorruptContainerException if it is a container, but neither slot can be read
   */
  static Pair readBoth(StoreFile file, String location) throws IOException {
    List<Superblock> readable = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    List<Foreign> foreign = new ArrayList<>();
    for (int slot = 0; slot < 2; slot++) {
      switch (read(file, slot)) {
        case Found found -> readable.add(found.superblock);
        case Damaged damaged -> problems.add("superblock " + slot + ": " + damaged.what);
        case Foreign other -> {
          if (other.certain) {
            // The other slot may be readable, but what wrote this one knew better.
            throw new UnsupportedFormatException(location + " " + other.what, other.ours);
          }
          foreign.add(other);
        }
      }
    }
    if (readable.isEmpty()) {
      throw nothingReadable(location, file.size(), foreign, problems);
    }
    foreign.forEach(other -> problems.add("one superblock " + other.what));
    readable.sort(Comparator.comparingLong(Superblock::sequence).reversed());
    return new Pair(readable, problems);
  }

  private static IOException nothingReadable(
      String location, long size, List<Foreign> foreign, List<String> problems) {
    if (!foreign.isEmpty()) {
      boolean ours = foreign.stream().anyMatch(Foreign::ours);
      return new UnsupportedFormatException(location + " " + foreign.getFirst().what, ours);
    }
    return new CorruptContainerException(
        location,
        0,
        "neither superblock can be read, the file has " + size + " bytes; " + problems);
  }

  private sealed interface Slot {}

  private record Found(Superblock superblock) implements Slot {}

  private record Damaged(String what) implements Slot {}

  /**
   * Something this release does not read.
   *
   * @param certain whether its checksum holds
   * @param ours whether it begins like a container, so that somebody else may be able to read it
   */
  private record Foreign(String what, boolean certain, boolean ours) implements Slot {}

  private static Slot read(StoreFile file, int slot) throws IOException {
    try (Arena arena = Supply.confinedArena()) {
      MemorySegment bytes = arena.allocate(ContainerFormat.SUPERBLOCK_BYTES, 8);
      long position = slot * ContainerFormat.SUPERBLOCK_STRIDE;
      long count;
      try {
        count = file.read(position, bytes);
      } catch (ClosedChannelException e) {
        throw e;
      } catch (IOException e) {
        // A bad sector is damage like any other: the other slot may be fine.
        return new Damaged("it cannot be read: " + e.getMessage());
      }
      if (count < bytes.byteSize()) {
        return slot == 0 && count < 8 ? notAContainer(count) : new Damaged("the file is cut off");
      }
      return decode(bytes, slot, file.name());
    }
  }

  private static Slot notAContainer(long bytes) {
    return new Foreign(
        "is not a Cairn container: "
            + (bytes == 0 ? "it is empty" : "it has only " + bytes + " bytes")
            + "; move it away to start anew",
        false,
        false);
  }

  private static Slot decode(MemorySegment bytes, int slot, String name) throws IOException {
    RecordReader in = new RecordReader(bytes, name, slot * ContainerFormat.SUPERBLOCK_STRIDE);
    long magic = in.getLong();
    int byteOrder = in.getInt();
    int version = in.getInt();
    boolean intact = checksumHolds(bytes);
    if (magic != ContainerFormat.MAGIC && !intact) {
      return slot == 0
          ? new Foreign("is not a Cairn container (it does not begin like one)", false, false)
          : new Damaged("it does not begin with the mark of a container");
    }
    if (ByteOrderMark.isOpposite(byteOrder)) {
      return new Foreign(
          "was written with the opposite byte order; restart it on a machine of that kind",
          intact,
          true);
    }
    if (version != ContainerFormat.VERSION && byteOrder == ByteOrderMark.NATIVE) {
      return new Foreign(otherVersion(version, intact), intact, true);
    }
    if (!intact) {
      return new Damaged("its checksum does not hold");
    }
    UUID id = new UUID(in.getLong(), in.getLong());
    Superblock found =
        new Superblock(
            slot, id, in.getLong(), in.getLong(), in.getLong(), Pointer.read(in), in.getLong());
    return found.isPlausible() ? new Found(found) : new Damaged("its numbers are impossible");
  }

  private static String otherVersion(int version, boolean intact) {
    return "has container format version %s; this release reads version %d: %s%s"
        .formatted(
            Integer.toUnsignedString(version),
            ContainerFormat.VERSION,
            Integer.compareUnsigned(version, ContainerFormat.VERSION) > 0
                ? "use a newer release"
                : "it was never released, use the build that wrote it or move the file away",
            intact ? "" : " (or the superblock is damaged: its checksum does not hold)");
  }

  private boolean isPlausible() {
    return isNumber(sequence)
        && isNumber(epoch)
        && isNumber(lastSequence)
        && end >= 0
        && end <= VersionFormat.MAX_FILE;
  }

  private static boolean isNumber(long value) {
    return value >= 0 && value < ContainerFormat.MAX_NUMBER;
  }

  private static boolean checksumHolds(MemorySegment bytes) {
    long covered = ContainerFormat.SUPERBLOCK_BYTES - 16;
    Digest checksum =
        new Digest(
            bytes.get(ContainerFormat.LONG, covered), bytes.get(ContainerFormat.LONG, covered + 8));
    return checksum.isOf(bytes.asSlice(0, covered));
  }
}
