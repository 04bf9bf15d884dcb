// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.record.Digest;
import org.cairn.tier.Deltas;
import org.cairn.tier.erasure.Situation.Footing;
import org.cairn.tier.erasure.Situation.Making;
import org.cairn.version.Delta;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * What a member gives to the parity of a version: its map, and what of its bytes is not as it was.
 *
 * @param head the head of its map
 * @param maps the rest of it
 * @param sinceBase what of its bytes changed, for those who have the base
 */
record Contribution(MemberHead head, Maps maps, Difference sinceBase) {

  /** The map of the version, made when somebody wants it. */
  interface Maps {
    /** For whoever has the map that goes with the base. */
    MapMessage sinceBase() throws IOException;

    MemberMap whole() throws IOException;

    /** The version with all of its map, at its places. */
    Difference.Placed placed() throws IOException;
  }

  /** All of its bytes, for those who have nothing. */
  Difference sinceNothing() throws IOException {
    return Difference.ofAll(maps.placed());
  }

  Intent intent(Stripes stripes) {
    long window = stripes.windowBytes(false);
    return new Intent(
        head.root(),
        Digest.of(head.space().write()),
        head.space().end(),
        sinceBase.bytes(),
        sinceBase.windows(window),
        head.space().windows(window));
  }

  /**
   * Finds out what a member has to give: from what its container remembers of its versions, where
   * that leads from a base that all members have; else by comparing maps.
   *
   * @param rank the member
   * @param local its container
   * @param file its parity
   * @param deltas what is remembered
   */
  record Maker(
      int me, int rank, VersionId version, ContainerReader local, ParityFile file, Deltas deltas) {

    /**
     * Makes it.
     *
     * @param taught where the member's bytes lie, as far as others had to tell it
     * @throws DamagedBaseException if what it would build on is damaged
     */
    Contribution make(Footing footing, Spaces taught) throws IOException {
      Making base = footing.base();
      if (base != null && base.isHeldByAll() && footing.known() == null) {
        Optional<Contribution> quick = remembered(base);
        if (quick.isPresent()) {
          return quick.get();
        }
      }
      return compared(footing, taught);
    }

    // What is remembered.

    /** Reads no map: takes as long as there are changes. */
    private Optional<Contribution> remembered(Making base) throws IOException {
      Optional<Delta> known =
          deltas
              .since(base.version(), base.layout().members().get(me).root())
              .filter(this::isRetained);
      if (known.isEmpty()) {
        return Optional.empty();
      }
      Delta delta = known.get();
      VersionView now = local.changed(delta);
      VersionView before = local.gone(delta);
      MemberHead old = file.head(base.version(), rank);
      if (!old.hasSlotsOf(before)) {
        return Optional.empty();
      }
      ByteSpace space = old.space().next(sizes(now));
      MemberHead head = MemberHead.of(now, space);
      Difference difference =
          Difference.of(
              delta, new Difference.Placed(before, old.space()), new Difference.Placed(now, space));
      Maps maps = new RememberedMaps(MapPatch.of(delta, now, head), space);
      return Optional.of(new Contribution(head, maps, difference));
    }

    private boolean isRetained(Delta delta) {
      return local.versions().containsAll(List.of(delta.base(), delta.version()));
    }

    private final class RememberedMaps implements Maps {
      private final MapPatch patch;
      private final ByteSpace space;
      private Optional<Difference.Placed> whole = Optional.empty();

      RememberedMaps(MapPatch patch, ByteSpace space) {
        this.patch = patch;
        this.space = space;
      }

      @Override
      public MapMessage sinceBase() throws IOException {
        return patch.isLongerThanWhole() ? whole() : patch;
      }

      @Override
      public MemberMap whole() throws IOException {
        return MemberMap.of(placed().view(), space);
      }

      @Override
      public Difference.Placed placed() throws IOException {
        Difference.Placed placed = whole.orElse(null);
        if (placed == null) {
          placed = new Difference.Placed(view(version), space);
          whole = Optional.of(placed);
        }
        return placed;
      }
    }

    // What maps tell.

    private Contribution compared(Footing footing, Spaces taught) throws IOException {
      VersionView view = view(version);
      Making base = footing.base();
      ByteSpace before = space(base, taught.before());
      ByteSpace space = space(footing.known(), taught.after());
      if (space == null) {
        space = (before == null ? ByteSpace.EMPTY : before).next(sizes(view));
      }
      Difference.Placed now = new Difference.Placed(view, space);
      MemberHead head = MemberHead.of(view, space);
      if (base == null || before == null) {
        Maps maps = new ComparedMaps(now, Optional.empty());
        return new Contribution(head, maps, Difference.NOTHING);
      }
      Difference.Placed old = new Difference.Placed(baseView(base.version()), before);
      boolean sameSlots =
          base.holders().get(me) && file.head(base.version(), rank).hasSlotsOf(old.view());
      return new Contribution(
          head,
          new ComparedMaps(now, sameSlots ? Optional.of(old) : Optional.empty()),
          Difference.between(old, now));
    }

    private record ComparedMaps(Difference.Placed placed, Optional<Difference.Placed> base)
        implements Maps {
      @Override
      public MapMessage sinceBase() throws IOException {
        MemberMap whole = whole();
        if (base.isEmpty()) {
          return whole;
        }
        MemberMap before = MemberMap.of(base.get().view(), base.get().space());
        MapPatch patch = MapPatch.between(before, whole);
        return patch.isLongerThanWhole() ? whole : patch;
      }

      @Override
      public MemberMap whole() throws IOException {
        return MemberMap.of(placed.view(), placed.space());
      }
    }

    private @Nullable ByteSpace space(@Nullable Making making, @Nullable ByteSpace taught)
        throws IOException {
      if (making == null || taught != null) {
        return taught;
      }
      return file.head(making.version(), rank).space();
    }

    private VersionView view(VersionId id) throws IOException {
      try {
        return local.view(id);
      } catch (IllegalArgumentException e) {
        throw new IOException(e.getMessage(), e);
      }
    }

    private VersionView baseView(VersionId id) throws IOException {
      try {
        return view(id);
      } catch (IOException e) {
        throw new DamagedBaseException(false, id, e);
      }
    }

    private static Map<String, Long> sizes(VersionView view) {
      Map<String, Long> sizes = new LinkedHashMap<>();
      view.datasets().forEach(dataset -> sizes.put(dataset.name(), dataset.spec().byteLength()));
      return sizes;
    }
  }

  /**
   * Where a member's bytes lie, as others told it.
   *
   * @param before in the base; null if there is none, or if the member knows it by itself
   * @param after in the version, of which there is some parity; null likewise
   */
  record Spaces(@Nullable ByteSpace before, @Nullable ByteSpace after) {}
}
