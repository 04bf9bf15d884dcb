// SPDX-License-Identifier: Apache-2.0
package org.cairn.redivision;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.cairn.Changes;
import org.cairn.CorruptContainerException;
import org.cairn.ElementType;
import org.cairn.RestartReport.Content;
import org.cairn.comm.Communicator;
import org.cairn.division.Division;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;

/**
 * What ranks saved together, for the program: unlike an {@link Inventory} it does not grow with
 * their number.
 *
 * <pre>SavedContents → (name:text kind:u32 type:u32 axes:u32 extent:u64*)*</pre>
 */
public final class SavedContents {
  private SavedContents() {}

  /**
   * What all ranks saved; collective.
   *
   * @param mine what this one did
   * @param changes how names have changed since
   */
  public static List<Content> gather(Communicator comm, VersionSource mine, Changes changes)
      throws IOException {
    List<Content> here = of(comm.rank(), mine, changes);
    return comm.size() == 1 ? here : read(comm.allMerge(write(here), SavedContents::merge));
  }

  /** A version may have a hundred thousand datasets, of which most are simply there. */
  private static List<Content> of(int rank, VersionSource mine, Changes changes) {
    List<Content> all = new ArrayList<>();
    List<DatasetEntry> divided = new ArrayList<>();
    for (DatasetEntry entry : mine.datasets()) {
      switch (entry.spec().division()) {
        case Division.Alone _ -> all.add(whole(entry, Content.Kind.ALONE, changes));
        case Division.Everywhere _ -> all.add(whole(entry, Content.Kind.EVERYWHERE, changes));
        case Division.Parts _, Division.Bag _ -> divided.add(entry);
      }
    }
    all.addAll(Inventory.of(rank, divided, changes).contents());
    return sorted(all);
  }

  private static Content whole(DatasetEntry entry, Content.Kind kind, Changes changes) {
    String name = changes.nameNow(entry.name());
    return new Content(name, kind, entry.spec().type(), entry.spec().shape());
  }

  private static byte[] merge(byte[] one, byte[] next) {
    try {
      List<Content> both = new ArrayList<>(read(one));
      both.addAll(read(next));
      return write(merged(both));
    } catch (CorruptContainerException e) {
      throw new IllegalStateException("what ranks saved", e);
    }
  }

  private static List<Content> merged(Collection<Content> all) {
    Map<String, Content> byKey = new TreeMap<>();
    all.forEach(one -> byKey.merge(one.kind() + " " + one.name(), one, SavedContents::merge));
    return sorted(byKey.values());
  }

  /** What two ranks saved under one name. */
  static Content merge(Content one, Content next) {
    List<Long> shape =
        switch (one.kind()) {
          case ARRAY, EVERYWHERE -> one.shape();
          case BAG -> List.of(one.shape().get(0) + next.shape().get(0), one.shape().get(1));
          case ALONE -> List.<Long>of();
        };
    return new Content(one.name(), one.kind(), one.type(), shape);
  }

  static List<Content> sorted(Collection<Content> all) {
    return all.stream()
        .sorted(Comparator.comparing(Content::name).thenComparing(Content::kind))
        .toList();
  }

  private static byte[] write(List<Content> all) {
    RecordWriter out = RecordWriter.onHeap();
    for (Content one : all) {
      out.putText(one.name()).putText(one.kind().name()).putInt(one.type().id());
      out.putInt(one.shape().size());
      one.shape().forEach(out::putLong);
    }
    return out.toArray();
  }

  private static List<Content> read(byte[] message) throws CorruptContainerException {
    RecordReader in = RecordReader.of(message, "what ranks saved");
    List<Content> all = new ArrayList<>();
    while (in.remaining() > 0) {
      String name = in.getText();
      Content.Kind kind = Content.Kind.valueOf(in.getText());
      ElementType type = ElementType.of(in.getInt());
      List<Long> shape = new ArrayList<>();
      for (int axes = in.getCount(Long.BYTES); axes > 0; axes--) {
        shape.add(in.getLong());
      }
      all.add(new Content(name, kind, type, shape));
    }
    return all;
  }
}
