// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.cairn.comm.Communicator;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.cairn.tier.Deltas;
import org.cairn.tier.erasure.Contribution.Spaces;
import org.cairn.tier.erasure.Situation.Footing;
import org.cairn.tier.erasure.Situation.Making;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a group to bring its parity to a version.
 *
 * <ol>
 *   <li>All tell what they have; so all know what to build on, the {@link Footing}.
 *   <li>Who does not know where its bytes lie is taught by a member after it: {@link Spaces}.
 *   <li>Each finds out what it has to give, its {@link Contribution}, and all tell where their
 *       bytes lie in the new version, and in which windows they change: so all know the new
 *       {@linkplain ParityLayout layout}, and who {@linkplain Needs needs} what. A member that has
 *       the share of this very layout needs nothing; one that has the base needs differences;
 *       another needs everything.
 *   <li>Maps and pieces are sent, and become the {@link Share} of each member.
 *   <li>If all went well everywhere, all publish.
 * </ol>
 */
final class ParityUpdate implements AutoCloseable {
  private final int me;
  private final List<Integer> ranks;
  private final int parity;
  private final ContainerReader local;
  private final ParityFile file;
  private final VersionId version;
  private final Council council;
  private final Exchange exchange;
  private final Stripes stripes;

  ParityUpdate(
      Communicator comm,
      List<Integer> ranks,
      int parity,
      ContainerReader local,
      ParityFile file,
      VersionId version,
      Council council) {
    this.me = comm.rank();
    this.ranks = ranks;
    this.parity = parity;
    this.local = local;
    this.file = file;
    this.version = version;
    this.council = council;
    this.exchange = new Exchange(comm);
    this.stripes = new Stripes(comm.size(), parity, ParityLayout.UNIT);
  }

  long bytesSent() {
    return exchange.bytesSent();
  }

  /**
   * Runs the attempt.
   *
   * @param badLocal versions of the own container not to build on
   * @param badParity versions of parity not to build on
   */
  void run(Set<VersionId> badLocal, Set<VersionId> badParity, Deltas deltas) throws IOException {
    Footing footing = footing(badLocal, badParity);
    if (footing.isEnough()) {
      return;
    }
    Spaces spaces = new Spaces(taught(footing.base()), taught(footing.known()));
    Contribution.Maker maker =
        new Contribution.Maker(me, ranks.get(me), version, local, file, deltas);
    Council.Outcome<Contribution> contributed =
        council.together(() -> maker.make(footing, spaces), mine -> mine.intent(stripes).write());
    List<Intent> intents = new ArrayList<>();
    for (byte[] said : contributed.said()) {
      intents.add(Intent.read(said));
    }
    make(footing, contributed.own(), intents);
  }

  // What there is.

  private Footing footing(Set<VersionId> badLocal, Set<VersionId> badParity) throws IOException {
    List<Situation.Report> reports = new ArrayList<>();
    for (byte[] said : council.together(() -> report(badLocal, badParity).write())) {
      reports.add(Situation.Report.read(said));
    }
    return new Situation(reports, parity).footing(version);
  }

  private Situation.Report report(Set<VersionId> badLocal, Set<VersionId> badParity)
      throws IOException {
    Map<VersionId, Digest> versions = new LinkedHashMap<>();
    for (VersionInfo info : local.versions()) {
      if (!badLocal.contains(info.id()) || info.id().equals(version)) {
        versions.put(info.id(), new Digest(info.digestLow(), info.digestHigh()));
      }
    }
    return new Situation.Report(versions, file.layouts(badParity));
  }

  // Where bytes lie.

  /** Where this member's bytes lie in parity that there is; null if it has to know by itself. */
  private @Nullable ByteSpace taught(@Nullable Making making) throws IOException {
    if (making == null || making.isHeldByAll()) {
      return null;
    }
    List<byte[]> lessons = council.together(() -> teach(making));
    int teacher = making.teacherOf(me).orElseThrow();
    return teacher == me ? null : find(lessons.get(teacher));
  }

  private byte[] teach(Making making) throws IOException {
    RecordWriter out = RecordWriter.onHeap();
    for (int member = 0; member < ranks.size(); member++) {
      if (member != me && making.teacherOf(member).orElseThrow() == me) {
        MemberHead head = file.head(making.version(), ranks.get(member));
        out.putInt(member).putCounted(head.space().write());
      }
    }
    return out.toArray();
  }

  private ByteSpace find(byte[] lesson) throws IOException {
    return RecordReader.parse(
        lesson,
        "a lesson",
        in -> {
          while (in.remaining() > 0) {
            int member = in.getInt();
            byte[] space = in.getCounted();
            if (member == me) {
              return RecordReader.parse(space, "a space", ByteSpace::read);
            }
          }
          throw new IOException("nobody says where the bytes of rank " + ranks.get(me) + " lie");
        });
  }

  // Doing it.

