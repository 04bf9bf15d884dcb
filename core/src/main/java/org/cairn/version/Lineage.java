// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.cairn.record.Field;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * Where a run comes from: the job and its runs, as far as they matter to this one, itself last. It
 * is in every file that the run writes, and the same on all ranks.
 *
 * <pre>
 * Lineage → length:u32 Fields
 *   1 job(16)     2 name:UTF-8     3 RunInfo*
 * </pre>
 *
 * @param name what the job is called, to be found again; empty if it has no name
 * @param runs those that this one descends from and those of the same job that it left behind,
 *     older ones first; the last is the run itself
 * @param unknown fields of later releases
 */
public record Lineage(JobId job, String name, List<RunInfo> runs, List<Field> unknown) {
  /**
   * How many runs are kept. What is cut off can make a very old version a rival instead of an
   * ancestor, which ends in a question, never in a mixture.
   */
  public static final int MAX_RUNS = 1000;

  private static final int JOB = 1;
  private static final int NAME = 2;
  private static final int RUNS = 3;

  /** Refuses a lineage of nobody; cuts off the oldest runs beyond {@link #MAX_RUNS}. */
  public Lineage {
    if (runs.isEmpty()) {
      throw new IllegalArgumentException("a lineage has at least one run");
    }
    runs = List.copyOf(runs.subList(Math.max(0, runs.size() - MAX_RUNS), runs.size()));
    unknown = List.copyOf(unknown);
  }

  /** The first run of a job. */
  public static Lineage beginning(JobId job, String name, RunInfo first) {
    return new Lineage(job, name, List.of(first), List.of());
  }

  /** The run itself. */
  public RunInfo run() {
    return runs.getLast();
  }

  /**
   * The lineage of the next run of this job.
   *
   * @param relatives other runs of the job that it knows of
   */
  public Lineage continuedBy(RunInfo next, Collection<RunInfo> relatives) {
    Map<RunId, RunInfo> family = new LinkedHashMap<>();
    runs.forEach(run -> family.put(run.id(), run));
    relatives.forEach(run -> family.putIfAbsent(run.id(), run));
    family.remove(next.id());
    List<RunInfo> all = new ArrayList<>(family.values());
    all.add(next);
    return new Lineage(job, name, all, unknown);
  }

  /** The same without the runs before the first of these: of which nothing is left any more. */
  public Lineage since(Set<RunId> first) {
    int from = 0;
    while (from < runs.size() - 1 && !first.contains(runs.get(from).id())) {
      from++;
    }
    return new Lineage(job, name, runs.subList(from, runs.size()), unknown);
  }

  /** The run of this identity, if it is this one or one before it. */
  public Optional<RunInfo> find(RunId id) {
    return runs.stream().filter(run -> run.id().equals(id)).findFirst();
  }

  /** The runs that this one descends from, itself first. */
  public List<RunInfo> descent() {
    return descent(run());
  }

  private List<RunInfo> descent(RunInfo from) {
    Map<RunId, RunInfo> all = new HashMap<>();
    runs.forEach(run -> all.putIfAbsent(run.id(), run));
    Set<RunInfo> chain = new LinkedHashSet<>();
    Optional<RunInfo> next = Optional.of(from);
    while (next.isPresent() && chain.add(next.get())) {
      next = next.get().continues().map(version -> all.get(version.run()));
    }
    return List.copyOf(chain);
  }

  /**
   * Whether a version is one that this run descends from, or took itself: of its own run, or of a
   * run before it and not newer than what was continued.
   */
  public boolean includes(VersionId version) {
    return version.job().equals(job) && includes(run(), version);
  }

  private boolean includes(RunInfo run, VersionId version) {
    return version.run().equals(run.id())
        || descent(run).stream()
            .flatMap(one -> one.continues().stream())
            .anyMatch(
                parent -> parent.run().equals(version.run()) && version.compareTo(parent) <= 0);
  }

  /**
   * Whether this run may drop a version: what it descends from, and what it or a run before it left
   * behind of the very life that it went on with. All else is of another life, and stays.
   */
  public boolean owns(VersionId version) {
    return includes(version)
        || version.job().equals(job)
            && succession().stream().anyMatch(run -> fellBackBefore(run, version));
  }

