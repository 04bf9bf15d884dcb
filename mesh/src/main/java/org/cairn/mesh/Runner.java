// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;
import org.cairn.mesh.kernel.Kernel;
import org.cairn.mesh.kernel.Totals;
import org.cairn.mesh.live.Box;
import org.cairn.mesh.ranks.Bricks;
import org.cairn.mesh.ranks.Halos;
import org.cairn.mesh.ranks.Team;
import org.cairn.mesh.sum.ExactSum;
import org.cairn.mesh.weave.Loop;
import org.cairn.mesh.weave.Loops;
import org.cairn.mesh.weave.Purpose;
import org.cairn.mesh.weave.Span;
import org.jspecify.annotations.Nullable;

/**
 * Runs loops: brings what they need of other ranks, lets threads compute, combines what ranks
 * found.
 */
final class Runner implements AutoCloseable {
  /**
   * So many rows are shared with who is awake, however short they are: a column lies in as many
   * lines of a cache as it has points, half of them in that of the other thread.
   */
  private static final int MANY_ROWS = 64;

  private static final Totals NOTHING = Totals.none();

  private final Communicator ranks;
  private final Team team;

  /** Fewer points than this are not worth waking a thread for. */
  private final long worthWaking;

  private final Map<Domain, Halos> halos = new IdentityHashMap<>();
  private boolean computing;

  Runner(Communicator ranks, MeshOptions options) {
    this.ranks = ranks;
    this.team = new Team(options.threadsFor(ranks));
    this.worthWaking = options.hooks().worthWaking();
  }

  /** Runs a loop that only changes fields. */
  void run(KnownLoop loop, Kernel kernel) {
    run(loop, kernel, NOTHING);
    for (Data field : loop.changed()) {
      field.fresh(0);
    }
  }

  /** Runs a loop that makes totals, of all ranks in the end. */
  double[] reduce(KnownLoop loop, Kernel kernel, Totals totals) {
    totals.clear();
    if (loop.range().isInOrder()) {
      runInOrder(loop, kernel, totals);
    } else {
      run(loop, kernel, totals);
    }
    return combine(loop, totals);
  }

  private void run(KnownLoop loop, Kernel kernel, Totals out) {
    List<Halos.Exchange> exchanges = loop.needs().isEmpty() ? List.of() : beginExchange(loop);
    if (exchanges.isEmpty()) {
      compute(loop, kernel, loop.mine(), out);
      return;
    }
    if (loop.isSequential()) {
      endExchange(loop, exchanges);
      compute(loop, kernel, loop.mine(), out);
      return;
    }
    compute(loop, kernel, loop.inner(), out);
    endExchange(loop, exchanges);
    for (Box edge : loop.edges()) {
      compute(loop, kernel, edge, out);
    }
  }

  // ---------------------------------------------------------------- halos

  private List<Halos.Exchange> beginExchange(KnownLoop loop) {
    int depth = 0;
    List<Halos.Memory> stale = new ArrayList<>();
    for (KnownLoop.Need need : loop.needs()) {
      if (need.field().freshDepth() < need.depth()) {
        depth = Math.max(depth, need.depth());
        stale.add(need.field().halo());
      }
    }
    if (stale.isEmpty()) {
      return List.of();
    }
    Domain domain = loop.range().domain();
    Halos of =
        halos.computeIfAbsent(domain, _ -> new Halos(ranks, domain.bricks(), domain.layout()));
    return List.of(of.begin(stale, depth));
  }

  private static void endExchange(KnownLoop loop, List<Halos.Exchange> exchanges) {
    exchanges.forEach(Halos.Exchange::end);
    int depth = 0;
    for (KnownLoop.Need need : loop.needs()) {
      if (need.field().freshDepth() < need.depth()) {
        depth = Math.max(depth, need.depth());
      }
    }
    for (KnownLoop.Need need : loop.needs()) {
      if (need.field().freshDepth() < need.depth()) {
        need.field().fresh(depth);
      }
    }
  }

  // ---------------------------------------------------------------- computing

  /** Whether kernels are called. */
  boolean isComputing() {
    return computing;
  }

  private void compute(KnownLoop loop, Kernel kernel, Box box, Totals out) {
    computing = true;
    try {
      computeAll(loop, kernel, box, out);
    } finally {
      computing = false;
    }
  }

  private void computeAll(KnownLoop loop, Kernel kernel, Box box, Totals out) {
    if (Checks.ON) {
      Checks.run(loop, kernel, box, out);
    } else if (box.isEmpty()) {
      return;
    } else if (isShared(loop, box)) {
      share(loop, kernel, box, out);
    } else {
      driver(loop, kernel).run(loop.name(), kernel, spanOf(loop, box), out);
    }
  }

  private boolean isShared(KnownLoop loop, Box box) {
    return team.threads() > 1
        && !loop.isSequential()
        && (box.points() >= worthWaking || rows(box) >= MANY_ROWS && team.isAwake());
  }

  private static long rows(Box box) {
    return (long) (box.j1() - box.j0()) * (box.l1() - box.l0());
  }

  private static Span spanOf(KnownLoop loop, Box box) {
    return box == loop.mine() ? loop.span() : loop.span(box);
  }

  private Loop driver(KnownLoop loop, Kernel kernel) {
    Loop made = loop.driver();
    if (made == null) {
      made = Loops.of(kernel, loop.name(), loop.purpose());
      loop.driver(made);
    }
    return made;
  }

