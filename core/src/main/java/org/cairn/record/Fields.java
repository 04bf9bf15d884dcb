// SPDX-License-Identifier: Apache-2.0
package org.cairn.record;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;

/**
 * The fields of a record: tags ascending from 1 on, none twice. Whoever rewrites a record keeps the
 * fields that it does not know, behind those that it does; so a release numbers its fields without
 * gaps, and later ones go on from there.
 *
 * <pre>Fields → Field*      to the end of the record they are read from</pre>
 */
public final class Fields {
  private final RecordReader in;
  private final int[] tags;
  private final RecordReader[] readers;

  private Fields(RecordReader in, int[] tags, RecordReader[] readers) {
    this.in = in;
    this.tags = tags;
    this.readers = readers;
  }

  /** Reads all fields up to the end of the record. */
  public static Fields read(RecordReader in) throws CorruptContainerException {
    List<Integer> tags = new ArrayList<>();
    List<RecordReader> readers = new ArrayList<>();
    int before = 0;
    while (in.remaining() > 0) {
      int tag = in.getShort();
      if (tag <= before) {
        throw in.corrupt("field %04x after field %04x".formatted(tag, before));
      }
      before = tag;
      tags.add(tag);
      readers.add(in.getRecord(in.getCount(1)));
    }
    return new Fields(
        in,
        tags.stream().mapToInt(Integer::intValue).toArray(),
        readers.toArray(RecordReader[]::new));
  }

  /**
   * Refuses a record with fields that must be known to read it, and are not.
   *
   * @param what the record is, for messages
   * @param known the tags that the caller knows
   */
  public void requireKnown(String what, int... known) throws UnsupportedFormatException {
    for (int tag : tags) {
      if (tag >= Field.NEEDED && !contains(known, tag)) {
        throw new UnsupportedFormatException(
            "%s: %s has field %04x, which must be known to read it; use a newer release"
                .formatted(in.file(), what, tag),
            true);
      }
    }
  }

  /** The content of a field, if it is there. */
  public Optional<RecordReader> find(int tag) {
    for (int i = 0; i < tags.length; i++) {
      if (tags[i] == tag) {
        return Optional.of(readers[i]);
      }
    }
    return Optional.empty();
  }

  /** The content of a field that must be there. */
  public RecordReader get(int tag, String what) throws CorruptContainerException {
    Optional<RecordReader> found = find(tag);
    if (found.isEmpty()) {
      throw in.corrupt("there is no %s (field %04x)".formatted(what, tag));
    }
    return found.get();
  }

  /**
   * The fields that the caller does not know and may pass over, to be kept.
   *
   * @param known the tags that it does know
   * @throws UnsupportedFormatException if there is one that must be known to read the record
   */
  public List<Field> unknown(int... known)
      throws CorruptContainerException, UnsupportedFormatException {
    List<Field> unknown = new ArrayList<>();
    for (int i = 0; i < tags.length; i++) {
      if (!contains(known, tags[i])) {
        if (tags[i] >= Field.NEEDED) {
          throw new UnsupportedFormatException(
              "%s needs field %04x to be understood, which this release does not know: use a newer release"
                  .formatted(in.file(), tags[i]),
              true);
        }
        unknown.add(new Field(tags[i], readers[i].getRest()));
      }
    }
    return List.copyOf(unknown);
  }

  private static boolean contains(int[] known, int tag) {
    for (int one : known) {
      if (one == tag) {
        return true;
      }
    }
    return false;
  }
}
