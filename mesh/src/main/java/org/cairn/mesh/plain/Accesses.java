// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.plain;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.cairn.CheckpointBuilder;
import org.cairn.Checkpointer;
import org.cairn.Dataset;
import org.cairn.comm.Communicator;
import org.cairn.comm.SoloCommunicator;
import org.cairn.mesh.live.Boxes;
import org.cairn.mesh.live.Candidate;
import org.cairn.mesh.live.FieldPrediction;
import org.cairn.mesh.live.Liveness;
import org.cairn.mesh.live.Mode;
import org.cairn.mesh.live.Prediction;
import org.cairn.mesh.live.Verification;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints of plain code that leave out arrays which are overwritten before they are read. The
 * program says of each stretch of its code what that does with protected arrays, and marks where it
 * can go on after a restart:
 *
 * <pre>{@code
 * Dataset x = cairn.protect("x", xs), r = cairn.protect("r", rs), q = cairn.protect("q", qs);
 * LongCell step = cairn.protect("step", 0L);
 * Accesses accesses = Accesses.over(cairn);
 * cairn.restart();
 * while (step.get() < steps) {
 *   accesses.here();                                     // a restart goes on here
 *   accesses.region("apply", reads(x), overwrites(q));
 *   apply(xs, qs);
 *   accesses.region("correct", reads(q), updates(x), overwrites(r));
 *   correct(xs, qs, rs);
 *   step.increment();
 * }
 * }</pre>
 *
 * <p>Here {@code x} and {@code step} are saved, {@code q} and {@code r} are not. A checkpoint that
 * is due is taken at {@link #here}: what is expected to be needed is saved at once, the stretches
 * that follow are watched, and an array that turns out to be needed is saved before anybody changes
 * it. It becomes a version when every array was saved or overwritten, or else when the program
 * comes to the same point again.
 *
 * <p>Where the program can go on at several points it marks all of them, {@link #here(String) each
 * by its name}. The one is taken where least has to be saved, and {@link #restoredAt} says which.
 *
 * <p>Assumptions:
 *
 * <ol>
 *   <li>Of an array that any stretch names, all code is in a stretch that says what it does with
 *       it. A stretch ends where the next one, or a point, begins.
 *   <li>Restarted, the program does from the point on what it would have done, if all that is
 *       protected has the values that it had there.
 *   <li>All ranks come to the same stretches and points in the same order.
 * </ol>
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>What no stretch ever names is in every version: numbers, and arrays that nobody looks
 *       after.
 *   <li>A version lacks an array only if the program has overwritten it after the point, and has
 *       not read it in between; whatever was expected. {@link org.cairn.RestartReport#absent} names
 *       it.
 * </ol>
 *
 * <p>A checkpoint that fails is told as {@link Checkpointer#checkpointIfDue} tells it; the program
 * may go on. One that waits when the checkpointer is closed is given up.
 */
public final class Accesses {
  private static final String PLACE = "cairn.accesses";
  private static final String ONLY = "here";
  private static final int FIRST_LOOK = 4;
  private static final long LONGEST = 1 << 10;

  /** A point that comes so many times as seldom as another is not waited for. */
  private static final int TOO_SELDOM = 8;

  private final Checkpointer cairn;
  private final Communicator ranks;
  private final Stretches stretches;
  private byte[] place = {};
  private byte @Nullable [] restored;

  private long points;
  private long nextLook = FIRST_LOOK;
  private @Nullable Plan plan;
  private long awaitedUntil;
  private @Nullable Waiting waiting;

  /**
   * Where checkpoints are taken, which arrays are not needed there, and how soon it comes again.
   */
  private record Plan(int point, BitSet dead, int distance, String report) {}

  /** A checkpoint that was begun at a point. */
  private record Waiting(
      CheckpointBuilder builder, Verification verification, int point, long endsAt) {}

  private Accesses(Checkpointer cairn, Communicator ranks) {
    this.cairn = cairn;
    this.ranks = ranks;
    this.stretches =
        new Stretches(array -> cairn.datasets().stream().anyMatch(one -> one == array));
    if (cairn.datasets().stream().anyMatch(one -> one.name().equals(PLACE))) {
      throw new IllegalStateException(
          "there are Accesses over this checkpointer already; use those, all of its stretches are theirs");
    }
    cairn.protect(PLACE, byte[].class, () -> place, this::roomForPlace).everywhere();
  }

  private byte[] roomForPlace(long bytes) {
    place = new byte[Math.toIntExact(bytes)];
    restored = place;
    return place;
  }

  /** Of a program of one process, or of one whose ranks have one point. Before a restart. */
  public static Accesses over(Checkpointer checkpointer) {
    return new Accesses(checkpointer, new SoloCommunicator());
  }

  /** Of a program of many ranks, which agree at which of their points checkpoints are taken. */
  public static Accesses over(Checkpointer checkpointer, Communicator ranks) {
    return new Accesses(checkpointer, ranks);
  }

  // ---------------------------------------------------------------- what code does

  /** Arrays that are read, all or some of each, and not changed. */
  public static Use reads(Dataset... arrays) {
    return new Use(Mode.READ, arrays);
  }

  /** Arrays of which every element is written, whatever it was before: a promise. */
  public static Use overwrites(Dataset... arrays) {
    return new Use(Mode.WRITE, arrays);
  }

  /** Arrays that are changed in any other way: read and written, or written in part. */
  public static Use updates(Dataset... arrays) {
    return new Use(Mode.WRITE_SOME, arrays);
  }

  // ---------------------------------------------------------------- marks

  /** A stretch of code begins, of which this is said; an array may be read and overwritten. */
  public void region(String name, Use... uses) {
    int number = stretches.region(name, List.of(uses));
    Waiting open = waiting;
    if (open != null) {
      add(open, open.verification.before(stretches.get(number)));
      if (open.verification.isDecided() || stretches.calls() >= open.endsAt) {
        end(open);
      }
    }
    stretches.next(number);
  }

  /** The point to which a restart returns; a checkpoint is taken here if one is due. */
  public void here() {
    here(ONLY);
  }

  /** One of several points to which a restart can return, with a name for {@link #restoredAt}. */
  public void here(String name) {
    int point = stretches.point(name);
    Waiting open = waiting;
    if (open != null && open.point == point) {
      end(open);
    }
    stretches.next(Stretches.GATE);
    points++;
    if (points >= nextLook || stretches.calls() > awaitedUntil && plan != null) {
      look();
    }
    Plan at = plan;
    if (waiting == null && (at == null || at.point == point)) {
      take(name, point, at);
    }
    if (at != null && at.point == point) {
      awaitAgain(at);
    }
    stretches.next(point);
  }

  /** The point at which the state was saved that a restart has given back; empty if none has. */
  public Optional<String> restoredAt() {
    return Optional.ofNullable(restored).map(bytes -> new String(bytes, UTF_8));
  }

  /** What is saved where, and why, in words; empty until the points came often enough. */
  public String report() {
    return plan == null ? "" : plan.report;
  }

  // ---------------------------------------------------------------- looking

  private void look() {
    nextLook = points + Math.min(points, LONGEST);
    Liveness liveness = stretches.liveness();
    List<Candidate> coming =
        liveness.coming().stream().filter(one -> stretches.isPoint(one.place())).toList();
    plan = coming.isEmpty() ? null : plan(liveness, coming);
    if (plan != null) {
      awaitAgain(plan);
    }
  }

  private void awaitAgain(Plan now) {
    awaitedUntil = stretches.calls() + 2L * now.distance;
  }

  private Plan plan(Liveness liveness, List<Candidate> coming) {
    int often = coming.stream().mapToInt(Candidate::mostLoopsBetween).min().orElseThrow();
    int cheapest =
        coming.stream()
            .filter(one -> one.mostLoopsBetween() <= (long) TOO_SELDOM * often)
            .min(
                Comparator.comparingLong(Candidate::cost)
                    .thenComparingInt(one -> one.place().loop()))
            .orElseThrow()
            .place()
            .loop();
    int chosen = agreed(cheapest);
    Candidate found =
        coming.stream().filter(one -> one.place().loop() == chosen).findFirst().orElseThrow();
    Prediction predicted = liveness.predicted(found.place());
    BitSet dead = new BitSet();
    for (FieldPrediction one : predicted.fields()) {
      dead.set(one.field(), one.save().isEmpty());
    }
    return new Plan(chosen, dead, found.mostLoopsBetween(), report(predicted));
  }

  /** Ranks may have more or less of an array: what the first one would take is taken. */
  private int agreed(int mine) {
    if (ranks.size() == 1) {
      return mine;
    }
    long[] word = {mine};
    ranks.broadcast(word, 0);
    return Math.toIntExact(word[0]);
  }

  private String report(Prediction predicted) {
    StringBuilder text = new StringBuilder(stretches.get(predicted.place().loop()).name());
    for (FieldPrediction one : predicted.fields()) {
      text.append("\n\"").append(stretches.datasets().get(one.field()).name()).append("\" is ");
      text.append(one.save().isEmpty() ? "left out: " : "saved: ");
      text.append(one.words(stretches.list()));
    }
    return text.toString();
  }

  // ---------------------------------------------------------------- checkpoints

  private void take(String name, int point, @Nullable Plan at) {
    Optional<CheckpointBuilder> begun = cairn.beginIfDue();
    if (begun.isEmpty()) {
      return;
    }
    place = name.getBytes(UTF_8);
    Set<Dataset> left = leftOut(at);
    List<Boxes> all = new ArrayList<>();
    List<Boxes> saved = new ArrayList<>();
    for (int n = 0; n < stretches.datasets().size(); n++) {
      Boxes whole = Boxes.of(stretches.whole(n));
      all.add(whole);
      saved.add(left.contains(stretches.datasets().get(n)) ? Boxes.NONE : whole);
    }
    long endsAt = at == null ? 0 : stretches.calls() + 2L * at.distance;
    Waiting open = new Waiting(begun.get(), new Verification(all, saved), point, endsAt);
    waiting = open;
    addAll(open, cairn.datasets().stream().filter(one -> !left.contains(one)).toList());
    if (open.verification.isDecided()) {
      end(open);
    }
  }

  /** Arrays that are expected to be overwritten, of those that are still protected. */
  private Set<Dataset> leftOut(@Nullable Plan at) {
    Set<Dataset> left = Collections.newSetFromMap(new IdentityHashMap<>());
    if (at != null) {
      at.dead.stream().forEach(n -> left.add(stretches.datasets().get(n)));
    }
    Set<Dataset> present = Collections.newSetFromMap(new IdentityHashMap<>());
    present.addAll(cairn.datasets());
    left.retainAll(present);
    return left;
  }

  private void add(Waiting open, List<Verification.Late> late) {
    addAll(open, late.stream().map(one -> stretches.datasets().get(one.field())).toList());
  }

  private void addAll(Waiting open, List<Dataset> datasets) {
    if (datasets.isEmpty()) {
      return;
    }
    try {
      open.builder.add(datasets.toArray(Dataset[]::new));
    } catch (RuntimeException | Error e) {
      giveUp(open);
      throw e;
    }
  }

  /** What nobody has touched since the point is as it was there. */
  private void end(Waiting open) {
    add(open, open.verification.rest());
    try {
      waiting = null;
      open.builder.commitAdded();
    } catch (RuntimeException | Error e) {
      giveUp(open);
      throw e;
    }
  }

  private void giveUp(Waiting open) {
    waiting = null;
    open.builder.abort();
  }
}
