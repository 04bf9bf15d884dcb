// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.parity;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.cairn.comm.Communicator;
import org.cairn.container.ContainerReader;
import org.cairn.container.DatasetPlan;
import org.cairn.container.VersionInfo;
import org.cairn.container.VersionView;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.cairn.tier.parity.Situation.Making;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a group to bring its parity to a version.
 *
 * <ol>
 *   <li>All tell what they have; so all know what to build on.
 *   <li>Who does not know where its bytes lie is taught by a member after it.
 *   <li>All tell where their bytes lie in the new version, and in which windows they change: so all
 *       know the new {@linkplain ParityLayout layout}, and who needs what. A member that has the
 *       share of this very layout needs nothing; one that has the base needs differences; another
 *       needs everything.
 *   <li>Maps and pieces are sent.
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
  private final Arena arena = Supply.sharedArena();
  private final Stripes stripes;

  private @Nullable Making base;
  private @Nullable Making known;
  private @Nullable ByteSpace oldSpace;
  private @Nullable ByteSpace newSpace;
  private @Nullable VersionView now;
  private @Nullable Difference sinceBase;
  private @Nullable Difference sinceNothing;
  private @Nullable ParityWriter writer;

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

  /** Runs the attempt. */
  void run(Set<VersionId> badLocal, Set<VersionId> badParity) throws IOException {
    List<byte[]> reports = council.together(() -> report(badLocal, badParity).write());
    decide(reports);
    Making done = known;
    if (done != null && done.isHeldByAll()) {
      return;
    }
    learn();
    List<Intent> intents = new ArrayList<>();
    for (byte[] said : council.together(() -> intend().write())) {
      intents.add(Intent.read(said));
    }
    ParityLayout layout = layout(intents);
    send(layout, intents);
    council.together(
        () -> {
          exchange.throwFailure();
          return new byte[0];
        });
    council.together(this::publish);
  }

  // What there is.

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

  private void decide(List<byte[]> said) throws IOException {
    List<Situation.Report> reports = new ArrayList<>();
    for (byte[] report : said) {
      reports.add(Situation.Report.read(report));
    }
    Situation situation = new Situation(reports, parity);
    known = situation.making(version);
    base = situation.baseFor(version);
  }

  // Where bytes lie.

  private void learn() throws IOException {
    oldSpace = learn(base);
    newSpace = learn(known);
  }

  /** Where this member's bytes lay in parity that there is. */
  private @Nullable ByteSpace learn(@Nullable Making making) throws IOException {
    if (making == null) {
      return null;
    }
    List<byte[]> taught = List.of();
    if (!making.isHeldByAll()) {
      taught = council.together(() -> teach(making));
    }
    int teacher = making.teacherOf(me).orElseThrow();
    if (teacher != me) {
      return find(taught.get(teacher));
    }
    return null;
  }

  private byte[] teach(Making making) throws IOException {
    RecordWriter out = RecordWriter.onHeap();
    for (int member = 0; member < ranks.size(); member++) {
      if (member != me && making.teacherOf(member).orElseThrow() == me) {
        out.putInt(member).putCounted(map(making, member).space().write());
      }
    }
    return out.toArray();
  }

  private MemberMap map(Making making, int member) throws IOException {
    try {
      return file.map(making.version(), ranks.get(member));
    } catch (IOException e) {
      throw new DamagedBaseException(true, making.version(), e);
    }
  }

  private ByteSpace find(byte[] taught) throws IOException {
    return RecordReader.parse(
        taught,
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

  private @Nullable ByteSpace space(@Nullable Making making, @Nullable ByteSpace learnt)
      throws IOException {
    if (making == null || learnt != null) {
      return learnt;
    }
    return map(making, me).space();
  }

  // What is to be done.

  /** What a member will do: where its bytes will lie, and the windows in which they change. */
  record Intent(Digest root, Digest space, long end, BitSet sinceBase, BitSet sinceNothing) {
    byte[] write() {
      RecordWriter out = RecordWriter.onHeap();
      root.write(out);
      space.write(out);
      out.putLong(end).putCounted(sinceBase.toByteArray()).putCounted(sinceNothing.toByteArray());
      return out.toArray();
    }

    static Intent read(byte[] bytes) throws IOException {
      return RecordReader.parse(
          bytes,
          "an intent",
          in ->
              new Intent(
                  Digest.read(in), Digest.read(in), in.getLongNumber("end"), bits(in), bits(in)));
    }

    private static BitSet bits(RecordReader in) throws IOException {
      return BitSet.valueOf(in.getCounted());
    }
  }

  private Intent intend() throws IOException {
    VersionView view = view(version);
    now = view;
    ByteSpace before = space(base, oldSpace);
    ByteSpace after = space(known, newSpace);
    if (after == null) {
      after = (before == null ? ByteSpace.EMPTY : before).next(sizes(view));
    }
    newSpace = after;
    Difference.Placed placed = new Difference.Placed(view, after);
    Making from = base;
    BitSet changed = new BitSet();
    BitSet all = new BitSet();
    if (from != null && before != null) {
      sinceBase = new Difference(placed, new Difference.Placed(baseView(from.version()), before));
      changed = sinceBase.windows(stripes.windowBytes(false));
    }
    if (from == null || !from.isHeldByAll()) {
      sinceNothing = new Difference(placed, null);
      all = sinceNothing.windows(stripes.windowBytes(false));
    }
    return new Intent(
        new Digest(view.info().digestLow(), view.info().digestHigh()),
        Digest.of(after.write()),
        after.end(),
        changed,
        all);
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

  private ParityLayout layout(List<Intent> intents) {
    long longest = intents.stream().mapToLong(Intent::end).max().orElse(0);
    List<ParityLayout.Member> members =
        IntStream.range(0, ranks.size())
            .mapToObj(
                i ->
                    new ParityLayout.Member(
                        ranks.get(i), intents.get(i).root, intents.get(i).space))
            .toList();
    return new ParityLayout(stripes, stripes.rows(longest), members);
  }

  // Doing it.

  private void send(ParityLayout layout, List<Intent> intents) {
    BitSet needAll = new BitSet();
    needAll.set(0, ranks.size());
    Making made = known;
    if (made != null && made.layout().equals(layout)) {
      needAll.andNot(made.holders());
    }
    BitSet needDifference = new BitSet();
    Making from = base;
    if (from != null) {
      needDifference.or(needAll);
      needDifference.and(from.holders());
      needAll.andNot(needDifference);
    }
    exchange.attempt(() -> openWriter(layout, needAll.get(me), needDifference.get(me)));
    sendMaps(needAll, needDifference);
    int windows = stripes.windows(layout.rows());
    long end = layout.rows() * stripes.data() * stripes.unit();
    pass(intents.stream().map(Intent::sinceBase).toList(), windows, needDifference, sinceBase, end);
    pass(intents.stream().map(Intent::sinceNothing).toList(), windows, needAll, sinceNothing, end);
    exchange.attempt(() -> finish(layout));
  }

  private void openWriter(ParityLayout layout, boolean all, boolean difference) throws IOException {
    Making from = base;
    VersionView view = now;
    if (view == null || !(all || difference)) {
      return;
    }
    if (difference && from != null) {
      VersionView old = file.view(from.version());
      writer =
          new ParityWriter(
              file.continuingFrom(from.version()), view.info(), old, stripes, layout.rows(), me);
    } else {
      writer =
          new ParityWriter(file.continuing(version), view.info(), null, stripes, layout.rows(), me);
    }
  }

  private void pass(
      List<BitSet> active,
      int windows,
      BitSet receivers,
      @Nullable Difference difference,
      long end) {
    if (receivers.isEmpty()) {
      return;
    }
    active.forEach(bits -> bits.clear(windows, Math.max(windows, bits.length())));
    MemorySegment buffer = arena.allocate(stripes.windowBytes(false), 64);
    exchange.pass(
        active,
        receivers,
        (window, out) -> {
          if (difference != null) {
            fill(window, out, receivers, difference, buffer, end);
          }
        },
        receivers.get(me) ? writer() : null);
  }

  /** A writer that could not be opened still has to take what comes. */
  private Exchange.Sink writer() {
    ParityWriter mine = writer;
    return mine != null ? mine : Exchange.NOWHERE;
  }

  private void fill(
      int window,
      Outbox out,
      BitSet receivers,
      Difference difference,
      MemorySegment buffer,
      long end)
      throws IOException {
    long start = (long) window * buffer.byteSize();
    difference.read(buffer, start);
    difference.forEachRange(
        start,
        Math.min(end, start + buffer.byteSize()),
        (from, to) -> cut((int) (from - start), (int) (to - start), buffer, receivers, out));
  }

  /** Cuts a range at the ends of units, and gives each piece to those who hold its parity. */
  private void cut(int from, int to, MemorySegment buffer, BitSet receivers, Outbox out) {
    int unit = stripes.unit();
    for (int at = from; at < to; ) {
      int length = Math.min(to, (at / unit + 1) * unit) - at;
      if (!DatasetPlan.isZero(buffer, at, length)) {
        give(at, length, buffer, receivers, out);
      }
      at += length;
    }
  }

  private void give(int at, int length, MemorySegment buffer, BitSet receivers, Outbox out) {
    int unit = at / stripes.unit();
    int row = unit / stripes.data();
    int stripe = stripes.stripeOfData(me, unit % stripes.data());
    for (int p = 0; p < stripes.parity(); p++) {
      int holder = stripes.holder(stripe, p);
      if (receivers.get(holder)) {
        int place = row * stripes.parity() + stripes.place(holder, stripe);
        int offset = place * stripes.unit() + at % stripes.unit();
        out.put(holder, offset, buffer, at, length);
      }
    }
  }

  // Maps.

  /** The map of each member goes to those after it, and into its own parity container. */
  private void sendMaps(BitSet needAll, BitSet needDifference) {
    List<Integer> to = new ArrayList<>();
    List<Integer> from = new ArrayList<>();
    for (int i = 1; i <= parity; i++) {
      int after = (me + i) % ranks.size();
      if (needAll.get(after) || needDifference.get(after)) {
        to.add(after);
      }
      if (needAll.get(me) || needDifference.get(me)) {
        from.add(Math.floorMod(me - i, ranks.size()));
      }
    }
    List<byte[]> messages = new ArrayList<>();
    exchange.attempt(() -> prepareMaps(to, needDifference, messages));
    List<byte[]> heard = exchange.tell(to, messages, from);
    for (int i = 0; i < from.size(); i++) {
      int member = from.get(i);
      byte[] message = heard.get(i);
      exchange.attempt(() -> takeMap(member, message));
    }
  }

  private void prepareMaps(List<Integer> to, BitSet needDifference, List<byte[]> messages)
      throws IOException {
    VersionView view = now;
    ByteSpace space = newSpace;
    if (view == null || space == null) {
      throw new IllegalStateException("nothing to send a map of");
    }
    MemberMap mine = MemberMap.of(view, space);
    Making from = base;
    byte[] patch = null;
    if (from != null && from.holders().get(me) && to.stream().anyMatch(needDifference::get)) {
      patch = mine.since(map(from, me));
    }
    for (int member : to) {
      messages.add(patch != null && needDifference.get(member) ? patch : mine.whole());
    }
    ParityWriter target = writer;
    if (target != null) {
      target.writeMap(ranks.get(me), mine);
    }
  }

  private void takeMap(int member, byte[] message) throws IOException {
    ParityWriter target = writer;
    if (target == null) {
      return;
    }
    String origin = "the map of rank " + ranks.get(member);
    Making from = base;
    MemberMap map;
    if (from != null && MemberMap.isPatch(message, origin)) {
      try {
        map = map(from, member).patched(message, origin);
      } catch (DamagedBaseException e) {
        throw e;
      } catch (IOException e) {
        throw new DamagedBaseException(true, from.version(), e);
      }
    } else {
      map = MemberMap.fromWhole(message, origin);
    }
    target.writeMap(ranks.get(member), map);
  }

  // The end.

  private void finish(ParityLayout layout) throws IOException {
    ParityWriter target = writer;
    if (target != null) {
      target.writeLayout(layout);
      target.finish();
    }
  }

  private byte[] publish() throws IOException {
    ParityWriter target = writer;
    if (target != null) {
      target.publish();
    }
    return new byte[0];
  }

  @Override
  public void close() {
    if (writer != null) {
      writer.close();
    }
    if (sinceBase != null) {
      sinceBase.close();
    }
    if (sinceNothing != null) {
      sinceNothing.close();
    }
    exchange.close();
    arena.close();
  }
}
