// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.cairn.Compression;
import org.cairn.Compression.Goal;
import org.cairn.frame.Choice.Estimate;
import org.cairn.frame.FramePlan.Expected;
import org.cairn.supply.Supply;
import org.cairn.transform.Elements;
import org.cairn.transform.Transform;
import org.jspecify.annotations.Nullable;

/**
 * Finds for each class of variables the transform that makes it smallest, by trying, and for each
 * frame its level.
 *
 * <p>A choice is remembered, and made anew with every 16th set, when what it gives has moved by a
 * tenth, when it was made of too little and there is more, and when the sample was unlike the rest.
 * {@code auto} takes the level at which compressing and storing together take the least time, with
 * the bandwidth that the caller has measured; the others have one level each.
 *
 * <p>For one thread at a time: whoever fills frames asks it, and others encode them.
 */
public final class Chooser implements AutoCloseable {
  /** After so many sets a choice is made anew. */
  static final int SETS = 16;

  private static final List<Integer> NOT_AT_ALL = List.of(FrameEncoder.NO_LEVEL);
  private static final double MOVED = 0.1;

  /** So many times larger than expected is what was chosen of a sample unlike the rest. */
  private static final double MISJUDGED = 1.5;

  private static final int SAMPLES_TO_JUDGE = 4;

  /** A store so many times faster or slower wants other trials. */
  private static final double MUCH = 2;

  /** What is simpler, and larger by no more than this, is taken: it takes less time both ways. */
  private static final double AS_GOOD = 0.01;

  private static final long FREE_TRIALS = 1 << 20;
  private static final int SHARE_OF_TRIALS = 4;

  /** Of the time to store data as they are; {@code auto} may spend it on trials. */
  private static final double SHARE_OF_STORING = 0.05;

  /**
   * Of the time to store data as they are, compressing has to save so much: what is estimated does
   * not know of waiting for the last frame, nor of memory that all threads share.
   */
  private static final double WORTHWHILE = 0.05;

  /** What follows the name of a class for those of its pieces that are one value throughout. */
  static final String ONE_VALUE = " of one value";

  /** Of such pieces zstd makes less than this, and not slower. */
  private static final double ONE_VALUE_STORED = 0.001;

  private static final double ONE_VALUE_NANOS_PER_BYTE = 0.3;

  private static final double UNKNOWN_BANDWIDTH = 500e6;

  private final Compression compression;
  private final List<Integer> levels;
  private final LongSupplier nanos;
  private final Map<String, Remembered> classes = new HashMap<>();
  private final Map<Kind, Choice> alike = new HashMap<>();
  private @Nullable Trials trials;
  private long planned;
  private double bytesPerNano = UNKNOWN_BANDWIDTH * 1e-9;
  private int threads = 1;
  private long set;

  /** What classes that are alike have in common. */
  private record Kind(Elements elements, int axes, boolean coded) {
    static Kind of(List<TypedBytes> pieces) {
      TypedBytes first = pieces.getFirst();
      return new Kind(first.elements(), Recipe.axesOf(first.shape()), first.coded());
    }
  }

  /** What is known of a class. */
  private static final class Remembered {
    private final Choice choice;
    private final long chosenInSet;
    private final double worth;

    /** How much more it takes than expected: in the set in which it was chosen, and now. */
    private double expectedThen;

    private double storedThen;
    private double expectedNow;
    private double storedNow;
    private long bytesNow;
    private boolean moved;
    private long usedInSet;
    private @Nullable Estimate taken;

    Remembered(Choice choice, long set, double worth) {
      this.choice = choice;
      this.chosenInSet = set;
      this.worth = worth;
    }
  }

  /** A chooser that measures how long trials take. */
  public Chooser(Compression compression) {
    this(compression, Supply::nanos);
  }

  /** The same with another clock. */
  Chooser(Compression compression, LongSupplier nanos) {
    this.compression = compression;
    this.nanos = nanos;
    List<Integer> wanted = compression.levels();
    this.levels = wanted.equals(NOT_AT_ALL) || FrameEncoder.canCompress() ? wanted : NOT_AT_ALL;
  }

