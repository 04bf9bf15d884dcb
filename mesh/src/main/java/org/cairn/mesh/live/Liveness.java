// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.live;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What would have to be saved before each loop of a ring, found by one pass backward: what a loop
 * needs becomes live, what it overwrites without need becomes dead, and the rest is as it was found
 * from the loops after it; behind the last loop everything is undecided. To be saved is what was
 * written and is not dead.
 *
 * <p>The pass keeps one state a field and notes nothing but what each position would cost; for the
 * place that is chosen, a second pass collects the points.
 *
 * <p><b>Cost.</b> A differential container stores what differs from the last version, so a byte
 * counts by the fraction of its field that was seen to differ. Points that no loop of the ring
 * changes are stored once, and afterwards only read and compared: they count by {@link #STILL}. It
 * is not zero, so that of two places that write alike the one with less to read is taken, and the
 * same weight is the least for points that do change.
 */
public final class Liveness {
  /** What a byte costs that is to be saved and does not change. */
  static final double STILL = 1.0 / 64;

  private static final int RUNNERS_UP = 5;

  private final List<LoopAccess> loops;
  private final int[] ring;
  private final List<FieldStates> fields = new ArrayList<>();
  private final long[] bytes;
  private final long[] cost;

  /**
   * Analyses a ring.
   *
   * @param shapes all fields
   * @param loops all loops, by number
   * @param ring numbers of the loops that have run, oldest first
   * @param written which points of each field were written since the initial phase
   * @param dirty which fraction of each field differs from one checkpoint to the next; 1 if that is
   *     not known
   */
  public Liveness(
      List<FieldShape> shapes,
      List<LoopAccess> loops,
      int[] ring,
      List<Boxes> written,
      double[] dirty) {
    if (written.size() != shapes.size() || dirty.length != shapes.size()) {
      throw new IllegalArgumentException(
          "there are %d fields, but what was written is known of %d, and what differs of %d"
              .formatted(shapes.size(), written.size(), dirty.length));
    }
    this.loops = loops;
    this.ring = ring.clone();
    List<Boxes> changing = changing(shapes.size());
    for (int field = 0; field < shapes.size(); field++) {
      fields.add(
          new FieldStates(
              shapes.get(field), written.get(field), changing.get(field), dirty[field]));
    }
    bytes = new long[ring.length];
    cost = new long[ring.length];
    weigh();
  }

  private List<Boxes> changing(int fields) {
    Written changing = new Written();
    for (int loop : ring) {
      changing.note(loop, loops.get(loop));
    }
    return changing.ofFields(fields);
  }

  private void weigh() {
    FieldState[] states = afterAll();
    long bytesNow = Arrays.stream(states).mapToLong(state -> state.bytes).sum();
    long costNow = Arrays.stream(states).mapToLong(state -> state.cost).sum();
    for (int position = ring.length - 1; position >= 0; position--) {
      for (Effect effect : effects(position)) {
        FieldState after = states[effect.field()];
        FieldState before = after.before(effect);
        states[effect.field()] = before;
        bytesNow += before.bytes - after.bytes;
        costNow += before.cost - after.cost;
      }
      bytes[position] = bytesNow;
      cost[position] = costNow;
    }
  }

  private FieldState[] afterAll() {
    return fields.stream().map(FieldStates::untouched).toArray(FieldState[]::new);
  }

  private List<Effect> effects(int position) {
    return loops.get(ring[position]).effects();
  }

  private void stepBack(FieldState[] states, int position) {
    for (Effect effect : effects(position)) {
      states[effect.field()] = states[effect.field()].before(effect);
    }
  }

  /** How many bytes would have to be saved before the loop at a position of the ring. */
  public long bytesBefore(int position) {
    return bytes[position];
  }

  /** What is known of each field before the loop at a position of the ring. */
  FieldState[] statesBefore(int position) {
    FieldState[] states = afterAll();
    for (int at = ring.length - 1; at >= position; at--) {
      stepBack(states, at);
    }
    return states;
  }

  // Choosing

  /**
   * The place that costs least among those that recur often enough; if none does, the one that
   * recurs most often; nothing if none recurs in the ring at all. Of two alike the one with the
   * lower numbers is taken, so that it does not depend on where the ring begins.
   *
   * @param mostLoopsBetween how many loops there may be from one occurrence to the next
   */
  public Optional<Choice> choose(long mostLoopsBetween) {
    List<Candidate> all = coming();
    if (all.isEmpty()) {
      return Optional.empty();
    }
    List<Candidate> often =
        all.stream().filter(one -> one.mostLoopsBetween() <= mostLoopsBetween).toList();
    List<Candidate> ordered =
        often.isEmpty()
            ? best(all, Comparator.comparingInt(Candidate::mostLoopsBetween))
            : best(often, Comparator.comparingLong(Candidate::cost));
    return Optional.of(
        new Choice(ordered.getFirst(), !often.isEmpty(), ordered.subList(1, ordered.size())));
  }

  private static List<Candidate> best(List<Candidate> all, Comparator<Candidate> by) {
    return all.stream()
        .sorted(
            by.thenComparingLong(Candidate::cost)
                .thenComparingLong(Candidate::bytes)
                .thenComparingInt(one -> one.place().loop())
                .thenComparingInt(one -> one.place().before()))
        .limit(1 + RUNNERS_UP)
        .toList();
  }

  /** All places that recur in the ring. */
  public List<Candidate> candidates() {
    return candidates(false);
  }

  /**
   * Those of them that should come again: not those that have stayed away for more than twice as
   * long as ever before, since the program does something else now.
   */
  public List<Candidate> coming() {
    return candidates(true);
  }

  private List<Candidate> candidates(boolean comingOnly) {
    Map<LoopPlace, Occurrences> found = new LinkedHashMap<>();
    for (int position = 1; position < ring.length; position++) {
      found.computeIfAbsent(place(position), place -> new Occurrences()).add(position);
    }
    List<Candidate> candidates = new ArrayList<>();
    found.forEach(
        (place, occurrences) -> {
          if (occurrences.counted > 0 && !(comingOnly && occurrences.areOver())) {
            candidates.add(occurrences.candidate(place));
          }
        });
    return candidates;
  }

  private LoopPlace place(int position) {
    return new LoopPlace(ring[position], ring[position - 1]);
  }

  /**
   * Where a place occurs. The last occurrence does not count: the ring ends before a period was
   * seen from there, and what looks undecided would not be.
   */
  private final class Occurrences {
    private int counted;
    private int last = -1;
    private int longest;
    private long sumOfBytes;
    private long sumOfCost;

    void add(int position) {
      if (last >= 0) {
        counted++;
        sumOfBytes += bytes[last];
        sumOfCost += cost[last];
        longest = Math.max(longest, position - last);
      }
      last = position;
    }

    boolean areOver() {
      return ring.length - last > 2 * longest;
    }

    Candidate candidate(LoopPlace place) {
      return new Candidate(
          place,
          Math.round((double) sumOfCost / counted),
          Math.round((double) sumOfBytes / counted),
          counted,
          Math.max(longest, ring.length - last));
    }
  }

  // Predicting

  /**
   * What is to be saved at a place: whatever had to be at one of its occurrences in the ring but
   * the last, or at the last if there is no other. Of a place that does not occur nothing is known,
   * and all that was written is to be saved.
   */
  public Prediction predicted(LoopPlace place) {
    BitSet occurrences = occurrences(place);
    Gathered[] gathered = new Gathered[fields.size()];
    FieldState[] states = afterAll();
    Arrays.setAll(gathered, field -> new Gathered());
    if (occurrences.isEmpty()) {
      gather(gathered, states, ring.length);
    }
    for (int position = ring.length - 1; position >= 0; position--) {
      stepBack(states, position);
      if (occurrences.get(position)) {
        gather(gathered, states, position);
      }
    }
    List<FieldPrediction> predictions = new ArrayList<>();
    for (int field = 0; field < gathered.length; field++) {
      predictions.add(gathered[field].prediction(field));
    }
    return new Prediction(place, predictions);
  }

  private BitSet occurrences(LoopPlace place) {
    BitSet occurrences = new BitSet(ring.length);
    for (int position = 1; position < ring.length; position++) {
      occurrences.set(
          position, ring[position] == place.loop() && ring[position - 1] == place.before());
    }
    if (occurrences.cardinality() > 1) {
      occurrences.clear(occurrences.length() - 1);
    }
    return occurrences;
  }

  private static void gather(Gathered[] gathered, FieldState[] states, int position) {
    for (int field = 0; field < states.length; field++) {
      gathered[field].add(states[field], position);
    }
  }

  /** What occurrences of a place say of a field, together. */
  private final class Gathered {
    private final Map<FieldState, Integer> positions = new LinkedHashMap<>();

    void add(FieldState state, int position) {
      positions.putIfAbsent(state, position);
    }

    FieldPrediction prediction(int field) {
      Boxes written = fields.get(field).written();
      Boxes live = Boxes.NONE;
      Boxes save = Boxes.NONE;
      for (FieldState state : positions.keySet()) {
        live = live.plus(state.live().intersect(written)).grownToBound();
        save = save.plus(state.save()).grownToBound();
      }
      return new FieldPrediction(
          field,
          save,
          live.intersect(save).points(),
          save.minus(live).points(),
          written.minus(save).points(),
          first(field, Effect::needs, FieldState::live),
          first(field, Effect::overwrites, FieldState::dead));
    }

    /** The first loop after an occurrence that does something to points of a kind. */
    private int first(int field, Function<Effect, Boxes> does, Function<FieldState, Boxes> points) {
      for (Map.Entry<FieldState, Integer> entry : positions.entrySet()) {
        Boxes wanted = points.apply(entry.getKey()).intersect(fields.get(field).written());
        for (int at = entry.getValue(); at < ring.length && !wanted.isEmpty(); at++) {
          for (Effect effect : effects(at)) {
            if (effect.field() == field && does.apply(effect).meets(wanted)) {
              return ring[at];
            }
          }
        }
      }
      return FieldPrediction.NOBODY;
    }
  }
}
