// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.cairn.version.DatasetSpec;

/**
 * How a program differs from the one that took a checkpoint. Renaming comes first: everything else,
 * here and in {@link RestartRequest}, speaks of datasets as the program calls them now.
 *
 * @param renamed the name in the checkpoint, and the name now
 * @param converting the datasets that may have been saved as {@code float} and be {@code double}
 *     now, or the other way round
 * @param defaults what datasets hold that the version lacks
 */
public record Changes(
    Map<String, String> renamed, Set<String> converting, Map<String, Default> defaults) {

  /** Copies what it is given. */
  public Changes {
    renamed = Map.copyOf(renamed);
    converting = Set.copyOf(converting);
    defaults = Map.copyOf(defaults);
  }

  /** The same program. */
  public static Changes none() {
    return new Changes(Map.of(), Set.of(), Map.of());
  }

  Changes rename(String saved, String now) {
    if (saved.equals(now)) {
      throw new IllegalArgumentException(
          "\"" + saved + "\" is renamed to what it is called already");
    }
    if (renamed.containsValue(now)) {
      throw new IllegalArgumentException(
          "two datasets of the checkpoint cannot both become \"" + now + "\"");
    }
    Map<String, String> all = new TreeMap<>(renamed);
    String before = all.put(saved, now);
    if (before != null) {
      throw new IllegalArgumentException(
          "\"%s\" of the checkpoint cannot become both \"%s\" and \"%s\""
              .formatted(saved, before, now));
    }
    return new Changes(all, converting, defaults);
  }

  Changes convert(Set<String> names) {
    Set<String> all = new TreeSet<>(converting);
    all.addAll(names);
    return new Changes(renamed, all, defaults);
  }

  Changes orElse(String name, Default content) {
    Map<String, Default> all = new TreeMap<>(defaults);
    if (all.put(name, content) != null) {
      throw new IllegalArgumentException("\"" + name + "\" has two defaults");
    }
    return new Changes(renamed, converting, all);
  }

  /** What the program calls a dataset of a version. */
  public String nameNow(String saved) {
    return renamed.getOrDefault(saved, saved);
  }

  /** What a dataset may be called in a version: renamed, or as it is called now. */
  public Stream<String> savedAs(String now) {
    Stream<String> before =
        renamed.entrySet().stream()
            .filter(rename -> rename.getValue().equals(now))
            .map(Map.Entry::getKey);
    return renamed.containsKey(now) ? before : Stream.concat(before, Stream.of(now));
  }

  /** What a dataset holds if the version lacks it. */
  public Optional<Default> defaultOf(String name) {
    return Optional.ofNullable(defaults.get(name));
  }

  /** Whether what was saved is to be converted for a dataset that is of this type now. */
  public boolean converts(DatasetSpec saved, ElementType now) {
    return converts(nameNow(saved.name()), saved.type(), now);
  }

  /** Whether what was saved is to be converted for a dataset of this name, and of a type, now. */
  public boolean converts(String name, ElementType saved, ElementType now) {
    return converting.contains(name) && saved != now && isFloating(saved) && isFloating(now);
  }

  private static boolean isFloating(ElementType type) {
    return type == ElementType.FLOAT || type == ElementType.DOUBLE;
  }

  /** How a dataset is not as it was saved, for people; empty if it is. */
  public static Optional<String> inWords(
      String saved, ElementType savedType, String now, ElementType type) {
    boolean renamed = !saved.equals(now);
    boolean converted = savedType != type;
    if (!renamed && !converted) {
      return Optional.empty();
    }
    String name = renamed ? " is \"" + now + "\" now" : "";
    String types =
        converted
            ? "%s%s in place of %s"
                .formatted(renamed ? ", " : " is ", type.label(), savedType.label())
            : "";
    return Optional.of("\"" + saved + "\"" + name + types);
  }

  /** The same words on all ranks for the same changes. */
  @Override
  public String toString() {
    return "renamed %s, converting %s, defaults %s"
        .formatted(new TreeMap<>(renamed), new TreeSet<>(converting), new TreeMap<>(defaults));
  }
}