  /**
   * Says what a byte costs that is stored.
   *
   * @param bytesPerSecond what the store was measured to take from this process
   * @param encoders how many threads encode
   */
  public void store(double bytesPerSecond, int encoders) {
    if (!(bytesPerSecond > 0) || encoders < 1) {
      throw new IllegalArgumentException(
          "a store of %s bytes a second, %d threads".formatted(bytesPerSecond, encoders));
    }
    bytesPerNano = bytesPerSecond * 1e-9;
    threads = encoders;
    for (Remembered one : classes.values()) {
      double change = worth() / one.worth;
      one.moved = one.moved || change > MUCH || change < 1 / MUCH;
    }
  }

  /**
   * A new set begins: the next version, the next checkpoint. What no set has any more is forgotten.
   */
  public void beginSet() {
    set++;
    classes.values().removeIf(one -> set - one.usedInSet > SETS);
    for (Remembered one : classes.values()) {
      one.moved = one.moved || hasMoved(one);
      if (one.storedThen == 0) {
        one.expectedThen = one.expectedNow;
        one.storedThen = one.storedNow;
      }
      one.expectedNow = 0;
      one.storedNow = 0;
      one.bytesNow = 0;
    }
  }

  private static boolean hasMoved(Remembered one) {
    if (one.storedThen == 0 || one.storedNow == 0) {
      return false;
    }
    double then = one.storedThen / one.expectedThen;
    double now = one.storedNow / one.expectedNow;
    return Math.abs(now / then - 1) > MOVED;
  }

  /** What was chosen so far, in no order: for those who show it. */
  public List<Choice> choices() {
    return classes.values().stream()
        .map(
            one ->
                new Choice(
                    one.choice.key(),
                    one.choice.tried(),
                    one.choice.sampled(),
                    Optional.ofNullable(one.taken)))
        .toList();
  }