  private void share(KnownLoop loop, Kernel kernel, Box box, Totals out) {
    Loop driver = driver(loop, kernel);
    int parts = team.threads();
    @Nullable Totals[] own = new Totals[parts];
    own[0] = out;
    for (int n = 1; n < parts; n++) {
      own[n] = out == NOTHING ? out : Totals.of(out.sums(), out.minima(), out.maxima());
    }
    team.run(
        box.points() >= worthWaking,
        part -> {
          Box mine = part(box, part, parts);
          Totals mineOut = own[part];
          if (!mine.isEmpty() && mineOut != null) {
            driver.run(loop.name(), kernel, loop.span(mine), mineOut);
          }
        });
    for (int n = 1; n < parts && out != NOTHING; n++) {
      Totals others = own[n];
      if (others != null) {
        out.merge(others);
      }
    }
  }

  /** Planes, or rows where there are few of them, or what lies between columns of a few rows. */
  private static Box part(Box box, int part, int parts) {
    int planes = box.l1() - box.l0();
    if (planes >= parts) {
      int from = box.l0() + (int) ((long) planes * part / parts);
      int to = box.l0() + (int) ((long) planes * (part + 1) / parts);
      return new Box(box.i0(), box.i1(), box.j0(), box.j1(), from, to);
    }
    int rows = box.j1() - box.j0();
    if (rows >= parts) {
      int from = box.j0() + (int) ((long) rows * part / parts);
      int to = box.j0() + (int) ((long) rows * (part + 1) / parts);
      return new Box(box.i0(), box.i1(), from, to, box.l0(), box.l1());
    }
    int from = columnCut(box, part, parts);
    int to = columnCut(box, part + 1, parts);
    return new Box(from, to, box.j0(), box.j1(), box.l0(), box.l1());
  }

  /** Only where sums of rows are cut, so that their bits stay. */
  private static int columnCut(Box box, int part, int parts) {
    int first = Math.floorDiv(box.i0(), Bricks.COLUMNS);
    int chunks = Math.ceilDiv(box.i1(), Bricks.COLUMNS) - first;
    long cut = (first + (long) chunks * part / parts) * Bricks.COLUMNS;
    return Math.clamp(cut, box.i0(), box.i1());
  }

  // ---------------------------------------------------------------- all ranks

  private double[] combine(KnownLoop loop, Totals totals) {
    boolean together = loop.range().domain().isDivided();
    if (together && !totals.isInOrder()) {
      mergeSums(totals);
    }
    double[] all = new double[totals.sums() + totals.minima() + totals.maxima()];
    for (int n = 0; n < totals.sums(); n++) {
      all[n] = totals.sum(n);
    }
    double[] minima = new double[totals.minima()];
    Arrays.setAll(minima, totals::minimum);
    double[] maxima = new double[totals.maxima()];
    Arrays.setAll(maxima, totals::maximum);
    if (together) {
      reduce(minima, Reduction.MIN);
      reduce(maxima, Reduction.MAX);
    }
    System.arraycopy(minima, 0, all, totals.sums(), minima.length);
    System.arraycopy(maxima, 0, all, totals.sums() + minima.length, maxima.length);
    return all;
  }

  private void mergeSums(Totals totals) {
    if (totals.sums() == 0) {
      return;
    }
    long[] words = new long[totals.sums() * ExactSum.WORDS];
    for (int n = 0; n < totals.sums(); n++) {
      System.arraycopy(totals.exact(n).words(), 0, words, n * ExactSum.WORDS, ExactSum.WORDS);
    }
    ranks.allReduce(words, Reduction.SUM);
    for (int n = 0; n < totals.sums(); n++) {
      totals.exact(n).clear();
      totals
          .exact(n)
          .mergeWords(Arrays.copyOfRange(words, n * ExactSum.WORDS, (n + 1) * ExactSum.WORDS));
    }
  }

  private void reduce(double[] values, Reduction how) {
    if (values.length > 0) {
      ranks.allReduce(values, how);
    }
  }

  // ---------------------------------------------------------------- in order

  /** Ranks take turns: each goes on from the sum that the rank before it in the row had. */
  private void runInOrder(KnownLoop loop, Kernel kernel, Totals out) {
    List<Halos.Exchange> exchanges = loop.needs().isEmpty() ? List.of() : beginExchange(loop);
    endExchange(loop, exchanges);
    if (!loop.range().domain().isDivided()) {
      runAlone(loop, kernel, loop.mine(), out);
      return;
    }
    new TurnByTurn(ranks, loop).run(out, box -> runAlone(loop, kernel, box, out));
  }

  private void runAlone(KnownLoop loop, Kernel kernel, Box box, Totals out) {
    computing = true;
    try {
      if (Checks.ON) {
        Checks.run(loop, kernel, box, out);
      } else if (!box.isEmpty()) {
        driver(loop, kernel).run(loop.name(), kernel, loop.span(box), out);
      }
    } finally {
      computing = false;
    }
  }

  /** What a loop of this purpose makes of the values of its points. */
  static Totals totalsFor(Purpose purpose, boolean inOrder) {
    return switch (purpose) {
      case SUM -> inOrder ? Totals.inOrder(1, 0, 0) : Totals.of(1, 0, 0);
      case MIN -> Totals.of(0, 1, 0);
      case MAX -> Totals.of(0, 0, 1);
      case EACH, SEVERAL -> Totals.none();
    };
  }

  @Override
  public void close() {
    team.close();
  }
}
