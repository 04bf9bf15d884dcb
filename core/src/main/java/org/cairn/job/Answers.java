// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.cairn.TierKind;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.tier.TierType;
import org.cairn.tier.TierTypes;
import org.cairn.version.VersionId;

/** What every tier answers when it is asked for the state of a rank, for people. */
final class Answers {
  private final FragmentTable table;
  private final FragmentIndex index;

  Answers(FragmentTable table, FragmentIndex index) {
    this.table = table;
    this.index = index;
  }

  /** For every rank and these versions, and what else was found. */
  List<String> of(List<VersionId> versions) {
    List<String> lines = new ArrayList<>(table.contradictions());
    for (VersionId version : versions) {
      for (int owner = 0; owner < version.ranks(); owner++) {
        lines.add(
            "version %s, rank %d: %s"
                .formatted(version.exact(), owner, answer(owner, Optional.of(version))));
      }
    }
    for (Found one : table.survey().found()) {
      if (!one.fragment().problem().isEmpty()) {
        lines.add(finder(one.holder()) + one.fragment().problem());
      }
    }
    table.excluded().forEach(damaged -> lines.add(finder(damaged.holder()) + damaged.why()));
    return lines.stream().distinct().toList();
  }

  private String finder(int rank) {
    return table.ranks() == 1 ? "" : "rank " + rank + " found: ";
  }

  /** For every rank, where no version is known at all. */
  List<String> withoutVersions() {
    List<String> lines = new ArrayList<>();
    for (int owner = 0; owner < table.ranks(); owner++) {
      lines.add("rank %d: %s".formatted(owner, answer(owner, Optional.empty())));
    }
    lines.addAll(of(List.of()));
    return lines;
  }

  private String answer(int owner, Optional<VersionId> version) {
    Map<TierKind, String> answers = new TreeMap<>();
    for (TierType type : TierTypes.all()) {
      answers.put(type.kind(), type.nothing());
    }
    for (Found one : index.ownedBy(Fragment.NOBODY)) {
      boolean elsewhere = one.fragment().directory().isEmpty();
      if (elsewhere && one.fragment().state() == Fragment.State.UNREADABLE) {
        answers.put(one.fragment().kind(), copyAnswer(one, version));
      }
    }
    for (Found one : index.ownedBy(owner)) {
      if (one.fragment().group() == null) {
        answers.merge(one.fragment().kind(), copyAnswer(one, version), Answers::better);
      }
    }
    if (version.isPresent()) {
      for (TierType type : TierTypes.all()) {
        type.answer(table, owner, version.get()).ifPresent(said -> answers.put(type.kind(), said));
      }
    }
    StringJoiner text = new StringJoiner(", ");
    answers.forEach((kind, said) -> text.add(kind.label() + ": " + said));
    return text.toString();
  }

  private String copyAnswer(Found one, Optional<VersionId> version) {
    String where = " at rank " + one.holder() + place(one);
    boolean damaged = version.filter(wanted -> table.isBad(one, wanted)).isPresent();
    if (!damaged && version.filter(one.fragment()::holds).isPresent()) {
      return "here" + where;
    }
    if (damaged || one.fragment().state() == Fragment.State.UNREADABLE) {
      return "damaged" + where;
    }
    List<String> versions = one.fragment().ids().stream().map(VersionId::exact).toList();
    return versions.isEmpty() ? "empty" + where : "only " + versions + where;
  }

  private static String place(Found one) {
    String file = one.fragment().file();
    return file.isEmpty() ? "" : " in " + one.fragment().directory() + "/" + file;
  }

  private static String better(String one, String other) {
    return one.startsWith("here") ? one : other;
  }
}
