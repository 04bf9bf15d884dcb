// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a locator has found, within bounds: so many steps, extents and notes, and no more. For one
 * thread.
 */
public final class Hints {
  private static final int MOST_NOTES = 100;

  private final long mostSteps;
  private final int mostExtents;
  private final List<Extent> extents = new ArrayList<>();
  private final List<Note> notes = new ArrayList<>();
  private final @Nullable String only;
  private @Nullable Note outside;
  private @Nullable Storage storage;
  private @Nullable Variable wanted;
  private long steps;
  private long notesLeftOut;

  /**
   * Something that was not understood.
   *
   * @param offset where in the file
   */
  public record Note(long offset, String text) {}

  /** A file asks for more than is allowed; what was found until then counts. */
  public static final class ExhaustedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private ExhaustedException(String message) {
      super(message, null, false, false);
    }
  }

  /**
   * Nothing found yet.
   *
   * @param mostSteps how many objects may be looked at
   * @param mostExtents how many extents may be found
   */
  public Hints(long mostSteps, int mostExtents) {
    this(mostSteps, mostExtents, null);
  }

  private Hints(long mostSteps, int mostExtents, @Nullable String only) {
    this.mostSteps = mostSteps;
    this.mostExtents = mostExtents;
    this.only = only;
  }

  /** For whoever wants one variable only, but also how it is stored. */
  static Hints ofOne(String variable, long mostSteps, int mostExtents) {
    return new Hints(mostSteps, mostExtents, variable);
  }

  /** Whether somebody wants to know how a variable is stored. */
  public boolean wantsStorage(String variable) {
    return variable.equals(only);
  }

  /** Says how the variable is stored that is wanted; nothing of it may be there. */
  public void storage(Variable of, Storage found) {
    wanted = of;
    storage = found;
  }

  /** The variable that is wanted, if the format tells how it is stored. */
  public Optional<Variable> wanted() {
    return Optional.ofNullable(wanted);
  }

  /** How it is stored, if the format tells. */
  public Optional<Storage> storage() {
    return Optional.ofNullable(storage);
  }

  /**
   * Counts something that is looked at: a message, an entry, a node.
   *
   * @throws ExhaustedException if it is one too many; a locator does not catch it
   */
  public void step() {
    if (++steps > mostSteps) {
      throw new ExhaustedException("more than %,d objects".formatted(mostSteps));
    }
  }

  /**
   * Counts several of them at once.
   *
   * @throws ExhaustedException as {@link #step} would
   */
  public void steps(int count) {
    if (count > mostSteps - steps) {
      steps = mostSteps;
      step();
    }
    steps += count;
  }

  /**
   * Adds an extent.
   *
   * @throws ExhaustedException if it is one too many
   */
  public void extent(Extent extent) {
    if (only != null && !only.equals(extent.variable().name())) {
      return;
    }
    if (extents.size() >= mostExtents) {
      throw new ExhaustedException("more than %,d extents".formatted(mostExtents));
    }
    extents.add(extent);
  }

  /** Says that something at a place was left out, and why. */
  public void note(long offset, String text) {
    note(offset, () -> text);
  }

  /** Does so where it may be said a million times: notes that are too many are not made. */
  public void note(long offset, Supplier<String> text) {
    if (notes.size() < MOST_NOTES) {
      notes.add(new Note(offset, text.get()));
    } else {
      notesLeftOut++;
    }
  }

  /** Says that something is said to lie where the file has nothing: strictly, it is refused. */
  public void outside(long offset, String text) {
    if (outside == null) {
      outside = new Note(offset, text);
    }
    note(offset, text);
  }

  /** The first of what lies outside of the file. */
  public Optional<Note> outside() {
    return Optional.ofNullable(outside);
  }

  /** What was found, in the order in which it was. */
  public List<Extent> extents() {
    return Collections.unmodifiableList(extents);
  }

  /** What was not understood; the first of them. */
  public List<Note> notes() {
    return Collections.unmodifiableList(notes);
  }

  /** How many notes were too many. */
  public long notesLeftOut() {
    return notesLeftOut;
  }
}
