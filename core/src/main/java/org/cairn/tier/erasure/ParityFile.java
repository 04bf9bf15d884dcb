// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.cairn.container.BlockReader;
import org.cairn.container.Container;
import org.cairn.container.VersionView;
import org.cairn.supply.Supply;
import org.cairn.tier.Copies;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The container in which a rank keeps parity: its own share, the layout, and the maps of itself and
 * of the members before it.
 */
final class ParityFile {
  private static final Logger LOG = LoggerFactory.getLogger(ParityFile.class);

  private final Copies copies;
  private final List<Integer> ranks;
  private final int me;

  /**
   * The layouts of the versions that there were when this was asked last. The root digest of a
   * version stands for its layout too, so that none needs to be read twice: the map of a version
   * that is not the newest would have to be loaded for it.
   */
  private Map<VersionInfo, ParityLayout.Placed> known = Map.of();

  /**
   * The parity of one member.
   *
   * @param ranks the members of its group
   * @param me which of them it is
   */
  ParityFile(Copies copies, List<Integer> ranks, int me) {
    this.copies = copies;
    this.ranks = ranks;
    this.me = me;
  }

  static String headName(int rank) {
    return "head." + rank;
  }

  static String mapName(int rank) {
    return "map." + rank;
  }

  /** The map of a member as a version of a parity container has it. */
  static MemberMap readMap(VersionView view, int rank) throws IOException {
    byte[] pages = read(view, mapName(rank), MemberMap.MAX_BYTES);
    return MemberMap.of(readHead(view, rank), pages, "the map of rank " + rank);
  }

  static MemberHead readHead(VersionView view, int rank) throws IOException {
    return MemberHead.read(
        read(view, headName(rank), MemberHead.MAX_BYTES), "the head of rank " + rank);
  }

  /** All bytes of a dataset that can be no longer than {@code most}, verified. */
  static byte[] read(VersionView view, String name, int most) throws IOException {
    DatasetEntry dataset =
        view.find(name)
            .orElseThrow(
                () -> new IOException("no \"%s\" in %s".formatted(name, view.info().id())));
    // Before any memory is taken: zeros of any length cost a file nothing.
    if (dataset.spec().byteLength() > most) {
      throw new IOException(
          "\"%s\" in %s has %d bytes; it can have %d"
              .formatted(name, view.info().id(), dataset.spec().byteLength(), most));
    }
    byte[] bytes = Supply.bytes((int) dataset.spec().byteLength());
    try (BlockReader reader = new BlockReader(view)) {
      for (int block = 0; block < dataset.blocks(); block++) {
        MemorySegment.copy(
            reader.read(dataset, block),
            ValueLayout.JAVA_BYTE,
            0,
            bytes,
            block * dataset.spec().blockSize(),
            dataset.blockLength(block));
      }
    }
    return bytes;
  }

  /** The layouts of all versions of this group that can be read and are not distrusted. */
  Map<VersionId, ParityLayout> layouts(Set<VersionId> distrusted) throws IOException {
    Container container = copies.open();
    Map<VersionInfo, ParityLayout.Placed> found = new LinkedHashMap<>();
    Map<VersionId, ParityLayout> layouts = new LinkedHashMap<>();
    for (VersionInfo info : container.versions()) {
      if (!distrusted.contains(info.id())) {
        try {
          ParityLayout.Placed before = known.get(info);
          ParityLayout.Placed placed =
              before != null ? before : ParityLayout.read(container.view(info));
          found.put(info, placed);
          if (placed.index() == me && placed.layout().ranks().equals(ranks)) {
            layouts.put(info.id(), placed.layout());
          }
        } catch (IOException e) {
          LOG.warn("{} is passed over: {}", container.location(), e.getMessage());
        }
      }
    }
    known = found;
    return layouts;
  }

  Optional<VersionInfo> find(VersionId id) throws IOException {
    return copies.open().versions().stream().filter(info -> info.id().equals(id)).findFirst();
  }

  /** A version that is known to be there. */
  VersionView view(VersionId id) throws IOException {
    VersionInfo info =
        find(id).orElseThrow(() -> new IOException("parity of version " + id + " has gone"));
    return copies.open().view(info);
  }

  /** The head of a member's map, of parity that is known to be there. */
  MemberHead head(VersionId id, int rank) throws IOException {
    try {
      return readHead(view(id), rank);
    } catch (IOException e) {
      throw new DamagedBaseException(true, id, e);
    }
  }

  /**
   * The container, ready for a version that continues the one before it. What is newer belongs to
   * updates that not all members completed, and goes.
   */
  Container continuing(VersionId id) throws IOException {
    Container container = copies.open();
    if (container.versions().isEmpty()) {
      return container;
    }
    Optional<VersionInfo> before =
        container.versions().stream().filter(info -> info.id().compareTo(id) < 0).findFirst();
    if (before.isEmpty()) {
      // There is nothing in it but other makings of this very version.
      copies.discard();
      return copies.open();
    }
    container.continueFrom(before.get());
    return container;
  }

  /** The container, ready for a version that is made from {@code base}. */
  Container continuingFrom(VersionId base) throws IOException {
    Container container = copies.open();
    container.continueFrom(view(base).info());
    return container;
  }
}