  /** How a frame of these pieces is best encoded. */
  public FramePlan plan(List<TypedBytes> pieces) {
    List<String> keys = pieces.stream().map(Chooser::key).toList();
    Map<String, List<TypedBytes>> byKey = new LinkedHashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      byKey.computeIfAbsent(keys.get(i), _ -> new ArrayList<>()).add(pieces.get(i));
    }
    Map<String, Choice> choices = new LinkedHashMap<>();
    byKey.forEach((key, own) -> choices.put(key, choice(key, own)));
    int level = level(byKey, choices);
    Map<String, Expected> expected = new LinkedHashMap<>();
    choices.forEach(
        (key, choice) -> expected.put(key, new Expected(best(choice, level), bytes(byKey, key))));
    expected.forEach(this::take);
    return new FramePlan(new Effort(level, why()), transformed(pieces, keys, expected), expected);
  }

  private void take(String key, Expected expected) {
    Remembered known = classes.get(key);
    if (known != null) {
      known.taken = expected.estimate();
    }
  }

  /**
   * Pieces of one value are a class of their own: no transform makes them smaller, each takes
   * longer than none, and what is found best for them is of no use for the others.
   */
  private static String key(TypedBytes piece) {
    return piece.bytes().byteSize() >= Trials.LEAST && !piece.coded() && piece.isOfOneValue()
        ? piece.key() + ONE_VALUE
        : piece.key();
  }

  private static List<Piece> transformed(
      List<TypedBytes> pieces, List<String> keys, Map<String, Expected> expected) {
    List<Piece> transformed = new ArrayList<>(pieces.size());
    for (int i = 0; i < keys.size(); i++) {
      TypedBytes piece = pieces.get(i);
      Recipe recipe = expectedOf(expected, keys.get(i)).estimate().recipe();
      Transform transform =
          piece.coded() ? Transform.NONE : recipe.on(piece.elements(), piece.shape());
      transformed.add(new Piece(piece.bytes(), transform));
    }
    return transformed;
  }

  private static Expected expectedOf(Map<String, Expected> expected, String key) {
    Expected found = expected.get(key);
    if (found == null) {
      throw new AssertionError("class " + key + " has no choice");
    }
    return found;
  }

  private static long bytes(Map<String, List<TypedBytes>> byKey, String key) {
    long bytes = 0;
    for (TypedBytes piece : byKey.getOrDefault(key, List.of())) {
      bytes += piece.bytes().byteSize();
    }
    return bytes;
  }

  // ---------------------------------------------------------------- classes

  private Choice choice(String key, List<TypedBytes> pieces) {
    long available = pieces.stream().mapToLong(piece -> piece.bytes().byteSize()).sum();
    Remembered known = classes.get(key);
    if (key.endsWith(ONE_VALUE)) {
      known = known == null ? new Remembered(ofOneValue(key, available), set, worth()) : known;
      classes.put(key, known);
      known.usedInSet = set;
      return known.choice;
    }
    planned += available;
    Kind kind = Kind.of(pieces);
    Choice like = alike.get(kind);
    if (known == null && like != null && !hasTime()) {
      known = new Remembered(new Choice(key, like.tried(), 0), set, worth());
      classes.put(key, known);
    } else if (known == null || isDue(known, available) && hasTime()) {
      known = new Remembered(examine(key, pieces, available), set, worth());
      classes.put(key, known);
      alike.put(kind, known.choice);
    }
    known.usedInSet = set;
    return known.choice;
  }

  /** What is known without trials. */
  private Choice ofOneValue(String key, long available) {
    return new Choice(
        key,
        levels.stream()
            .map(
                level ->
                    level == FrameEncoder.NO_LEVEL
                        ? new Estimate(Recipe.NONE, level, 1, 0)
                        : new Estimate(
                            Recipe.NONE, level, ONE_VALUE_STORED, ONE_VALUE_NANOS_PER_BYTE))
            .toList(),
        available);
  }

  /**
   * Whether trials have not taken too much yet. With many small classes they take longer than the
   * work: where speed counts a class then begins with what was found for one like it, and has its
   * turn later. A slow store leaves more time: what trials take is little beside what it takes.
   */
  private boolean hasTime() {
    return compression.goal() == Goal.SMALL
        || trials == null
        || trials.tried() <= FREE_TRIALS + planned / shareOfTrials()
        || compression.goal() == Goal.AUTO
            && trials.nanos() <= SHARE_OF_STORING * planned / bytesPerNano;
  }

  private boolean isDue(Remembered known, long available) {
    return known.moved
        || set - known.chosenInSet >= SETS
        || known.choice.sampled() < sample() && available >= 2 * known.choice.sampled();
  }

  private int shareOfTrials() {
    return compression.goal() == Goal.FAST ? SHARE_OF_TRIALS : 1;
  }

  private int sample() {
    return compression.goal() == Goal.FAST ? Trials.SAMPLE : Trials.LARGE_SAMPLE;
  }

  private Choice examine(String key, List<TypedBytes> pieces, long available) {
    List<Integer> tried = levels.stream().filter(level -> level > 0).sorted().toList();
    List<Estimate> estimates = new ArrayList<>();
    if (levels.contains(0)) {
      estimates.add(new Estimate(Recipe.NONE, 0, 1, 0));
    }
    boolean isHopeless = pieces.stream().anyMatch(TypedBytes::coded) || available < Trials.LEAST;
    if (isHopeless || tried.isEmpty()) {
      tried.forEach(level -> estimates.add(new Estimate(Recipe.NONE, level, 1, 0)));
      return new Choice(key, estimates, available);
    }
    double worth = worth();
    if (trials != null && trials.fastest() > worth) {
      double fastest = trials.fastest();
      tried.forEach(level -> estimates.add(new Estimate(Recipe.NONE, level, 1, fastest)));
    } else {
      List<TypedBytes> samples = Samples.of(pieces, sample());
      estimates.addAll(trials().of(samples, tried, compression.goal() != Goal.FAST, worth));
    }
    return new Choice(key, estimates, Math.min(available, sample()));
  }

  /**
   * Who takes longer than bytes take to be stored as they are need not try, whatever the saving.
   */
  private double worth() {
    return levels.contains(0) ? threads / bytesPerNano : Double.POSITIVE_INFINITY;
  }

  private Trials trials() {
    Trials current = trials;
    if (current == null) {
      current = new Trials(nanos);
      trials = current;
    }
    return current;
  }

  // ---------------------------------------------------------------- levels

  private Estimate best(Choice choice, int level) {
    if (compression.goal() == Goal.AUTO) {
      return choice.best(level, Comparator.comparingDouble(this::nanosPerByte));
    }
    double least =
        choice.best(level, Comparator.comparingDouble(Estimate::stored)).stored() * (1 + AS_GOOD);
    return choice.best(level, Comparator.comparingDouble(simplestUpTo(least)));
  }

  /** By effort if it is small enough; all others come after. */
  private static ToDoubleFunction<Estimate> simplestUpTo(double stored) {
    return estimate -> {
      Recipe recipe = estimate.recipe();
      return (estimate.stored() > stored ? 100 + estimate.stored() : 0)
          + 2 * recipe.axes()
          + (recipe.shuffled() ? 1 : 0);
    };
  }

  private double nanosPerByte(Estimate estimate) {
    return estimate.nanosPerByte() / threads + estimate.stored() / bytesPerNano;
  }

  private int level(Map<String, List<TypedBytes>> byKey, Map<String, Choice> choices) {
    int found = levels.getFirst();
    double least = Double.POSITIVE_INFINITY;
    for (int level : levels) {
      double time = 0;
      for (Map.Entry<String, Choice> entry : choices.entrySet()) {
        time += nanosPerByte(best(entry.getValue(), level)) * bytes(byKey, entry.getKey());
      }
      if (level == FrameEncoder.NO_LEVEL) {
        time *= 1 - WORTHWHILE;
      }
      if (time < least) {
        least = time;
        found = level;
      }
    }
    return found;
  }

  // ---------------------------------------------------------------- what came out

  /** Says how large a frame has become, by which a choice that no longer holds is found. */
  public void stored(FramePlan plan, FrameInfo info) {
    double expected = plan.classes().values().stream().mapToDouble(Expected::storedBytes).sum();
    if (expected <= 0) {
      return;
    }
    plan.classes()
        .forEach(
            (key, own) -> {
              Remembered known = classes.get(key);
              if (known != null && known.choice.tried().contains(own.estimate())) {
                known.expectedNow += own.storedBytes();
                known.storedNow += info.storedLength() * own.storedBytes() / expected;
                known.bytesNow += own.bytes();
                known.moved = known.moved || isMisjudged(known);
              }
            });
  }

  /**
   * Whether the sample was unlike the rest, as the first rank's may be that has nothing but zeros.
   * It takes several times the sample to tell, so trials remain a small part of the work.
   */
  private boolean isMisjudged(Remembered known) {
    return known.chosenInSet == set
        && known.bytesNow > SAMPLES_TO_JUDGE * Math.max(Trials.LEAST, known.choice.sampled())
        && known.storedNow > MISJUDGED * known.expectedNow;
  }

  private String why() {
    if (levels.equals(NOT_AT_ALL) && compression.goal() != Goal.NONE) {
      return "there is no library of zstd on this machine";
    }
    return switch (compression.goal()) {
      case NONE -> "as asked for";
      case FAST -> "fast: the lowest level";
      case SMALL -> "small: what is smallest at this level";
      case AUTO ->
          String.format(
              Locale.ROOT,
              "auto: the least time with %d threads and a store of %.0f MB/s",
              threads,
              bytesPerNano * 1e3);
    };
  }

  @Override
  public void close() {
    if (trials != null) {
      trials.close();
      trials = null;
    }
  }
}
