// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.pack.locate.Extent;
import org.cairn.pack.locate.MalformedException;
import org.cairn.pack.locate.Variable;
import org.jspecify.annotations.Nullable;

/** A dataset, and how its extents are found. */
final class Dataset {
  /** So many files are named where data is elsewhere. */
  private static final int MOST_NAMES = 4;

  private final Metadata file;
  private final String path;
  private final DataObject object;
  private final long at;

  Dataset(Metadata file, String path, DataObject object, long at) {
    this.file = file;
    this.path = path;
    this.object = object;
    this.at = at;
  }

  /** Adds what it has in this file. */
  void locate() throws IOException, MalformedException {
    if (object.externalFiles() != null) {
      file.note(at, "has its data in other files: " + externalFiles(object.externalFiles()));
      return;
    }
    Layout layout = Layout.read(body(object.layout(), "layout"));
    Dataspace space = Dataspace.read(body(object.dataspace(), "dataspace"));
    Optional<Values> values = file.alike().values(body(object.datatype(), "datatype"));
    if (layout instanceof Layout.Virtual virtual) {
      file.note(
          at,
          "is made of other datasets, the first of them " + VirtualSources.first(file, virtual));
    } else if (values.isPresent() && !space.isEmpty()) {
      locate(layout, space, values.get());
    }
  }

  private void locate(Layout layout, Dataspace space, Values values)
      throws IOException, MalformedException {
    List<Long> shape = file.alike().shape(space.lengths(), values.axes());
    Variable variable = new Variable(path, values.elements(), values.type(), shape);
    if (layout instanceof Layout.InOnePlace place) {
      inOnePlace(place, space, values, variable);
    } else if (layout instanceof Layout.Chunked chunked) {
      tellStorage(variable, values);
      inChunks(chunked, space, values, variable);
    }
  }

  /** What stands for elements that nobody wrote, and whether others went through filters. */
  private void tellStorage(Variable variable, Values values)
      throws IOException, MalformedException {
    if (file.wantsStorage(path)) {
      file.storage(variable, StoredAs.read(file, object, values.bytes()));
    }
  }

  private void inOnePlace(
      Layout.InOnePlace place, Dataspace space, Values values, Variable variable)
      throws IOException, MalformedException {
    // Nothing has been written yet.
    if (place.at() == Cursor.UNDEFINED) {
      tellStorage(variable, values);
      return;
    }
    long bytes = Chunks.bytes(at, space.lengths(), values.bytes());
    if (bytes > place.bytes()) {
      throw new MalformedException(
          at, "has less room than %,d bytes for its elements".formatted(bytes));
    }
    file.found(Extent.whole(variable, place.at(), bytes));
    file.twin().remember(file, object, variable, bytes);
  }

  private void inChunks(Layout.Chunked chunked, Dataspace space, Values values, Variable variable)
      throws IOException, MalformedException {
    if (chunked.lengths().length != space.rank() || chunked.elementBytes() != values.bytes()) {
      throw new MalformedException(at, "has chunks that do not fit its type or space");
    }
    if (chunked.at() != Cursor.UNDEFINED) {
      new Chunks(file, variable, space, values, chunked, filters(object.filters())).locate();
    }
  }

  /** How many filters there are: the second byte, in all versions. */
  private int filters(@Nullable Message message) throws IOException, MalformedException {
    return message == null ? 0 : file.body(message).skip(1).u8();
  }

  private Cursor body(@Nullable Message message, String what)
      throws IOException, MalformedException {
    if (message == null) {
      throw new MalformedException(at, "has no " + what);
    }
    return file.body(message);
  }

  /**
   * The names of other files.
   *
   * <pre>
   * Message → 1, 0:24, Allocated:16, Used:16, Heap:address, (Name:length, Offset:length, Size:length)*
   * </pre>
   */
  private String externalFiles(Message message) throws IOException, MalformedException {
    Cursor body = file.body(message).skip(6);
    int used = body.u16();
    Cursor heap = SymbolTable.heap(file, body.address());
    List<String> names = new ArrayList<>();
    for (int i = 0; i < used && i < MOST_NAMES; i++) {
      names.add(SymbolTable.name(heap, body.length()));
      body.skip(2L * file.superblock().lengthBytes());
    }
    return String.join(", ", names) + (used > MOST_NAMES ? ", …" : "");
  }
}
