// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.cairn.comm.Communicator;
import org.cairn.mesh.live.Boxes;
import org.cairn.mesh.live.Candidate;
import org.cairn.mesh.live.Choice;
import org.cairn.mesh.live.FieldShape;
import org.cairn.mesh.live.Liveness;
import org.cairn.mesh.live.LoopPlace;
import org.cairn.mesh.live.Prediction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for the place where least has to be saved, in the last loops that ran. It does so after 4
 * calls, after 8, 16 and so on: a program of long loops is known soon, and one of many loops is not
 * kept busy. All looks together take a hundredth of the time of the program: as many loops are
 * looked at as that allows, perhaps none. Only a program that is to be saved soon, and of which no
 * place is known, is looked at whatever it takes. All ranks see the same loops; only how long these
 * take is said by the first rank.
 */
final class Placing {
  private static final int MOST_LOOPS = 1 << 13;
  private static final int LEAST_LOOPS = 1 << 9;

  /** Calls between looks, when there were many. */
  private static final long LONGEST = 1 << 18;

  /** A place must be so much better than the one that was taken to be taken instead. */
  private static final double BETTER = .9;

  private static final Duration SOON_ENOUGH = Duration.ofSeconds(1);

  /** What a loop of the ring takes to look at in a process that has just begun. */
  private static final double COLD_NANOS = 20_000;

  private static final Logger LOG = LoggerFactory.getLogger(Mesh.class);

  private final Communicator ranks;
  private final MeshOptions options;
  private final Fields fields;
  private final KnownLoops known;
  private final Chain chain;
  private final long began = System.nanoTime();
  private final DirtyFractions dirty;
  private double[] dirtyFractions = {};
  private List<Data> listed = List.of();
  private long next;
  private long begunAt;
  private long nanos;

  /** What a loop of the ring took at the last look. */
  private double nanosPerLoop = COLD_NANOS;

  /** How many loops are looked at now, as the first rank said. */
  private int loops;

  /** Whether there was no time for more of them when the plan was made. */
  private boolean isGlance;

  private boolean warned;

  /** Calls in a tenth of the time between checkpoints, as the first rank said. */
  private long tenth = Long.MAX_VALUE;

  Placing(
      Communicator ranks,
      MeshOptions options,
      Fields fields,
      KnownLoops known,
      Chain chain,
      DirtyFractions dirty) {
    this.dirty = dirty;
    this.ranks = ranks;
    this.options = options;
    this.fields = fields;
    this.known = known;
    this.chain = chain;
    this.next = options.hooks().ringStep();
  }

  /** How many calls take half the time between checkpoints, as far as that is known. */
  long halfInterval() {
    return tenth > Long.MAX_VALUE / 5 ? Long.MAX_VALUE : 5 * tenth;
  }

  /** Whether the plan that is followed came from too few loops to be relied on. */
  boolean isGlance() {
    return isGlance;
  }

  /** Whether it is time to look. */
  boolean isDue() {
    return chain.calls() >= next;
  }

  /** A replay is over: the loops of the life before are known, how long they take is not. */
  void startAt(long calls) {
    begunAt = calls;
    next = calls + options.hooks().ringStep();
  }

  /** Whether the program says what is saved. */
  boolean isListed() {
    return !listed.isEmpty();
  }

  /** How long all looks took. */
  long nanos() {
    return nanos;
  }

  /**
   * Whether there is time to look. If not, it is asked again after as many calls as there were.
   *
   * @param now the plan that is followed, if any
   * @param wanted whether a checkpoint is wanted, whatever it takes
   */
  boolean mayLook(Optional<Plan> now, boolean wanted) {
    long useful = useful(now);
    hear(said(affordable(now, wanted, useful)));
    pause(1);
    if (loops > 0) {
      isGlance = loops < Math.min(useful, chain.calls());
    }
    return loops > 0;
  }

  /** What the first rank says: how long loops take, how many to look at, and what changes. */
  private long[] said(long count) {
    long[] words = new long[2 + fields.size()];
    words[0] = mostLoops();
    words[1] = count;
    for (Data field : fields.list()) {
      words[2 + field.index()] = Double.doubleToRawLongBits(dirty.of(field.path()));
    }
    if (ranks.size() > 1) {
      ranks.broadcast(words, 0);
    }
    return words;
  }

  private void hear(long[] words) {
    tenth = words[0];
    loops = (int) words[1];
    dirtyFractions = new double[fields.size()];
    Arrays.setAll(dirtyFractions, n -> Double.longBitsToDouble(words[2 + n]));
  }

  /**
   * Looks, if one may.
   *
   * @param now the plan that is followed, if any
   * @return the plan to follow; empty if no loop comes again
   */
  Optional<Plan> look(Optional<Plan> now) {
    long start = System.nanoTime();
    Optional<Plan> plan = find(liveness(loops), now);
    if (!isGlance && plan.isPresent() && now.filter(plan.get()::isSamePlace).isPresent()) {
      pause(3); // what was found twice is looked for less often
    }
    took(System.nanoTime() - start);
    return plan;
  }

