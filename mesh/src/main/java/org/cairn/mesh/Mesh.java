// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.cairn.BooleanCell;
import org.cairn.Checkpointer;
import org.cairn.DoubleCell;
import org.cairn.IntCell;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.SoloCommunicator;
import org.cairn.job.Farewell;
import org.cairn.mesh.kernel.Kernel;
import org.cairn.mesh.kernel.Totals;
import org.cairn.mesh.weave.Loops;
import org.cairn.mesh.weave.Purpose;
import org.cairn.store.Directories;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Structured grids, and a program of loops over them that checkpoints itself: killed and started
 * again, it ends with the same bits, without a line for restarts.
 *
 * <pre>{@code
 * try (Mesh mesh = Mesh.open(Path.of("checkpoints"), Communicators.world(), Options.defaults())) {
 *   Grid grid = mesh.grid("plate", nx, ny).halo(1);
 *   Field u = grid.field("u"), v = grid.field("v");
 *   int e = grid.east(), n = grid.north();
 *   mesh.each("start", grid.all(), writes(u), (k, i, j) -> u.set(k, hot(i, j)));
 *   mesh.ready();
 *   for (double change = 1; change > 1e-6; ) {
 *     mesh.each("relax", grid.cells(), reads(u, STAR), writes(v),
 *         k -> v.set(k, .25 * (u.at(k - e) + u.at(k + e) + u.at(k - n) + u.at(k + n))));
 *     change = mesh.max("change", grid.cells(), reads(u, v), k -> Math.abs(v.at(k) - u.at(k)));
 *     mesh.each("copy", grid.cells(), reads(v), writes(u), k -> u.set(k, v.at(k)));
 *   }
 * }
 * }</pre>
 *
 * <p>Assumptions:
 *
 * <ol>
 *   <li>All ranks call the same methods in the same order, from one thread each.
 *   <li>What the program does depends on nothing but what the mesh gave it: reductions, {@link
 *       #record recorded} values, its arguments. Then a replay of its control flow, in which loops
 *       are skipped and values given again, leads where it was when a checkpoint was taken.
 *   <li>Loops do what they say ({@link Access}).
 * </ol>
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>A program that was killed at any moment ends, when it is started again, with the bits of
 *       one that was not; also on another number of ranks or threads.
 *   <li>A program that is not the one that was saved is refused, and what was saved stays.
 *   <li>A checkpoint that fails is told in the log, and the program goes on.
 * </ol>
 */
public final class Mesh extends LoopCalls implements AutoCloseable {
  /**
   * The system property that, set to {@code true} before the first loop of a process, lets every
   * access of every kernel be looked at.
   */
  public static final String CHECK = "cairn.mesh.check";

  private static final Logger LOG = LoggerFactory.getLogger(Mesh.class);

  /** Points of a field that are known by themselves. */
  private static final int MOST_FETCHED = 64;

  /** The tag of farewells, which neither halos nor joins have. */
  private static final int FAREWELL = 5;

  private final Communicator ranks;
  private final Fields fields = new Fields();
  private final KnownLoops known = new KnownLoops();
  private final Map<String, Grid> grids = new LinkedHashMap<>();
  private final Map<List<Object>, Join> joins = new HashMap<>();
  private final Map<Field, Set<Range>> fetched = new HashMap<>();
  private final Runner runner;
  private final Keeper keeper;
  private final Options checkpoints;
  private @Nullable KnownLoop last;

  /** Whether a call of the program is going on, or has thrown. */
  private boolean calling;

  private boolean closed;

  /** Whether a function of record() or recordHere() is being evaluated. */
  private boolean recording;

  private Mesh(Checkpointer cairn, Communicator ranks, MeshOptions options) {
    try {
      this.keeper = new Keeper(cairn, ranks, options, fields, known);
      this.ranks = ranks.duplicate();
      this.checkpoints = options.checkpoints();
      this.runner = new Runner(this.ranks, options);
      if (Checks.ON && ranks.rank() == 0) {
        LOG.warn("every access of every loop is looked at ({}), which takes its time", CHECK);
      }
    } catch (RuntimeException | Error e) {
      closeAfter(e, cairn);
      throw e;
    }
  }

  private static void closeAfter(Throwable failure, Checkpointer cairn) {
    try {
      cairn.close();
    } catch (RuntimeException more) {
      failure.addSuppressed(more);
    }
  }

  /** Opens a directory for checkpoints of a program of one process. */
  public static Mesh open(Path directory) {
    return open(directory, new SoloCommunicator(), MeshOptions.defaults());
  }

  /** Opens a directory for the checkpoints of all ranks; collective. */
  public static Mesh open(Path directory, Communicator ranks) {
    return open(directory, ranks, MeshOptions.defaults());
  }

  /** Opens a directory for the checkpoints of all ranks; collective. */
  public static Mesh open(Path directory, Communicator ranks, Options options) {
    return open(directory, ranks, MeshOptions.of(options));
  }

  /** Opens a directory for the checkpoints of all ranks; collective. */
  public static Mesh open(Path directory, Communicator ranks, MeshOptions options) {
    return new Mesh(Checkpointer.open(directory, ranks, options.checkpoints()), ranks, options);
  }

  /** Checkpoints of all ranks to stores of any kind; collective. */
  public static Mesh open(Directories directories, Communicator ranks, MeshOptions options) {
    return new Mesh(Checkpointer.open(directories, ranks, options.checkpoints()), ranks, options);
  }

  // ---------------------------------------------------------------- grids

  /**
   * Makes a grid of one to three axes.
   *
   * @param cells along each axis, that of rows first
   */
  public Grid grid(String name, int... cells) {
    requireCallable("grid", name);
    Names.require("grid", name);
    if (cells.length < 1 || cells.length > 3) {
      throw new IllegalArgumentException(
          "grid \"%s\" has 1 to 3 axes, not %d".formatted(name, cells.length));
    }
    for (int count : cells) {
      if (count < 1) {
        throw new IllegalArgumentException(
            "grid \"%s\" needs at least one cell along each axis, not %d".formatted(name, count));
      }
    }
    if (name.isEmpty() || name.contains("/")) {
      throw new IllegalArgumentException(
          "a grid needs a name without a slash, not \"%s\"".formatted(name));
    }
    Grid grid = new Grid(this, name, cells);
    if (grids.putIfAbsent(name, grid) != null) {
      throw new IllegalArgumentException("there is a grid \"%s\" already".formatted(name));
    }
    return grid;
  }

  Domain divide(String name, int[] cells, int axes, int halo) {
    return Domain.ofGrid(name, cells, axes, halo, ranks.rank(), ranks.size());
  }

  int nextField() {
    return fields.size();
  }

  void made(Data field, Coordinates coordinates) {
    requireCallable("field", field.name());
    keeper.made(field, coordinates);
    fields.add(field);
  }

  // ---------------------------------------------------------------- loops

  @Override
  void run(
      String name,
      Range range,
      Kernel kernel,
      Access a,
      @Nullable Access b,
      @Nullable Access c,
      @Nullable Access d) {
    calling = true;
    KnownLoop loop = loop(Purpose.EACH, name, range, kernel, a, b, c, d);
    if (keeper.before(loop)) {
      try {
        runner.run(loop, kernel);
      } catch (RuntimeException | Error e) {
        keeper.failed(loop, e);
        throw e;
      }
      keeper.ran();
    }
    calling = false;
  }

  @Override
  double reduce(
      Purpose purpose, String name, Range range, Kernel kernel, Access a, @Nullable Access b) {
    calling = true;
    KnownLoop loop = loop(purpose, name, range, kernel, a, b, null, null);
    double value;
    if (keeper.before(loop)) {
      value = keeper.gave(totals(loop, kernel, Runner.totalsFor(purpose, range.isInOrder()))[0]);
      keeper.ran();
    } else {
      value = keeper.given();
    }
    calling = false;
    return value;
  }

  @Override
  double[] reduceAll(
      String name, Range range, Kernel kernel, Totals totals, Access a, @Nullable Access b) {
    calling = true;
    KnownLoop loop = loop(Purpose.SEVERAL, name, range, kernel, a, b, null, null);
    Totals shape =
        range.isInOrder() == totals.isInOrder()
            ? totals
            : Totals.inOrder(totals.sums(), totals.minima(), totals.maxima());
    double[] values = new double[shape.sums() + shape.minima() + shape.maxima()];
    if (keeper.before(loop)) {
      values = totals(loop, kernel, shape);
      for (int n = 0; n < values.length; n++) {
        values[n] = keeper.gave(values[n]);
      }
      keeper.ran();
    } else {
      for (int n = 0; n < values.length; n++) {
        values[n] = keeper.given();
      }
    }
    calling = false;
    return values;
  }

  private double[] totals(KnownLoop loop, Kernel kernel, Totals shape) {
    try {
      return runner.reduce(loop, kernel, shape);
    } catch (RuntimeException | Error e) {
      keeper.failed(loop, e);
      throw e;
    }
  }

  private KnownLoop loop(
      Purpose purpose,
      String name,
      Range range,
      Kernel kernel,
      Access a,
      @Nullable Access b,
      @Nullable Access c,
      @Nullable Access d) {
    requireCallable("loop", name);
    KnownLoop loop = known.find(last, kernel.getClass(), purpose, name, range, a, b, c, d);
    if (loop == null) {
      loop = meet(new LoopKey(kernel.getClass(), purpose, name, range, a, b, c, d), kernel);
    }
    last = loop;
    return loop;
  }

  /** A replay would leave out what a kernel calls, because it leaves out the kernel. */
  private void requireCallable(String what, String name) {
    if (closed || recording || runner.isComputing()) {
      throw misplaced("%s \"%s\"".formatted(what, name));
    }
  }

  /** The same of what is no loop. */
  private void requireCallable(String method) {
    if (closed || recording || runner.isComputing()) {
      throw misplaced(method + "()");
    }
  }

  private IllegalStateException misplaced(String call) {
    return new IllegalStateException(
        call
            + (closed
                ? " is called after its mesh was closed: nothing would save what it does"
                : recording
                    ? " is called by a function of record(), which a replay leaves out: call it before or after that"
                    : " is called by a kernel, while its loop runs: call it before or after that loop"));
  }

  private KnownLoop meet(LoopKey key, Kernel kernel) {
    KnownLoop loop =
        new KnownLoop(known.size(), key, Loops.describe(kernel), Loops.digest(kernel), fields);
    keeper.met(loop);
    known.add(loop);
    if (loop.isSequential()) {
      LOG.warn(
          "loop {} reads points of a field that it writes: what it gives depends on their order, and so on the number of ranks; write another field, and copy it back",
          loop);
    }
    if (last != null) {
      last.followedBy(loop);
    }
    return loop;
  }

  // ---------------------------------------------------------------- joins

  /**
   * Joins two ranges, of two grids or of one: {@link Join#copy} lets values of the first become
   * values of the second.
   *
   * @param axes how the second is turned: for each of its axes the one of the first that it runs
   *     along, from 1, negative for backward; none if it is not
   */
  public Join join(Range from, Range to, int... axes) {
    return joins.computeIfAbsent(
        List.of(from, to, Arrays.toString(axes)), _ -> new Join(this, from, to, axes, ranks));
  }

  KnownLoop meetJoin(Range from, Range to, int[] axes, List<Data> pairs) {
    KnownLoop loop = new KnownLoop(known.size(), from, to, axes, pairs, fields);
    keeper.met(loop);
    known.add(loop);
    return loop;
  }

  void join(Join join, KnownLoop loop, List<Data> pairs) {
    requireCallable("join of", loop.name());
    calling = true;
    last = loop;
    if (keeper.before(loop)) {
      join.run(ranks, pairs);
      for (Data field : loop.changed()) {
        field.fresh(0);
      }
    }
    calling = false;
  }

  // ---------------------------------------------------------------- values

  /**
   * The value of a field at a point, for all ranks. A program that decides by it decides alike
   * everywhere, and in a replay.
   */
  public double fetch(Field field, int... point) {
    if (point.length != field.domain().axes()) {
      throw new IllegalArgumentException(
          "a point of \"%s\" has %d indices, not %d"
              .formatted(field.name(), field.domain().axes(), point.length));
    }
    int[] at = Arrays.copyOf(point, 3);
    Range whole = new Range(field.domain(), field.domain().whole(), false);
    Range one = whole.only(at[0], at[0] + 1, at[1], at[1] + 1, at[2], at[2] + 1);
    String name = "fetch " + field.name();
    Set<Range> before = fetched.computeIfAbsent(field, _ -> new HashSet<>());
    if (before.contains(one) || before.size() < MOST_FETCHED) {
      before.add(one);
      return max(name, one, Access.reads(field), k -> field.at(k));
    }
    // Each point is a loop of its own as long as there are few: all of the field is read from now.
    return max(
        name,
        whole,
        Access.reads(field),
        (k, i, j, l) ->
            i == at[0] && j == at[1] && l == at[2] ? field.at(k) : Double.NEGATIVE_INFINITY);
  }

  /**
   * Something that the mesh does not know of: the time, a random number, a line of a file.
   * Evaluated by the first rank, the same on all, and given again in a replay.
   *
   * @param what gives a double, long, int, boolean, String or byte[]
   * @throws RecordFailedException on all ranks if it throws an exception; a replay gives that again
   */
  public <T> T record(Supplier<T> what) {
    requireCallable("record");
    calling = true;
    T value = keeper.record(() -> recorded(what));
    calling = false;
    return value;
  }

  /**
   * The same, evaluated by each rank for itself. A program that uses it cannot go on with another
   * number of ranks: nobody knows whose value would be whose.
   */
  public <T> T recordHere(Supplier<T> what) {
    requireCallable("recordHere");
    calling = true;
    T value = keeper.recordHere(() -> recorded(what));
    calling = false;
    return value;
  }

  private <T> T recorded(Supplier<T> what) {
    recording = true;
    try {
      return what.get();
    } finally {
      recording = false;
    }
  }

  // ---------------------------------------------------------------- checkpoints

  /**
   * Ends the initial phase. What loops have written up to here is not saved unless it is written
   * again: a restart runs them again.
   */
  public void ready() {
    requireCallable("ready");
    keeper.ready();
  }

  /**
   * The top of a step: the place where checkpoints are taken from now on, and where a restart goes
   * on without a replay. A program that uses it {@linkplain #protect protects} all that it needs to
   * know which step it is; this sets it. Everything before the first call is run at each start.
   *
   * @return whether the state of an earlier life was just restored
   */
  public boolean here() {
    return here(new Data[0]);
  }

  /** The same, and these fields are what is saved, all of each: nobody looks what is needed. */
  public boolean here(Data... saved) {
    requireCallable("here");
    calling = true;
    last = null;
    boolean restored = keeper.here(requireOwn("here()", saved));
    calling = false;
    return restored;
  }

  /**
   * Says which fields are saved at the place that {@link MeshOptions#place} names, all of each:
   * nobody looks what is needed there, and the program is believed. It is said again at each start,
   * before the loops that follow {@link #ready}. Until the place has come twice, all that was
   * written is saved.
   *
   * @throws IllegalStateException if no place was named
   */
  public void saves(Data... fields) {
    requireCallable("saves");
    keeper.list(List.of(requireOwn("saves()", fields)));
  }

  private Data[] requireOwn(String call, Data... saved) {
    for (Data field : saved) {
      if (!fields.has(field)) {
        throw new IllegalArgumentException(
            "%s is to save \"%s\", which is a field of another mesh".formatted(call, field.name()));
      }
    }
    return saved;
  }

  /**
   * Says how far the program is: checkpoints keep it for people, and for files that fields are
   * exported to. It costs next to nothing; call it in each step.
   *
   * @param step how many steps were done
   * @param time in what is simulated
   */
  public void time(long step, double time) {
    keeper.time(step, time);
  }

  /** Takes a checkpoint at the next place, whenever the last one was; on all ranks. */
  public void checkpoint() {
    requireCallable("checkpoint");
    keeper.want();
  }

  /** A number that {@link #here} saves and sets. */
  public LongCell protect(String name, long initial) {
    return protect(name, new LongCell(new long[] {initial}));
  }

  /** A number that {@link #here} saves and sets. */
  public IntCell protect(String name, int initial) {
    return protect(name, new IntCell(new int[] {initial}));
  }

  /** A number that {@link #here} saves and sets. */
  public DoubleCell protect(String name, double initial) {
    return protect(name, new DoubleCell(new double[] {initial}));
  }

  /** A truth value that {@link #here} saves and sets. */
  public BooleanCell protect(String name, boolean initial) {
    return protect(name, new BooleanCell(new boolean[] {initial}));
  }

  private <T> T protect(String name, T cell) {
    requireCallable("protect", name);
    return keeper.protect(name, cell);
  }

  /** Whether the program is on its way to where it was: loops are skipped, values given again. */
  public boolean replaying() {
    return keeper.isReplaying();
  }

  /** What is saved where, and why, in words; empty until a place was found. */
  public String report() {
    return keeper.report();
  }

  /** What checkpoints and restarts have cost this rank so far. */
  public MeshStats stats() {
    return keeper.stats();
  }

  /** Ends as if the process had died here; for tests. */
  void abandon() {
    try (runner;
        ranks) {
      keeper.abandon();
    }
  }

  /**
   * Commits a checkpoint that waits for loops to come, waits for those in the background, and lets
   * go of everything.
   *
   * <p>Whether all ranks come here, as at the end of a program, or this one only, as after an
   * exception, nobody tells: a checkpoint that waits is committed if all of them do so within
   * {@link Options#flushOnClose}, and otherwise dropped. After an exception of a loop it is dropped
   * at once.
   *
   * @throws ProgramChangedException if the program ends before it came where it was
   */
  @Override
  public void close() {
    closed = true;
    try (runner;
        ranks) {
      keeper.close(this::allClose);
    }
  }

  private boolean allClose() {
    if (calling) {
      return false; // the last call has not returned: others may wait in it for this rank
    }
    try {
      Farewell farewell = new Farewell(ranks, FAREWELL, checkpoints.clock());
      if (farewell.isUnanimous(checkpoints.flushOnClose())) {
        return true;
      }
      LOG.warn(
          "rank {} closes, but not all other ranks do; a checkpoint that was begun is dropped",
          ranks.rank());
    } catch (CommunicationException e) {
      LOG.warn("a checkpoint that was begun is dropped: {}", e.toString());
    }
    return false;
  }
}
