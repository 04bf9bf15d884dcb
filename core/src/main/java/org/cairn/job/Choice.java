// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.cairn.RestartRequest;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.version.Life;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;

/**
 * What a restart goes on with: a pure function of the table of fragments and the request.
 *
 * <ol>
 *   <li>Only jobs of this name are in the table.
 *   <li>What is past is no candidate, unless a person asks for it.
 *   <li>The newest version of a life that can be produced decides, of whatever number of ranks;
 *       only then is asked whether that number is today's.
 *   <li>If exactly one life has a version that can be produced, and no other life has one that was
 *       taken later, complete or not, that version is restored. What two lives descend from speaks
 *       for neither.
 *   <li>A program may ask for one version, or for older ones than one: then no other is a
 *       candidate.
 *   <li>Otherwise nothing is restored, and a person has to choose.
 * </ol>
 */
sealed interface Choice {
  /** A version of a life. */
  record Restore(Life life, VersionId version) implements Choice {}

  /** Nothing was ever saved here. */
  record FirstRun() implements Choice {}

  /** The job never completed a checkpoint: it begins again, and has lost nothing. */
  record Again(Lineage lineage) implements Choice {}

  /**
   * Something was saved, and it is not clear what to do; the message says what a person can do.
   *
   * @param restorable whether a person could choose something that can be restored: then only
   *     somebody who knows may begin anew
   */
  record Refuse(String why, List<String> answers, boolean restorable) implements Choice {
    /** All that is told of it. */
    List<String> all() {
      List<String> lines = new ArrayList<>(List.of(why));
      lines.addAll(answers);
      return List.copyOf(lines);
    }
  }

  /** Chooses. */
  static Choice of(FragmentTable table, RestartRequest request, String place) {
    return new Rules(table, request, place).choose();
  }

  /** The rules, applied to one table. */
  record Rules(FragmentTable table, RestartRequest request, String place) {
    private static final int NAMED_VERSIONS = 2;

    Choice choose() {
      if (!table.foreignReleases().isEmpty()) {
        return refuse(
            ("what is saved in %s was written by another release or machine; use that one, or begin"
                    + " anew with RestartRequest.beginAnew() or --begin-anew")
                .formatted(place),
            List.of());
      }
      if (request.version().isPresent()) {
        return wanted();
      }
      if (request.job().isPresent()) {
        return chosen(request.job().get());
      }
      List<Life> lives = table.lives().current();
      return switch (lives.size()) {
        case 0 -> withoutLives();
        case 1 -> only(lives.getFirst());
        default -> among(lives);
      };
    }

    // ---------------------------------------------------------------- what a person asks for

    private Choice wanted() {
      Collection<VersionId> fitting =
          request.version().get().among(table.lives().versions()).stream()
              .filter(version -> request.job().isEmpty() || isOf(version, request.job().get()))
              .toList();
      String name = request.version().get().toString();
      if (fitting.size() > 1) {
        return refuse(
            "version %s is not one but %d in %s; write %s"
                .formatted(
                    name,
                    fitting.size(),
                    place,
                    fitting.stream().map(VersionId::exact).collect(Collectors.joining(" or "))),
            List.of());
      }
      if (fitting.isEmpty()) {
        return refuse(
            "version %s cannot be restored from %s: it is not there; there are %s"
                .formatted(name, place, exact(table.lives().versions())),
            List.of());
      }
      VersionId version = fitting.iterator().next();
      if (!table.canProduce(version)) {
        return cannot("version %s cannot be restored".formatted(version), List.of(version));
      }
      return new Restore(lifeOf(version), version);
    }

    private boolean isOf(VersionId version, String job) {
      return table.lives().all().stream()
          .anyMatch(life -> life.isCalled(job) && life.versions().contains(version));
    }

    private Life lifeOf(VersionId version) {
      return java.util.stream.Stream.concat(
              table.lives().current().stream(), table.lives().all().stream())
          .filter(life -> life.versions().contains(version))
          .findFirst()
          .orElseThrow();
    }

    private static List<String> exact(Collection<VersionId> versions) {
      return versions.stream().map(VersionId::exact).toList();
    }

    private Choice chosen(String id) {
      List<Life> called =
          table.lives().current().stream().filter(life -> life.isCalled(id)).toList();
      if (called.isEmpty()) {
        called = table.lives().all().stream().filter(life -> life.isCalled(id)).toList();
      }
      return switch (called.size()) {
        case 0 -> refuse("no job in %s is called %s".formatted(place, id), table.lives().all());
        case 1 -> newestOf(called.getFirst(), called.getFirst().versions());
        default ->
            refuse(
                "%s fits %d lives in %s; write more of it".formatted(id, called.size(), place),
                called);
      };
    }