  private void pause(int times) {
    long calls = times * (chain.calls() - begunAt);
    next = chain.calls() + Math.clamp(calls, options.hooks().ringStep(), LONGEST);
  }

  private void took(long time) {
    nanos += time;
    nanosPerLoop = (double) time / Math.max(1, Math.min(loops, chain.calls()));
  }

  /** How many loops say something new: some periods of a place that is known. */
  private static long useful(Optional<Plan> now) {
    return now.map(plan -> Math.clamp(4 * plan.distance(), LEAST_LOOPS, MOST_LOOPS))
        .orElse(MOST_LOOPS);
  }

  private long affordable(Optional<Plan> now, boolean isWanted, long useful) {
    if ((now.isEmpty() || isGlance) && (isWanted || isSavedSoon())) {
      return useful;
    }
    double left = options.hooks().affords() * (System.nanoTime() - began) - nanos;
    long count = Math.clamp((long) (left / nanosPerLoop), 0, useful);
    boolean isSure = now.isPresent() && !isGlance;
    return isSure && count < Math.min(useful, chain.calls()) ? 0 : count; // fewer say less
  }

  private boolean isSavedSoon() {
    Duration half = options.checkpoints().interval().next(SOON_ENOUGH).dividedBy(2);
    return Duration.ofNanos(System.nanoTime() - began).compareTo(half) >= 0;
  }

  private Liveness liveness(int loops) {
    return new Liveness(
        fields.shapes(), known.accesses(), chain.last(loops), fields.written(), dirtyFractions);
  }

  private Optional<Plan> find(Liveness liveness, Optional<Plan> now) {
    if (options.place().isPresent()) {
      return pinned(liveness, options.place().get());
    }
    return liveness.choose(tenth).map(choice -> prefer(liveness, choice, now));
  }

  /** Places should come again within a tenth of the time between checkpoints. */
  private long mostLoops() {
    Duration interval = options.checkpoints().interval().next(SOON_ENOUGH);
    Duration often = interval.dividedBy(10);
    long within = Math.max(often.toNanos(), SOON_ENOUGH.toNanos());
    double each = (double) (System.nanoTime() - began) / Math.max(1, chain.calls() - begunAt);
    return (long) Math.max(1, within / each);
  }

  private Plan prefer(Liveness liveness, Choice choice, Optional<Plan> now) {
    Candidate best = choice.best();
    if (now.isPresent() && !now.get().isHere()) {
      Optional<Candidate> same =
          liveness.coming().stream()
              .filter(one -> one.place().equals(now.get().place()))
              .findFirst();
      if (same.isPresent() && best.cost() > BETTER * same.get().cost()) {
        best = same.get();
      }
    }
    return plan(liveness.predicted(best.place()), best, choice.runnersUp(), false);
  }

  private Optional<Plan> pinned(Liveness liveness, String name) {
    Optional<Plan> found = find(liveness, name);
    if (found.isEmpty() && !warned && ranks.rank() == 0 && chain.calls() >= LEAST_LOOPS) {
      warned = true;
      LOG.warn(
          "checkpoints were to be taken before the loop \"{}\" (MeshOptions.place), and {} with all that was written",
          name,
          known.has(name)
              ? "it has not come again so far: until it does they are taken before others,"
              : "no loop has that name so far: they are taken before others,");
    }
    return found;
  }

  private Optional<Plan> find(Liveness liveness, String name) {
    return liveness.candidates().stream()
        .filter(one -> known.get(one.place().loop()).name().equals(name))
        .findFirst()
        .map(one -> pinned(liveness, one));
  }

  private Plan pinned(Liveness liveness, Candidate chosen) {
    return isListed()
        ? listed(chosen.place(), words(chosen.place()), chosen.mostLoopsBetween(), false, listed)
        : plan(liveness.predicted(chosen.place()), chosen, List.of(), false);
  }

  /** Says what is saved at the place that the program has chosen. */
  void list(List<Data> saved) {
    if (options.place().isEmpty()) {
      throw new IllegalStateException(
          "a list of fields belongs to a place: name the loop before which they are saved with MeshOptions.place(\"…\"), or give them to here()");
    }
    listed = saved;
  }

  /** What is saved at a call of here(), if one may look: whatever loop came before it. */
  Plan here(int marker) {
    long start = System.nanoTime();
    Liveness liveness = liveness(loops);
    int[] ring = chain.last(loops);
    Set<LoopPlace> places = new LinkedHashSet<>();
    int last = -1;
    int distance = 0;
    for (int at = 1; at < ring.length; at++) {
      if (ring[at] == marker) {
        places.add(new LoopPlace(marker, ring[at - 1]));
        distance = last < 0 ? distance : Math.max(distance, at - last);
        last = at;
      }
    }
    Plan all = null;
    for (LoopPlace place : places) {
      Prediction predicted = liveness.predicted(place);
      Candidate said = new Candidate(place, 0, 0, 0, distance);
      Plan plan = plan(predicted, said, List.of(), true);
      all = all == null ? plan : both(all, plan);
    }
    took(System.nanoTime() - start);
    return all == null ? everything(new LoopPlace(marker, -1), true) : all;
  }

