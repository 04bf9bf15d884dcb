// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.cairn.container.ContainerReader;
import org.cairn.container.ContainerSpecimens;
import org.cairn.container.VersionView;
import org.cairn.record.Digest;
import org.cairn.record.Specimen;
import org.cairn.store.Store;
import org.cairn.version.VersionInfo;

/** What members of a group tell each other, and keep of each other. */
public final class ParitySpecimens {
  private static final int MEMBERS = 4;

  private ParitySpecimens() {}

  /** Records about the container in a store. */
  public static List<Specimen> all(Store store, Random random) throws IOException {
    try (ContainerReader reader = ContainerReader.open(store, ContainerSpecimens.FILE)) {
      List<VersionInfo> versions = reader.versions();
      MemberMap newest = map(reader.view(versions.getFirst().id()));
      MemberMap before = map(reader.view(versions.get(1).id()));
      ParityLayout layout = layout(newest, random);
      return List.of(
          Specimen.message("space", newest.space().write(), ByteSpace::read),
          Specimen.message("layout", layout.write(), ParityLayout::read),
          new Specimen("map", newest.write(), "fuzz", ParitySpecimens::readMap),
          new Specimen(
              "patch",
              MapPatch.between(before, newest).write(),
              "fuzz",
              bytes -> apply(bytes, before)),
          new Specimen("report", report(versions, layout), "a report", Situation.Report::read),
          new Specimen(
              "remains", remains(layout), "a report", bytes -> Remains.read(bytes, MEMBERS)),
          new Specimen("intent", intent(newest), "an intent", Intent::read),
          new Specimen("pieces", pieces(random), "a message of member 1", ParitySpecimens::take));
    }
  }

  private static MemberMap map(VersionView view) throws IOException {
    Map<String, Long> sizes = new LinkedHashMap<>();
    view.datasets().forEach(dataset -> sizes.put(dataset.name(), dataset.spec().byteLength()));
    return MemberMap.of(view, ByteSpace.EMPTY.next(sizes));
  }

  private static void readMap(byte[] message) throws IOException {
    if (MapMessage.read(message, "fuzz") instanceof MemberMap map) {
      map.space().end();
      MapPatch.between(map, map.checked("fuzz"));
    }
  }

  /** As whoever keeps a map takes a patch to it. */
  private static void apply(byte[] message, MemberMap base) throws IOException {
    if (MapMessage.read(message, "fuzz") instanceof MapPatch patch) {
      PatchCheck check = new PatchCheck(base.head(), patch.head());
      patch.forEach(check.end(), "fuzz", new Following(base, check));
      check.holds();
    }
  }

  /** Follows a patch without changing anything. */
  private record Following(MemberMap base, PatchCheck check) implements MapPatch.Visitor {
    private static final DigestPages NOTHING =
        new DigestPages(MemorySegment.ofArray(new byte[DigestPages.PAGE_BYTES]));

    @Override
    public void released(int slot) {
      boolean there = slot < base.owners().end();
      check.takeOut(slot, there ? base.pages() : NOTHING, there ? slot : 0);
    }

    @Override
    public void zero(int slot) {
      released(slot);
      check.putIn(slot, NOTHING, 0);
    }

    @Override
    public void block(int slot, long low, long high) {
      zero(slot);
    }
  }

  private static ParityLayout layout(MemberMap map, Random random) {
    List<ParityLayout.Member> members =
        random
            .longs(MEMBERS)
            .mapToObj(
                bits ->
                    new ParityLayout.Member(
                        (int) (bits & 0xFF), new Digest(bits, 1), Digest.of(map.space().write())))
            .toList();
    return new ParityLayout(new Stripes(MEMBERS, 2, ParityLayout.UNIT), 3, members);
  }

  private static byte[] report(List<VersionInfo> versions, ParityLayout layout) {
    VersionInfo newest = versions.getFirst();
    return new Situation.Report(
            Map.of(newest.id(), new Digest(newest.digestLow(), newest.digestHigh())),
            Map.of(newest.id(), layout))
        .write();
  }

  private static byte[] remains(ParityLayout layout) {
    return Remains.write(
        List.of(
            new Remains.Report(0, new Digest(1, 2), layout),
            new Remains.Report(MEMBERS - 1, null, layout),
            new Remains.Report(1, new Digest(3, 4), null)));
  }

  private static byte[] intent(MemberMap map) {
    BitSet windows = BitSet.valueOf(new long[] {0b1011});
    return new Intent(new Digest(1, 2), new Digest(3, 4), map.space().end(), 5, windows, windows)
        .write();
  }

  private static byte[] pieces(Random random) {
    byte[] piece = new byte[random.nextInt(1, 50)];
    random.nextBytes(piece);
    return Specimen.write(
        out -> {
          out.putInt(0).putInt(0);
          out.putInt(5).putCounted(piece).putInt(900).putCounted(piece);
        });
  }

  private static void take(byte[] bytes) throws IOException {
    Exchange.take(1, MemorySegment.ofArray(bytes), new Reading());
  }

  /** Takes pieces as all sinks do. */
  private static final class Reading implements Exchange.Sink {
    @Override
    public void take(int member, int offset, MemorySegment message, long from, int length) {
      message.asSlice(from, length);
    }

    @Override
    public void begin(int window) {}

    @Override
    public void end(int window) {}
  }
}
