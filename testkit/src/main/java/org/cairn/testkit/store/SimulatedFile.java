// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store.Access;
import org.cairn.store.StoreFile;

/**
 * One file of a {@link SimulatedDisk}, apart from its name: the bytes a running program sees, the
 * bytes that a crash cannot take, and the log of changes that lie between the two.
 *
 * <p>Durable bytes + whole log = visible bytes. A force makes the changes of the log certain, a
 * failed force makes them doubtful for ever. Certain changes at the head of the log move into the
 * durable bytes; behind a doubtful one they stay, because the order of overlapping changes counts.
 */
final class SimulatedFile {
  private static final String BYTES = "bytes";

  private sealed interface Effect {}

  @SuppressWarnings("ArrayRecordComponent") // never compared, never changed
  private record Write(long position, byte[] bytes) implements Effect {}

  private record Truncate(long size) implements Effect {}

  private record Flip(long bit) implements Effect {}

  private record Change(Effect effect, Durability state) {
    Change with(Durability newState) {
      return new Change(effect, newState);
    }
  }

  private final MemoryStore visibleImage;
  private final MemoryStore durableImage;
  private final StoreFile visible;
  private final StoreFile durable;
  private final List<Change> log;

  /** A new, empty file. */
  SimulatedFile() throws IOException {
    this(new MemoryStore(), new MemoryStore(), List.of());
  }

  private SimulatedFile(MemoryStore visibleImage, MemoryStore durableImage, List<Change> log)
      throws IOException {
    this.visibleImage = visibleImage;
    this.durableImage = durableImage;
    this.visible = visibleImage.open(BYTES, Access.CREATE);
    this.durable = durableImage.open(BYTES, Access.CREATE);
    this.log = new ArrayList<>(log);
  }

  long size() throws IOException {
    return visible.size();
  }

  long read(long position, MemorySegment target) throws IOException {
    return visible.read(position, target);
  }

  void write(long position, MemorySegment source) throws IOException {
    if (source.byteSize() > 0) {
      visible.write(position, source);
      byte[] bytes = new byte[Math.toIntExact(source.byteSize())];
      MemorySegment.copy(source, 0, MemorySegment.ofArray(bytes), 0, bytes.length);
      log.add(new Change(new Write(position, bytes), Durability.PENDING));
    }
  }

  void truncate(long size) throws IOException {
    if (size < visible.size()) {
      visible.truncate(size);
      log.add(new Change(new Truncate(size), Durability.PENDING));
    }
  }

  void force() throws IOException {
    log.replaceAll(change -> change.with(change.state().forced()));
    moveCertainToDurable();
  }

  /** The system reports that writing back failed, once; afterwards it takes the bytes for clean. */
  void failForce() {
    log.replaceAll(change -> change.with(change.state().forcedInVain()));
  }

  private void moveCertainToDurable() throws IOException {
    int certain = 0;
    while (certain < log.size() && log.get(certain).state() == Durability.CERTAIN) {
      apply(log.get(certain).effect(), durable);
      certain++;
    }
    log.subList(0, certain).clear();
  }

  /** The medium changes a bit, under the eyes of nobody. */
  void flipBit(long bit) throws IOException {
    apply(new Flip(bit), visible);
    log.add(new Change(new Flip(bit), Durability.CERTAIN));
    moveCertainToDurable();
  }

  boolean hasUnforced() {
    return log.stream().anyMatch(change -> change.state() != Durability.CERTAIN);
  }

  SimulatedFile copy() throws IOException {
    return new SimulatedFile(visibleImage.copy(), durableImage.copy(), log);
  }

  /** The file as it is found after a crash: everything that is left of it is durable. */
  SimulatedFile afterCrash(Fate fate) throws IOException {
    MemoryStore survivor = durableImage.copy();
    try (StoreFile disk = survivor.open(BYTES, Access.WRITE)) {
      for (Change change : log) {
        if (change.state() == Durability.CERTAIN) {
          apply(change.effect(), disk);
        } else {
          settle(change.effect(), disk, fate);
        }
      }
    }
    return new SimulatedFile(survivor, survivor.copy(), List.of());
  }

  private static void settle(Effect effect, StoreFile disk, Fate fate) throws IOException {
    switch (effect) {
      case Write(long position, byte[] bytes) -> fate.settleWrite(disk, position, bytes);
      case Truncate truncate -> {
        if (fate.keeps()) {
          apply(truncate, disk);
        }
      }
      case Flip flip -> apply(flip, disk);
    }
  }

  private static void apply(Effect effect, StoreFile file) throws IOException {
    switch (effect) {
      case Write(long position, byte[] bytes) -> file.write(position, MemorySegment.ofArray(bytes));
      case Truncate(long size) -> file.truncate(size);
      case Flip(long bit) -> flip(file, bit);
    }
  }

  private static void flip(StoreFile file, long bit) throws IOException {
    MemorySegment octet = MemorySegment.ofArray(new byte[1]);
    if (file.read(bit / Byte.SIZE, octet) == 1) {
      byte flipped = (byte) (octet.get(ValueLayout.JAVA_BYTE, 0) ^ (1 << (bit % Byte.SIZE)));
      octet.set(ValueLayout.JAVA_BYTE, 0, flipped);
      file.write(bit / Byte.SIZE, octet);
    }
  }
}