  private void make(Footing footing, Contribution mine, List<Intent> intents) throws IOException {
    ParityLayout layout = layout(intents);
    Needs needs = Needs.of(layout, footing, Intent.isMostChanged(intents));
    try (Share share =
        exchange.attempt(() -> open(layout, needs, footing.base(), mine.head()), Share.NONE)) {
      sendMaps(needs, mine, intents, share);
      sendBytes(needs.differences(), layout, mine::sinceBase, intents, Intent::sinceBase, share);
      sendBytes(
          needs.everything(), layout, mine::sinceNothing, intents, Intent::sinceNothing, share);
      exchange.attempt(() -> share.finish(layout));
      council.together(
          () -> {
            exchange.throwFailure();
            return new byte[0];
          });
      council.together(
          () -> {
            share.publish();
            return new byte[0];
          });
    }
  }

  private ParityLayout layout(List<Intent> intents) {
    long longest = intents.stream().mapToLong(Intent::end).max().orElse(0);
    List<ParityLayout.Member> members =
        IntStream.range(0, ranks.size())
            .mapToObj(
                i ->
                    new ParityLayout.Member(
                        ranks.get(i), intents.get(i).root(), intents.get(i).space()))
            .toList();
    return new ParityLayout(stripes, stripes.rows(longest), members);
  }

  private Share open(ParityLayout layout, Needs needs, @Nullable Making base, MemberHead head)
      throws IOException {
    if (base != null && needs.differences().get(me)) {
      VersionView old = file.view(base.version());
      return ParityWriter.begin(
          file.continuingFrom(base.version()), head.info(), old, stripes, layout.rows(), me);
    }
    if (needs.everything().get(me)) {
      return ParityWriter.begin(
          file.continuing(version), head.info(), null, stripes, layout.rows(), me);
    }
    return Share.NONE;
  }

  /** What of this member's bytes a receiver lacks, and what it lacks of the others'. */
  private void sendBytes(
      BitSet receivers,
      ParityLayout layout,
      Exchange.Maker<Difference> giving,
      List<Intent> intents,
      Function<Intent, BitSet> windows,
      Share share) {
    if (receivers.isEmpty()) {
      return;
    }
    int end = stripes.windows(layout.rows());
    List<BitSet> active = intents.stream().map(windows).toList();
    active.forEach(bits -> bits.clear(end, Math.max(end, bits.length())));
    Difference difference = exchange.attempt(giving, Difference.NOTHING);
    try (Arena arena = Supply.sharedArena();
        Difference.Reading reading = difference.open()) {
      MemorySegment unit = arena.allocate(stripes.unit(), 64);
      Pieces pieces = new Pieces(stripes, me, layout.rows(), reading, receivers, unit);
      exchange.pass(active, receivers, pieces, receivers.get(me) ? share : null);
    }
  }

  // Maps.

  /** The map of each member goes to those after it, and into its own share. */
  private void sendMaps(Needs needs, Contribution mine, List<Intent> intents, Share share) {
    List<Integer> to = new ArrayList<>();
    List<Integer> from = new ArrayList<>();
    for (int i = 1; i <= parity; i++) {
      int after = (me + i) % ranks.size();
      if (needs.contains(after)) {
        to.add(after);
      }
      if (needs.contains(me)) {
        from.add(Math.floorMod(me - i, ranks.size()));
      }
    }
    List<byte[]> messages =
        exchange.attempt(() -> messages(to, needs, mine.maps(), share), List.of());
    List<byte[]> heard = exchange.tell(to, messages, from);
    for (int i = 0; i < from.size(); i++) {
      int member = from.get(i);
      byte[] message = heard.get(i);
      exchange.attempt(() -> takeMap(member, message, intents.get(member), share));
    }
  }

  private List<byte[]> messages(List<Integer> to, Needs needs, Contribution.Maps maps, Share share)
      throws IOException {
    Map<Boolean, MapMessage> made = new HashMap<>();
    List<byte[]> messages = new ArrayList<>();
    for (int member : to) {
      messages.add(map(needs.differences().get(member), maps, made).write());
    }
    if (needs.contains(me)) {
      share.takeMap(ranks.get(me), map(needs.differences().get(me), maps, made));
    }
    return messages;
  }

  /** The map for those who have the base, or for the others; each is made once. */
  private static MapMessage map(
      boolean sinceBase, Contribution.Maps maps, Map<Boolean, MapMessage> made) throws IOException {
    MapMessage message = made.get(sinceBase);
    if (message == null) {
      message = sinceBase ? maps.sinceBase() : maps.whole();
      made.put(sinceBase, message);
    }
    return message;
  }

  private void takeMap(int member, byte[] message, Intent intent, Share share) throws IOException {
    String origin = "the map of rank " + ranks.get(member);
    share.takeMap(ranks.get(member), intent.checked(MapMessage.read(message, origin), origin));
  }

  @Override
  public void close() {
    exchange.close();
  }
}
