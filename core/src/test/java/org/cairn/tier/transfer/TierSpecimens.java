// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.cairn.container.BlockReader;
import org.cairn.container.ContainerReader;
import org.cairn.container.ContainerSpecimens;
import org.cairn.container.VersionView;
import org.cairn.record.RecordWriter;
import org.cairn.record.Specimen;
import org.cairn.store.Store;
import org.cairn.tier.Objections;
import org.cairn.version.DatasetEntry;

/** The messages that bring a version to another container. */
public final class TierSpecimens {
  private static final int MOST_BLOCKS = 20;

  private TierSpecimens() {}

  /** Messages about the container in a store. */
  public static List<Specimen> all(Store store) throws IOException {
    try (ContainerReader reader = ContainerReader.open(store, ContainerSpecimens.FILE)) {
      VersionView view = reader.view(ContainerSpecimens.NEWEST);
      List<DatasetEntry> datasets = new ArrayList<>(view.datasets());
      List<Wire.Offered> offer = reader.versions().stream().map(Wire.Offered::of).toList();
      return List.of(
          Specimen.of(
              "offer", new Wire.Offer(offer, Set.of(3, 70)).write().toArray(), Wire.Offer::read),
          new Specimen(
              "objections", new Objections(2, List.of("no")).write(), "", Objections::read),
          Specimen.of("blocks", blocks(view, datasets), in -> Wire.readBlocks(in, datasets)));
    }
  }

  private static byte[] blocks(VersionView view, List<DatasetEntry> datasets) throws IOException {
    RecordWriter headers = RecordWriter.onHeap();
    RecordWriter bytes = RecordWriter.onHeap();
    int count = 0;
    try (BlockReader reader = new BlockReader(view)) {
      for (int number = 0; number < datasets.size(); number++) {
        DatasetEntry dataset = datasets.get(number);
        for (int block = 0; block < dataset.blocks() && count < MOST_BLOCKS; block++, count++) {
          BlockReader.Stored stored = reader.readStored(dataset, block);
          byte[] content = stored.bytes().toArray(ValueLayout.JAVA_BYTE);
          new Wire.Block(
                  number,
                  block,
                  stored.codec(),
                  view.isZero(dataset, block) ? Wire.Block.ZEROS : content.length,
                  view.low(dataset, block),
                  view.high(dataset, block))
              .write(headers);
          bytes.putBytes(content);
        }
      }
    }
    return Specimen.write(
        out ->
            out.putInt((int) (headers.position() / Wire.Block.BYTES))
                .putBytes(headers.toArray())
                .putBytes(bytes.toArray()));
  }
}
