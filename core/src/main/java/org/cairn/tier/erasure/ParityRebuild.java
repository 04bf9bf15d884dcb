// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.cairn.comm.Communicator;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.tier.erasure.Situation.Making;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to bring back the states of members that lost theirs. Everybody who has a unit that
 * is needed sends it to those who miss data of its stripe; these add up multiples of what they get,
 * and verify each block against the map that a member after them kept.
 */
final class ParityRebuild implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ParityRebuild.class);

  private final Communicator comm;
  private final int me;
  private final List<Integer> names;
  private final VersionId version;
  private final Council council;
  private final Exchange exchange;
  private final @Nullable ContainerReader stateReader;
  private final @Nullable ContainerReader parityReader;
  private @Nullable VersionView state;
  private @Nullable VersionView parity;
  private @Nullable UnitSource source;
  private @Nullable BlockAssembler assembler;
  private @Nullable UnitSum sum;

  private ParityRebuild(
      Communicator comm,
      List<Integer> names,
      VersionId version,
      Council council,
      @Nullable ContainerReader stateReader,
      @Nullable ContainerReader parityReader) {
    this.comm = comm;
    this.me = comm.rank();
    this.names = names;
    this.version = version;
    this.council = council;
    this.exchange = new Exchange(comm);
    this.stateReader = stateReader;
    this.parityReader = parityReader;
  }

  /** Rebuilds; see {@link ErasureTier#rebuild}. */
  static boolean run(
      Communicator comm,
      List<Integer> names,
      VersionId version,
      ErasureTier.Sources sources,
      ErasureTier.Target target)
      throws IOException {
    boolean[] bad = new boolean[2];
    Council council = new Council(comm, names, damage -> bad[damage.isParity() ? 1 : 0] = true);
    ErasureTier.Target once = once(target);
    // Each attempt but the last finds a source of some member damaged, and there are two of each.
    for (int attempt = 0; attempt <= 2 * comm.size(); attempt++) {
      try (ParityRebuild rebuild =
          new ParityRebuild(
              comm,
              names,
              version,
              council,
              bad[0] ? null : open(sources.state()),
              bad[1] ? null : open(sources.parity()))) {
        return rebuild.attempt(once);
      } catch (Council.BeginAgainException e) {
        LOG.warn("version {} is rebuilt from something else: {}", version, e.getMessage());
      }
    }
    throw new IOException("version " + version + " cannot be rebuilt: all sources are damaged");
  }

  private static ErasureTier.Target once(ErasureTier.Target target) {
    @Nullable Container[] opened = new Container[1];
    return () -> {
      Container container = opened[0];
      if (container == null) {
        container = target.open();
        opened[0] = container;
      }
      return container;
    };
  }

  private static @Nullable ContainerReader open(ErasureTier.@Nullable Opener opener) {
    try {
      return opener == null ? null : opener.open();
    } catch (IOException e) {
      LOG.warn("a source is done without: {}", e.getMessage());
      return null;
    }
  }

  private boolean attempt(ErasureTier.Target target) throws IOException {
    List<Report> reports = new ArrayList<>();
    for (byte[] said : council.together(() -> report().write())) {
      reports.add(Report.read(said));
    }
    Optional<Making> chosen = choose(reports);
    if (chosen.isEmpty()) {
      return false;
    }
    Making making = chosen.get();
    BitSet lost = lost(making, reports);
    List<byte[]> maps = council.together(() -> teach(making, lost));
    rebuild(making, lost, maps, target);
    council.together(
        () -> {
          exchange.throwFailure();
          return new byte[0];
        });
    council.together(this::publish);
    return lost.get(me);
  }

  // What there is.

  /**
   * What a member has of the version.
   *
   * @param root the root digest of its state; null if it is lost
   * @param layout what its parity was made under; null if it is lost
   */
  private record Report(@Nullable Digest root, @Nullable ParityLayout layout) {
    byte[] write() {
      RecordWriter out =
          RecordWriter.onHeap().putInt((root == null ? 0 : 1) + (layout == null ? 0 : 2));
      if (root != null) {
        root.write(out);
      }
      return layout == null ? out.toArray() : out.putBytes(layout.write()).toArray();
    }

    static Report read(byte[] bytes) throws IOException {
      return RecordReader.parse(
          bytes,
          "a report",
          in -> {
            int parts = in.getInt();
            return new Report(
                (parts & 1) == 0 ? null : Digest.read(in),
                (parts & 2) == 0 ? null : ParityLayout.read(in));
          });
    }
  }

  private Report report() {
    state = view(stateReader);
    parity = view(parityReader);
    VersionView own = state;
    Digest root = own == null ? null : new Digest(own.info().digestLow(), own.info().digestHigh());
    return new Report(root, layout());
  }

  private @Nullable VersionView view(@Nullable ContainerReader reader) {
    try {
      return reader == null ? null : reader.view(version);
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn("a source is done without: {}", e.getMessage());
      return null;
    }
  }

  private @Nullable ParityLayout layout() {
    VersionView share = parity;
    if (share != null) {
      try {
        ParityLayout.Placed placed = ParityLayout.read(share);
        if (placed.index() == me) {
          return placed.layout();
        }
        LOG.warn("parity of member {} is of no use to member {}", placed.index(), me);
      } catch (IOException e) {
        LOG.warn("a source is done without: {}", e.getMessage());
      }
    }
    parity = null;
    return null;
  }

  /** The parity to decode with; empty if nothing is lost. */
  private Optional<Making> choose(List<Report> reports) throws IOException {
    Map<ParityLayout, BitSet> holders = new HashMap<>();
    for (int member = 0; member < reports.size(); member++) {
      ParityLayout layout = reports.get(member).layout();
      if (layout != null && layout.members().size() == comm.size()) {
        holders.computeIfAbsent(layout, _ -> new BitSet()).set(member);
      }
    }
    List<Making> makings =
        holders.entrySet().stream()
            .map(entry -> new Making(version, entry.getKey(), entry.getValue()))
            .sorted(Comparator.comparingLong(making -> making.layout().stamp().low()))
            .toList();
    boolean allThere = reports.stream().map(Report::root).allMatch(Objects::nonNull);
    if (allThere
        && (makings.isEmpty() || makings.stream().anyMatch(m -> lost(m, reports).isEmpty()))) {
      return Optional.empty();
    }
    return Optional.of(
        makings.stream()
            .filter(making -> suffices(making, reports))
            .findFirst()
            .orElseThrow(() -> new IOException(tooMuchIsLost(reports))));
  }

  private boolean suffices(Making making, List<Report> reports) {
    BitSet data = inverse(lost(making, reports));
    int lossesBorne = making.layout().stripes().parity();
    return ParityLayout.canRebuild(comm.size(), lossesBorne, data, making.holders());
  }

  private BitSet inverse(BitSet members) {
    BitSet others = (BitSet) members.clone();
    others.flip(0, comm.size());
    return others;
  }

  private BitSet lost(Making making, List<Report> reports) {
    BitSet lost = new BitSet();
    for (int member = 0; member < comm.size(); member++) {
      Digest root = making.layout().members().get(member).root();
      lost.set(member, !root.equals(reports.get(member).root()));
    }
    return lost;
  }

  private String tooMuchIsLost(List<Report> reports) {
    List<Integer> states =
        IntStream.range(0, reports.size())
            .filter(member -> reports.get(member).root() != null)
            .mapToObj(names::get)
            .toList();
    List<Integer> parities =
        IntStream.range(0, reports.size())
            .filter(member -> reports.get(member).layout() != null)
            .mapToObj(names::get)
            .toList();
    return "version %s of ranks %s cannot be rebuilt: there are the states of %s and parity of %s"
        .formatted(version, names, states, parities);
  }

  // Maps.

  /** Gives the maps to those who lost their state, and to those who know their own no more. */
  private byte[] teach(Making making, BitSet lost) throws IOException {
    RecordWriter out = RecordWriter.onHeap();
    for (int member = 0; member < comm.size(); member++) {
      boolean ignorant = lost.get(member) || !making.holders().get(member);
      if (ignorant && making.teacherOf(member).orElseThrow() == me) {
        out.putInt(member).putCounted(map(making, member).write());
      }
    }
    return out.toArray();
  }

  private MemberMap map(Making making, int member) throws IOException {
    VersionView share = parity;
    if (share == null) {
      throw new IllegalStateException("there is no parity here");
    }
    try {
      return ParityFile.readMap(share, making.layout().members().get(member).rank());
    } catch (IOException e) {
      throw new DamagedBaseException(true, version, e);
    }
  }

  private MemberMap myMap(Making making, List<byte[]> maps) throws IOException {
    int teacher = making.teacherOf(me).orElseThrow();
    if (teacher == me) {
      return map(making, me);
    }
    byte[] found =
        RecordReader.parse(
            maps.get(teacher),
            "a lesson",
            in -> {
              while (in.remaining() > 0) {
                int member = in.getInt();
                byte[] map = in.getCounted();
                if (member == me) {
                  return map;
                }
              }
              throw new IOException("nobody has the map of rank " + names.get(me));
            });
    String origin = "the map of rank " + names.get(me);
    if (MapMessage.read(found, origin) instanceof MemberMap map) {
      return map;
    }
    throw new IOException(origin + " is not whole");
  }

  // Bytes.

  private void rebuild(Making making, BitSet lost, List<byte[]> maps, ErasureTier.Target target) {
    Stripes stripes = making.layout().stripes();
    Decoding decoding = new Decoding(stripes, inverse(lost), making.holders());
    exchange.attempt(() -> openSource(making, lost, maps, decoding));
    if (lost.get(me)) {
      exchange.attempt(() -> openSum(making, maps, decoding, target));
    }
    BitSet windows = new BitSet();
    windows.set(0, stripes.windows(making.layout().rows()));
    List<BitSet> active = new ArrayList<>();
    for (int member = 0; member < comm.size(); member++) {
      boolean sends = !lost.get(member) || making.holders().get(member);
      active.add(sends ? windows : new BitSet());
    }
    exchange.pass(active, lost, this::fill, lost.get(me) ? sink() : null);
    exchange.attempt(this::finish);
  }

  private void openSource(Making making, BitSet lost, List<byte[]> maps, Decoding decoding)
      throws IOException {
    VersionView own = lost.get(me) ? null : state;
    VersionView share = making.holders().get(me) ? parity : null;
    Layer data = null;
    if (own != null) {
      data = new Layer(own, Runs.ofAll(own.datasets(), myMap(making, maps).space()));
    }
    source = new UnitSource(making.layout(), me, decoding, lost, data, share);
  }

  private void openSum(
      Making making, List<byte[]> maps, Decoding decoding, ErasureTier.Target target)
      throws IOException {
    BlockAssembler opened = new BlockAssembler(myMap(making, maps), target.open());
    assembler = opened;
    sum = new UnitSum(making.layout().stripes(), me, decoding, opened);
  }

  private Exchange.Sink sink() {
    UnitSum mine = sum;
    return mine != null ? mine : Exchange.NOWHERE;
  }

  private void fill(int window, Outbox out) throws IOException {
    UnitSource mine = source;
    if (mine != null) {
      mine.fill(window, out);
    }
  }

  private void finish() throws IOException {
    BlockAssembler mine = assembler;
    if (mine != null) {
      mine.finish();
    }
  }

  private byte[] publish() throws IOException {
    BlockAssembler mine = assembler;
    if (mine != null) {
      mine.publish();
    }
    return new byte[0];
  }

  @Override
  public void close() throws IOException {
    if (sum != null) {
      sum.close();
    }
    if (source != null) {
      source.close();
    }
    exchange.close();
    if (stateReader != null) {
      stateReader.close();
    }
    if (parityReader != null) {
      parityReader.close();
    }
  }
}