    // ---------------------------------------------------------------- without being asked

    private Choice withoutLives() {
      if (table.survey().isEmpty()) {
        return new FirstRun();
      }
      Optional<Lineage> again = NeverCompleted.find(table);
      return again.isPresent()
          ? new Again(again.get())
          : cannot("no version can be restored on all ranks", List.of());
    }

    private Choice only(Life life) {
      Optional<Lineage> again = NeverCompleted.find(table);
      if (again.isPresent() && again.get().job().equals(life.lineage().job())) {
        return new Again(again.get());
      }
      return newestOf(life, life.versions());
    }

    private Choice newestOf(Life life, List<VersionId> versions) {
      Optional<VersionId> version = versions.stream().filter(this::isCandidate).findFirst();
      if (version.isPresent()) {
        return new Restore(life, version.get());
      }
      return cannot(
          "no %s can be restored on all ranks"
              .formatted(request.bound().map(Object::toString).orElse("version")),
          life.versions().stream().filter(request::admits).limit(NAMED_VERSIONS).toList());
    }

    private boolean isCandidate(VersionId version) {
      return request.admits(version) && table.canProduce(version);
    }

    private Choice among(List<Life> lives) {
      List<Life> able =
          lives.stream().filter(life -> life.own().stream().anyMatch(this::isCandidate)).toList();
      if (able.size() == 1) {
        Life life = able.getFirst();
        VersionId version = life.own().stream().filter(this::isCandidate).findFirst().orElseThrow();
        Instant taken = table.lives().takenAt(version);
        if (lives.stream().allMatch(other -> other == life || other.newest().isBefore(taken))) {
          return new Restore(life, version);
        }
      }
      return refuse(
          ("there are checkpoints of %d lives in %s, and it is not clear which to go on with;"
                  + " choose one with RestartRequest.job(id) or --job ID, or begin anew")
              .formatted(lives.size(), place),
          lives);
    }

    // ---------------------------------------------------------------- refusing

    private Refuse cannot(String what, List<VersionId> versions) {
      List<VersionId> named = versions;
      if (named.isEmpty()) {
        named =
            table.lives().versions().stream()
                .sorted(java.util.Comparator.reverseOrder())
                .limit(NAMED_VERSIONS)
                .toList();
      }
      return new Refuse(
          ("%s from %s, though something was saved; bring back what is missing, or begin anew with"
                  + " RestartRequest.orBeginAnew() or --begin-anew")
              .formatted(what, place),
          named.isEmpty() ? table.answersWithoutVersions() : table.answers(named),
          isAnythingRestorable());
    }

    private boolean isAnythingRestorable() {
      return table.lives().current().stream()
          .flatMap(life -> life.versions().stream())
          .anyMatch(version -> !request.givesUp(version) && table.canProduce(version));
    }

    private Refuse refuse(String why, List<Life> lives) {
      List<String> lines = new ArrayList<>();
      lives.forEach(life -> lines.add(describe(life)));
      lines.addAll(table.answers(List.of()));
      return new Refuse(why, lines, isAnythingRestorable());
    }

    private String describe(Life life) {
      Lineage lineage = life.lineage();
      Set<Integer> sizes = new TreeSet<>();
      life.versions().forEach(version -> sizes.add(version.ranks()));
      VersionId newest = life.versions().getFirst();
      return "%s%s: newest version %s taken %s by %s ranks, %s; begun %s; in %s"
          .formatted(
              life.id(),
              lineage.name().isEmpty() ? "" : " \"" + lineage.name() + "\"",
              newest.exact(),
              table.lives().takenAt(newest),
              sizes.stream().map(String::valueOf).collect(Collectors.joining(" or ")),
              life.versions().stream().anyMatch(table::canProduce) ? "complete" : "not complete",
              lineage.runs().getFirst().began(),
              String.join(", ", places(life)));
    }

    private Set<String> places(Life life) {
      Set<String> places = new TreeSet<>();
      for (Found one : table.survey().found()) {
        Fragment fragment = one.fragment();
        if (fragment.ids().stream().anyMatch(life.versions()::contains)) {
          places.add(
              fragment.file().isEmpty()
                  ? "the shared directory"
                  : fragment.directory() + "/" + fragment.file() + " of rank " + one.holder());
        }
      }
      return places;
    }
  }
}