  private static Plan both(Plan one, Plan other) {
    List<Boxes> save = new ArrayList<>();
    for (int n = 0; n < one.save().size(); n++) {
      save.add(one.save().get(n).plus(other.save().get(n)).grownToBound());
    }
    return new Plan(one.place(), true, false, save, one.distance(), one.cost(), one.report());
  }

  /** Saves all that was written: where nothing is known of what comes. */
  Plan everything(LoopPlace place, boolean isHere) {
    List<Boxes> written = fields.written();
    List<String> reasons =
        written.stream().map(one -> one.isEmpty() ? "never written" : "written").toList();
    String why = "no loop came again so far: all that was written is saved";
    return new Plan(
        place,
        isHere,
        false,
        written,
        1,
        Long.MAX_VALUE,
        report(isHere ? "here()" : words(place), why, 0, written, reasons));
  }

  /** Saves at a call of here() what the program said with it. */
  Plan listedHere(int marker, List<Data> saved) {
    return listed(new LoopPlace(marker, -1), "here()", 0, true, saved);
  }

  private Plan listed(
      LoopPlace place, String where, int distance, boolean isHere, List<Data> saved) {
    List<Boxes> save =
        fields.list().stream()
            .map(one -> saved.contains(one) ? Boxes.of(one.domain().whole()) : Boxes.NONE)
            .toList();
    List<String> reasons =
        save.stream().map(one -> one.isEmpty() ? "not listed" : "listed").toList();
    String why = "the program says which fields are saved";
    return new Plan(
        place, isHere, true, save, distance, 0, report(where, why, distance, save, reasons));
  }

  private Plan plan(
      Prediction predicted, Candidate chosen, List<Candidate> runnersUp, boolean isHere) {
    List<Boxes> save = thin(predicted.save());
    String text = report(predicted, chosen, runnersUp, isHere);
    return new Plan(
        chosen.place(), isHere, false, save, chosen.mostLoopsBetween(), chosen.cost(), text);
  }

  /** Tests let predictions be wrong. */
  private List<Boxes> thin(List<Boxes> save) {
    double keep = options.hooks().predicts();
    if (keep >= 1) {
      return save;
    }
    Random random = new Random(chain.calls());
    return save.stream().map(one -> random.nextDouble() < keep ? one : Boxes.NONE).toList();
  }

  // ---------------------------------------------------------------- report

  private String report(
      Prediction predicted, Candidate chosen, List<Candidate> runnersUp, boolean isHere) {
    StringBuilder text =
        new StringBuilder(
            report(
                isHere ? "here()" : words(chosen.place()),
                isHere ? "the program says where" : why(),
                chosen.mostLoopsBetween(),
                predicted.save(),
                predicted.fields().stream().map(one -> one.words(known.accesses())).toList()));
    for (Candidate one : runnersUp) {
      text.append("runner-up\t").append(words(one.place())).append('\t').append(one.bytes());
      text.append('\t').append(one.mostLoopsBetween()).append('\n');
    }
    return text.toString();
  }

  private String why() {
    return options.place().isPresent() ? "chosen by the program" : "least to be saved";
  }

  /** Lines of words with tabs between them, see {@link MeshReport}. */
  private String report(
      String place, String why, int distance, List<Boxes> save, List<String> reasons) {
    long total = 0;
    long saved = 0;
    StringBuilder rows = new StringBuilder();
    for (int n = 0; n < save.size(); n++) {
      FieldShape shape = fields.shapes().get(n);
      Boxes points = save.get(n);
      total += shape.whole().points() * shape.elementBytes();
      saved += points.points() * shape.elementBytes();
      rows.append("field\t").append(shape.name()).append('\t');
      rows.append(points.points()).append('\t').append(shape.whole().points()).append('\t');
      rows.append(points.size()).append('\t').append(boxes(points)).append('\t');
      rows.append(reasons.get(n)).append('\n');
    }
    return "place\t%s\nwhy\t%s\ndistance\t%d\nbytes\t%d\t%d\n%s"
        .formatted(place, why, distance, total, saved, rows);
  }

  private static String boxes(Boxes points) {
    String all = points.toString();
    return all.length() <= 120 ? all : all.substring(0, 117) + "...";
  }

  private String words(LoopPlace place) {
    String before = "before \"%s\"".formatted(known.get(place.loop()).name());
    return place.before() < 0
        ? before
        : "%s, after \"%s\"".formatted(before, known.get(place.before()).name());
  }
}
