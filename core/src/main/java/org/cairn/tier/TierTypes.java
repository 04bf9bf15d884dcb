// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.cairn.TierKind;
import org.cairn.version.JobId;

/** The kinds of tiers that there are: what {@link ServiceLoader} finds. */
public final class TierTypes {
  private TierTypes() {}

  /** Loaded when the first is asked for. */
  private static final class Found {
    static final List<TierType> ALL = load();
  }

  private static List<TierType> load() {
    List<TierType> all = new ArrayList<>();
    ServiceLoader.load(TierType.class, TierType.class.getClassLoader()).forEach(all::add);
    all.sort(Comparator.comparing(TierType::kind));
    for (int i = 1; i < all.size(); i++) {
      TierType one = all.get(i - 1);
      TierType other = all.get(i);
      if (one.kind().equals(other.kind())) {
        throw new IllegalStateException(
            "%s and %s have the same number, %d; one of them must leave the class path"
                .formatted(one, other, one.kind().number()));
      }
    }
    return List.copyOf(all);
  }

  /** All of them, from the nearest to the safest. */
  public static List<TierType> all() {
    return Found.ALL;
  }

  /** The one of a number. */
  public static Optional<TierType> find(int number) {
    return all().stream().filter(type -> type.kind().number() == number).findFirst();
  }

  /** The kinds of all of them, from the nearest to the safest. */
  public static List<TierKind> kinds() {
    return all().stream().map(TierType::kind).toList();
  }

  /** The kind of a number. */
  public static TierKind kind(int number) {
    return find(number)
        .map(TierType::kind)
        .orElseThrow(() -> new IllegalArgumentException("no tier has the number " + number));
  }

  /** The kind of a name. */
  public static TierKind kindCalled(String label) {
    return kinds().stream()
        .filter(kind -> kind.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no tier is called \"%s\"; there are %s".formatted(label, kinds())));
  }

  /** The kinds of these bits; what nobody knows is left out. */
  public static Set<TierKind> kindsOf(int bits) {
    return kinds().stream()
        .filter(kind -> (bits & kind.bit()) != 0)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The job of a file that lies where many jobs keep theirs, if its name tells. */
  public static Optional<JobId> jobOf(TierKind kind, String file) {
    return find(kind.number()).flatMap(type -> type.jobOf(file));
  }

  /** The one whose containers have this role in their names, see {@link FileNames}. */
  static Optional<TierType> ofRole(String role) {
    return all().stream().filter(type -> type.role().filter(role::equals).isPresent()).findFirst();
  }
}
