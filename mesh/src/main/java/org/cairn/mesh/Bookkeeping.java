// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.cairn.Checkpointer;
import org.cairn.Dataset;
import org.cairn.mesh.live.Box;
import org.cairn.mesh.weave.Purpose;
import org.jspecify.annotations.Nullable;

/**
 * What a version has beside fields: what is known of the program, digests of its loops, and the
 * record of values.
 */
final class Bookkeeping {
  static final String PROGRAM = "mesh.program";
  static final String LATE = "mesh.late";
  private static final String CHAIN = "mesh.chain";
  private static final String SEALED = "mesh.sealed";
  private static final String RECORD = "mesh.record";
  private static final String OWN = "mesh.own";
  private static final String OWN_SEALED = "mesh.own.sealed";

  /** What grows with each value that is recorded. */
  static final Set<String> RECORDS = Set.of(SEALED, RECORD, OWN, OWN_SEALED);

  private final Checkpointer cairn;
  private final Journal journal = new Journal();
  private final Journal own = new Journal();
  private final List<String> recordedHere = new ArrayList<>();
  private final Growing chain;
  private final Growing sealed;
  private final Growing tail;
  private final Dataset program;
  private final Dataset late;
  private final List<Growing> ownDatasets = new ArrayList<>();
  private List<SavedField> saved = List.of();
  private byte[] programBytes = {};
  private byte[] lateBytes = {};
  private @Nullable KnownLoop marker;

  /** Bytes that only grow, or were just restored. */
  private static final class Growing {
    private final Supplier<MemorySegment> live;
    private final Dataset dataset;
    private @Nullable MemorySegment restored;

    Growing(Checkpointer cairn, String name, Supplier<MemorySegment> live) {
      this.live = live;
      this.dataset = cairn.protect(name, MemorySegment.class, this::current, this::allocate);
    }

    MemorySegment current() {
      return restored == null ? live.get() : restored;
    }

    private MemorySegment allocate(long bytes) {
      MemorySegment room = Arena.ofAuto().allocate(bytes, Long.BYTES);
      restored = room;
      return room;
    }

    void settle() {
      restored = null;
    }
  }

  Bookkeeping(Checkpointer cairn, Chain chain) {
    this.cairn = cairn;
    this.program =
        cairn
            .protect(
                PROGRAM,
                byte[].class,
                () -> programBytes,
                size -> programBytes = new byte[Math.toIntExact(size)])
            .everywhere();
    this.late =
        cairn
            .protect(
                LATE,
                byte[].class,
                () -> lateBytes,
                size -> lateBytes = new byte[Math.toIntExact(size)])
            .everywhere();
    this.chain = new Growing(cairn, CHAIN, () -> chain.digests().memory());
    this.sealed = new Growing(cairn, SEALED, () -> journal.sealed().memory());
    this.tail = new Growing(cairn, RECORD, () -> journal.tail().memory());
    List.of(this.chain, sealed, tail).forEach(one -> one.dataset.everywhere());
  }

  // ---------------------------------------------------------------- saving

  void saved(List<SavedField> fields) {
    saved = fields;
  }

  List<SavedField> saved() {
    return saved;
  }

  void note(SavedProgram now, Cells cells) {
    programBytes = now.toBytes(cells);
  }

  /** What is saved at the place: as it is there. */
  Dataset[] atPlace() {
    List<Dataset> all =
        new ArrayList<>(List.of(program, chain.dataset, sealed.dataset, tail.dataset));
    ownDatasets.forEach(one -> all.add(one.dataset));
    return all.toArray(Dataset[]::new);
  }

  /** Says which points were saved late. */
  void noteLate(List<Datasets.Late> points) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(points.size());
      for (Datasets.Late one : points) {
        one.saved().write(out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    lateBytes = bytes.toByteArray();
  }

  Dataset late() {
    return late;
  }

  // ---------------------------------------------------------------- values

  Journal journal() {
    return journal;
  }

  Journal own() {
    return own;
  }

  List<String> recordedHere() {
    return recordedHere;
  }

  /** Keeps a value that only this rank has, as a journal has it. */
  void recordOwn(byte[] value) {
    String where = Callers.caller().words();
    if (!recordedHere.contains(where)) {
      recordedHere.add(where);
    }
    protectOwn();
    own.appendEncoded(value);
  }

  private void protectOwn() {
    if (ownDatasets.isEmpty()) {
      ownDatasets.add(new Growing(cairn, OWN, () -> own.tail().memory()));
      ownDatasets.add(new Growing(cairn, OWN_SEALED, () -> own.sealed().memory()));
    }
  }

  // ---------------------------------------------------------------- restoring

  SavedProgram program() {
    return SavedProgram.of(programBytes);
  }

  List<SavedField> lateFields() {
    return lateFields(lateBytes);
  }

  static List<SavedField> lateFields(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      return bytes.length == 0 ? List.of() : SavedProgram.saved(in);
    } catch (IOException e) {
      throw new UncheckedIOException("what was saved of the mesh cannot be read", e);
    }
  }

  /** Prepares for what each rank recorded for itself, if it did. */
  void awaitOwn(List<String> where) {
    if (!where.isEmpty()) {
      recordedHere.addAll(where);
      protectOwn();
    }
  }

  /** Values are given again from the first one on. */
  void restored(SavedProgram program) {
    saved = program.saved();
    journal.restore(sealed.current(), tail.current());
    sealed.settle();
    tail.settle();
    if (!ownDatasets.isEmpty()) {
      own.restore(ownDatasets.get(1).current(), ownDatasets.get(0).current());
      ownDatasets.forEach(Growing::settle);
    }
  }

  /** Digests as they were stored, until the program has come so far itself. */
  MemorySegment storedDigests() {
    return chain.current();
  }

  void arrived() {
    chain.settle();
  }

  /** A loop that does nothing, where the program says here(). */
  KnownLoop marker(KnownLoops known, Fields fields) {
    KnownLoop made = marker;
    if (made == null) {
      if (fields.size() == 0) {
        throw new IllegalStateException("here() comes before the first field; make fields first");
      }
      Data any = fields.get(0);
      Range nowhere = new Range(any.domain(), Box.EMPTY, false);
      LoopKey key =
          new LoopKey(
              Bookkeeping.class, Purpose.EACH, "here()", nowhere, Access.reads(), null, null, null);
      made = new KnownLoop(known.size(), key, "here()", 0, fields);
      known.add(made);
      marker = made;
    }
    return made;
  }
}
