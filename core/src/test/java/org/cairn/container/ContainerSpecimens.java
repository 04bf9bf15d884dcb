// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.cairn.record.Digest;
import org.cairn.record.Feature;
import org.cairn.record.Field;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.Specimen;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.BlockMap;
import org.cairn.version.Catalog;
import org.cairn.version.Lineage;
import org.cairn.version.MapRecord;
import org.cairn.version.Ownership;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.cairn.version.VersionHead;
import org.cairn.version.VersionId;
import org.cairn.version.VersionImage;

/** What containers are made of. */
public final class ContainerSpecimens {
  /** The container in {@link #store}. */
  public static final String FILE = "a.cairn";

  /** The newest version in it. */
  public static final VersionId NEWEST = TestRun.id(1, 5, 3);

  private ContainerSpecimens() {}

  /** A container that has seen some changes. */
  public static MemoryStore store(Random random) throws IOException {
    MemoryStore store = new MemoryStore();
    Ownership owner = owner(random);
    try (Container container =
        Container.open(store, FILE, Retention.newest(3), owner, random::nextLong)) {
      SmallState state = new SmallState();
      for (int i = 1; i <= NEWEST.sequence(); i++) {
        state.change(random);
        state.commit(container, TestRun.id(1, i, 3));
      }
    }
    return store;
  }

  static List<Specimen> all(Random random, Store store) throws IOException {
    Ownership owner = owner(random);
    List<Feature> features = List.of(new Feature("a.b", 0), new Feature("c", 1));
    try (StoreFile file = store.open(FILE, Store.Access.READ);
        ContainerReader reader = ContainerReader.open(store, FILE);
        Arena arena = Arena.ofConfined()) {
      ContainerFile.Anchor anchor = new ContainerFile(file, FILE).anchor();
      Root.Entry newest = anchor.root().versions().getLast();
      Pointer map = anchor.root().records().get(newest.lastRecord()).place();
      VersionView view = reader.view(NEWEST);
      return List.of(
          Specimen.of(
              "fields",
              Specimen.write(out -> out.putLongField(1, 2).putIntField(3, 4)),
              in -> Fields.read(in).unknown(1, 3)),
          Specimen.of(
              "features", Specimen.write(out -> Feature.write(features, out)), Feature::read),
          Specimen.of("version", Specimen.write(NEWEST::write), VersionId::read),
          Specimen.of("lineage", Specimen.write(owner.lineage()::write), Lineage::read),
          Specimen.of("ownership", Specimen.write(owner::write), Ownership::read),
          Specimen.of("root", bytes(file, anchor.superblock().root()), Root::read),
          Specimen.of("catalog", bytes(file, newest.catalog()), Catalog::read),
          Specimen.of("map", bytes(file, map), ContainerSpecimens::readMap),
          Specimen.of(
              "head",
              VersionHead.write(view, arena).toArray(ValueLayout.JAVA_BYTE),
              in -> VersionHead.read(in.getMemory(in.remaining()), in.file())),
          Specimen.of(
              "image",
              VersionImage.of(view, arena).bytes().toArray(ValueLayout.JAVA_BYTE),
              in -> VersionImage.read(in.getMemory(in.remaining()), in.file())));
    }
  }

  private static BlockMap readMap(RecordReader in) throws IOException {
    BlockMap map = new BlockMap();
    MapRecord.read(in, false, map);
    return map;
  }

  private static Ownership owner(Random random) {
    return new Ownership(lineage(random), Ownership.COPY, 1, 3);
  }

  private static Lineage lineage(Random random) {
    Field later = new Field(99, new byte[random.nextInt(5)]);
    RunInfo first =
        RunInfo.of(
            new RunId(1), Instant.EPOCH, 3, Optional.empty(), false, List.of(), Optional.empty());
    RunInfo second =
        RunInfo.of(
                new RunId(random.nextLong()),
                Instant.ofEpochMilli(random.nextLong(1L << 42)),
                3,
                Optional.of(TestRun.id(1, 5, 3)),
                true,
                List.of(TestRun.id(1, 7, 3), TestRun.id(2, 3, 4)),
                Optional.of(new RunId(1)))
            .leavingFiles(List.of(new Digest(random.nextLong(), 7), new Digest(8, 9)));
    return new Lineage(TestRun.lineage(3).job(), "plate-7", List.of(first, second), List.of(later));
  }

  private static byte[] bytes(StoreFile file, Pointer place) throws IOException {
    byte[] bytes = new byte[Math.toIntExact(place.length())];
    file.read(place.offset(), MemorySegment.ofArray(bytes));
    return bytes;
  }
}
