// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.cairn.Dataset;
import org.cairn.Default;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.division.Division;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;

/**
 * An attempt to restore one version, step by step: all ranks must have come so far before any of
 * them goes on. {@link #verify} if that is needed, {@link #fill}, {@link #finish}; every block is
 * verified before its bytes reach the program. Until something is filled no memory is changed, and
 * an attempt can be given up at any time.
 */
public final class Attempt {
  private final RestartTarget target;
  private final VersionSource source;
  private final RestartRequest request;
  private final Map<String, DatasetEntry> entries;
  private final List<Match> wanted;

  /** The datasets that this rank alone knows the version lacks, and that have a default. */
  private final List<String> defaulted;

  Attempt(RestartTarget target, VersionSource source, RestartRequest request) {
    this.target = target;
    this.source = source;
    this.request = request;
    this.entries = Match.byNameNow(source.datasets(), request.changes());
    this.wanted =
        entries.entrySet().stream()
            .filter(named -> isWanted(named.getKey()))
            .map(
                named ->
                    Match.of(named.getValue(), target.dataset(named.getKey()), request.changes()))
            .toList();
    Set<String> others = divided().stream().map(Dataset::name).collect(Collectors.toSet());
    this.defaulted =
        request.changes().defaults().keySet().stream()
            .filter(name -> isWanted(name) && !entries.containsKey(name))
            .filter(name -> !others.contains(name)) // which may have saved it
            .sorted()
            .toList();
    defaulted.forEach(name -> defaultOf(name).check(target.dataset(name)));
    direct().forEach(Match::check);
  }

  /** What is filled with what this rank saved, as it is. */
  private List<Match> direct() {
    return wanted.stream().filter(match -> !match.needsOthers()).toList();
  }

  /** Parts of arrays that this rank has not saved as they are now: others have to do with them. */
  List<Dataset> divided() {
    Set<Dataset> direct = direct().stream().map(Match::dataset).collect(Collectors.toSet());
    return target.datasets().values().stream()
        .filter(dataset -> dataset.division() instanceof Division.Parts)
        .filter(dataset -> isWanted(dataset.name()) && !direct.contains(dataset))
        .toList();
  }

  /** The names of what is filled with what this rank saved. */
  public List<String> filled() {
    return direct().stream().map(match -> match.dataset().name()).toList();
  }

  /** Whether this rank needs others to fill its datasets, or others may need what it has. */
  public boolean needsOthers() {
    return !divided().isEmpty() || ignored().stream().anyMatch(this::isPart);
  }

  private boolean isPart(String name) {
    return division(name) instanceof Division.Parts;
  }

  private Division division(String name) {
    DatasetEntry entry = entries.get(name);
    return entry == null ? Division.alone() : entry.spec().division();
  }

  private boolean isWanted(String name) {
    return target.datasets().containsKey(name) && request.wants(name);
  }

  private Default defaultOf(String name) {
    return request.changes().defaultOf(name).orElseThrow();
  }

  /**
   * Whether a version lacks something that this one changes. If this one then turned out damaged
   * half way, what it had already filled would stay beside the state of that other: a mixture. So
   * all must be {@linkplain #verify verified} before the first byte is changed.
   *
   * @param other the names of the datasets of the other version
   */
  public boolean changesMoreThan(Set<String> other) {
    Set<String> names = other.stream().map(request.changes()::nameNow).collect(Collectors.toSet());
    return !wanted.stream().allMatch(match -> names.contains(match.dataset().name()))
        || !divided().stream().allMatch(dataset -> names.contains(dataset.name()));
  }

  /**
   * Verifies all blocks without changing any memory, also of parts that others may want.
   *
   * @return what is damaged, if anything is
   */
  public Optional<String> verify() throws IOException {
    Set<DatasetEntry> all = Collections.newSetFromMap(new IdentityHashMap<>());
    wanted.forEach(match -> all.add(match.entry()));
    source.datasets().stream()
        .filter(entry -> entry.spec().division() instanceof Division.Parts)
        .forEach(all::add);
    return firstOf(target.verify(source, all));
  }

  /**
   * Fills the datasets, but for those that need others.
   *
   * @return what is damaged, if anything is
   */
  public Optional<String> fill() throws IOException {
    return firstOf(target.fill(source, direct()));
  }

  private static Optional<String> firstOf(List<VersionSource.Damage> damages) {
    return damages.stream().findFirst().map(VersionSource.Damage::what);
  }

  /**
   * The datasets are whole: the program may have them.
   *
   * @param problems what was found damaged where the version comes from
   * @param divided what other ranks had to do with; empty if there is nothing such
   * @return what was restored; how long that took is known to others
   */
  public RestartReport finish(List<String> problems, Optional<Redividing> divided) {
    List<Match> direct = direct();
    direct.forEach(match -> match.filled(source.info()));
    divided.ifPresent(Redividing::finish);
    List<String> restored = new ArrayList<>();
    direct.forEach(match -> restored.add(match.dataset().name()));
    divided.ifPresent(all -> restored.addAll(all.filled()));
    long bytes = direct.stream().mapToLong(match -> match.entry().spec().byteLength()).sum();
    List<String> lacking = new ArrayList<>(defaulted);
    divided.ifPresent(all -> lacking.addAll(all.defaulted()));
    lacking.sort(null);
    lacking.forEach(name -> defaultOf(name).apply(target.dataset(name)));
    List<String> changed = changed(lacking);
    divided.ifPresent(all -> changed.addAll(all.leftOut()));
    return new RestartReport(
        Optional.of(source.info().id()),
        Optional.of(source.info().takenAt()),
        List.copyOf(restored),
        List.copyOf(changed),
        absent(restored, lacking),
        divided.map(all -> all.unclaimed(ignored(), this::division)).orElseGet(this::ignored),
        List.of(),
        List.copyOf(problems),
        bytes + divided.map(Redividing::bytes).orElse(0L),
        Duration.ZERO,
        List.of());
  }

  private List<String> changed(List<String> lacking) {
    List<String> changed = new ArrayList<>();
    wanted.forEach(match -> match.change().ifPresent(changed::add));
    for (String name : lacking) {
      changed.add("\"%s\" was not saved, its default is %s".formatted(name, defaultOf(name)));
    }
    return changed;
  }

  private List<String> absent(Collection<String> restored, Collection<String> lacking) {
    return target.datasets().keySet().stream()
        .filter(name -> !entries.containsKey(name) && !lacking.contains(name))
        .filter(name -> !restored.contains(name))
        .toList();
  }

  private List<String> ignored() {
    return entries.keySet().stream()
        .filter(name -> !target.datasets().containsKey(name))
        .filter(name -> !isDropped(name))
        .toList();
  }

  /** By its name, or with all of the array that it has some of. */
  private boolean isDropped(String name) {
    return request.dropping().contains(name)
        || division(name) instanceof Division.Parts parts
            && request.dropping().contains(request.changes().nameNow(parts.array()));
  }
}