  /** The runs that this one came after, by descent or as successor of their lives; itself first. */
  private List<RunInfo> succession() {
    List<RunInfo> all = new ArrayList<>(List.of(run()));
    for (int i = 0; i < all.size(); i++) {
      RunInfo run = all.get(i);
      Stream.concat(run.follows().stream(), run.continues().map(VersionId::run).stream())
          .flatMap(id -> find(id).stream())
          .filter(before -> !all.contains(before))
          .forEach(all::add);
    }
    return all;
  }

  private boolean fellBackBefore(RunInfo run, VersionId version) {
    Optional<RunInfo> followed = run.follows().flatMap(this::find);
    return followed.isPresent()
        && includes(followed.get(), version)
        && run.leftBehind().stream()
            .anyMatch(left -> left.run().equals(version.run()) && version.compareTo(left) <= 0);
  }

  /**
   * Whether the run that wrote something last is of the same world as this one. A world is a
   * stretch of runs that go on one with another and have as many ranks; it begins with the one that
   * had another number before it, or nothing.
   */
  public boolean isOfWorld(Lineage written) {
    Map<RunId, RunInfo> known = new HashMap<>();
    // What is cut off from one may be known to the other.
    written.runs.forEach(run -> known.put(run.id(), run));
    runs.forEach(run -> known.put(run.id(), run));
    return beginning(known, run().id()).equals(beginning(known, written.run().id()));
  }

  /**
   * Whether a version is of this world. One of a run that is not known any more is, if it has as
   * many ranks.
   */
  public boolean isOfWorld(VersionId version) {
    return world().test(version);
  }

  /** The same for whoever asks for many versions. */
  public Predicate<VersionId> world() {
    Map<RunId, RunInfo> known = new HashMap<>();
    runs.forEach(run -> known.put(run.id(), run));
    RunId beginning = beginning(known, run().id());
    Set<RunId> others = new HashSet<>();
    known.keySet().stream()
        .filter(run -> !beginning(known, run).equals(beginning))
        .forEach(others::add);
    int ranks = run().ranks();
    return version -> version.ranks() == ranks && !others.contains(version.run());
  }

  /** The run that the world of a run began with. */
  private static RunId beginning(Map<RunId, RunInfo> known, RunId of) {
    RunId at = of;
    Set<RunId> seen = new LinkedHashSet<>();
    while (seen.add(at)) {
      RunInfo run = known.get(at);
      if (run == null) {
        return at;
      }
      RunInfo before =
          run.continues().map(VersionId::run).or(run::follows).map(known::get).orElse(null);
      if (before == null || before.ranks() != run.ranks()) {
        return at;
      }
      at = before.id();
    }
    return at;
  }

  /** The life of a run for people and commands: {@code 91c3aa02-5f0c91aa}. */
  public String brief() {
    return job.brief() + "-" + run().id().brief();
  }

  /** Puts it into a record. */
  public void write(RecordWriter out) {
    long start = out.begin();
    long field = out.beginField(JOB);
    job.write(out);
    out.end(field);
    field = out.beginField(NAME);
    out.putBytes(name.getBytes(StandardCharsets.UTF_8));
    out.end(field);
    field = out.beginField(RUNS);
    runs.forEach(run -> run.write(out));
    out.end(field);
    out.putFields(unknown);
    out.end(start);
  }

  /**
   * Takes it out of a record.
   *
   * @throws org.cairn.CorruptContainerException if it is none
   * @throws org.cairn.UnsupportedFormatException if only a later release understands it
   */
  public static Lineage read(RecordReader in) throws IOException {
    RecordReader record = in.getCountedRecord();
    Fields fields = Fields.read(record);
    JobId job = JobId.read(fields.get(JOB, "job"));
    String name = fields.get(NAME, "name of the job").getRestAsText();
    RecordReader list = fields.get(RUNS, "runs");
    List<RunInfo> runs = new ArrayList<>();
    while (list.remaining() > 0) {
      if (runs.size() == MAX_RUNS) {
        throw list.corrupt("more than " + MAX_RUNS + " runs");
      }
      runs.add(RunInfo.read(list));
    }
    if (runs.isEmpty()) {
      throw list.corrupt("a lineage without runs");
    }
    return new Lineage(job, name, runs, fields.unknown(JOB, NAME, RUNS));
  }
}
