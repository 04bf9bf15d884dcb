// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.cairn.version.Life;
import org.cairn.version.Lineage;
import org.cairn.version.Lives;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/** A life that was found in a directory, with its files. */
public final class LifeEntry {
  private final Life life;
  private final State state;
  private final @Nullable Lives lives;
  private final List<Inventory.Held> files = new ArrayList<>();
  private SharedPlace.Size shared = new SharedPlace.Size(0, 0);

  /** What is to be said of a life. */
  public enum State {
    /** A restart may go on with it. */
    CURRENT("current"),
    /** A later run, or a person, left it behind. */
    PAST("past"),
    /** There is nothing in it. */
    NEVER("never completed a checkpoint");

    private final String label;

    State(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }
  }

  LifeEntry(Life life, State state, @Nullable Lives lives) {
    this.life = life;
    this.state = state;
    this.lives = lives;
  }

  static LifeEntry withoutVersions(Lineage lineage) {
    return new LifeEntry(new Life(lineage, List.of(), List.of(), Instant.MIN), State.NEVER, null);
  }

  void add(Inventory.Held file) {
    files.add(file);
  }

  void addShared(SharedPlace.Size more) {
    shared = shared.plus(more);
  }

  /** What belongs to it. */
  public Life life() {
    return life;
  }

  /** Whether a restart may go on with it. */
  public State state() {
    return state;
  }

  /** The containers that count for it. */
  public List<Inventory.Held> files() {
    return files;
  }

  /** What a person writes to choose it. */
  public String id() {
    return life.id();
  }

  String name() {
    return life.lineage().name();
  }

  boolean isCalled(String text) {
    return life.isCalled(text);
  }

  /** Whether a container of this lineage is part of it, though it holds no version. */
  boolean isOf(Lineage lineage) {
    return life.lineage().job().equals(lineage.job());
  }

  long bytes() {
    return files.stream().mapToLong(Inventory.Held::fileBytes).sum() + shared.bytes();
  }

  int fileCount() {
    return files.size() + shared.files();
  }

  /** How many ranks it had last. */
  int ranks() {
    return life.versions().isEmpty()
        ? life.lineage().run().ranks()
        : life.versions().getFirst().ranks();
  }

  /** Whether its newest version is of the number of ranks that wrote to it last. */
  boolean isInNewWorld() {
    VersionId newest = newest();
    return newest != null && life.lineage().isOfWorld(newest);
  }

  /** Files that another number of ranks has left, and that a newer version stands in for. */
  List<Inventory.Held> oldWorld() {
    Lineage now = life.lineage();
    return isInNewWorld()
        ? files.stream().filter(file -> !now.isOfWorld(file.ownership().lineage())).toList()
        : List.of();
  }

  private String ranksText() {
    SortedSet<Integer> all = new TreeSet<>();
    life.versions().forEach(version -> all.add(version.ranks()));
    all.add(ranks());
    return String.join(", ", all.stream().map(String::valueOf).toList());
  }

  @Nullable VersionId newest() {
    return life.versions().isEmpty() ? null : life.versions().getFirst();
  }

  @Nullable Instant taken() {
    VersionId newest = newest();
    return newest == null ? null : takenAt(newest);
  }

  /** When one of its versions was taken. */
  Instant takenAt(VersionId version) {
    return lives == null ? Instant.EPOCH : lives.takenAt(version);
  }

  /** For messages. */
  String describe() {
    VersionId newest = newest();
    return id()
        + (name().isEmpty() ? "" : " \"" + name() + "\"")
        + " (%s, %s)".formatted(newest == null ? "no version" : "newest " + newest, state.label);
  }

  /**
   * As {@code --json} prints it.
   *
   * @param life what to choose it by
   * @param job all digits of its job
   * @param run all digits of its last run
   */
  record Listed(
      String life,
      String job,
      String run,
      String name,
      String ranks,
      @Nullable String newest,
      @Nullable String takenAt,
      String state,
      int files,
      long bytes) {}

  Listed listed() {
    VersionId newest = newest();
    Instant taken = taken();
    Lineage lineage = life.lineage();
    return new Listed(
        id(),
        lineage.job().toString(),
        lineage.run().id().toString(),
        name(),
        ranksText(),
        newest == null ? null : newest.exact(),
        taken == null ? null : taken.toString(),
        state.label(),
        fileCount(),
        bytes());
  }
}
