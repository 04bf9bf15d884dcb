// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.cairn.RestartRequest;
import org.cairn.TierKind;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.tier.Source;
import org.cairn.version.Life;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Test;

class FragmentTableTest {
  private static final VersionId V1 = TestRun.id(1, 1, 2);
  private static final VersionId V2 = TestRun.id(1, 2, 2);
  private static final VersionId V3 = TestRun.id(2, 3, 2);

  private final List<Found> found = new ArrayList<>();

  private void add(int holder, TierKind kind, int owner, String directory, VersionId... versions) {
    add(holder, kind, owner, directory, 7, versions);
  }

  private void add(
      int holder, TierKind kind, int owner, String directory, long digest, VersionId... versions) {
    String file = "rank" + owner + (kind.equals(TierKind.PARTNER) ? ".partner.cairn" : ".cairn");
    List<Fragment.Held> held =
        Stream.of(versions)
            .map(
                id ->
                    new Fragment.Held(id, Instant.ofEpochSecond(id.sequence()), digest, owner + 1))
            .toList();
    found.add(
        new Found(
            holder,
            new Fragment(
                kind,
                owner,
                directory,
                file,
                held,
                null,
                1,
                TestRun.lineage(2),
                Fragment.State.USED,
                "")));
  }

  private FragmentTable table() {
    return new FragmentTable(2, new Survey(List.copyOf(found)), "");
  }

  private static Choice choice(FragmentTable table, RestartRequest request) {
    return Choice.of(table, request, "here");
  }

  private static Optional<VersionId> chosen(FragmentTable table, RestartRequest request) {
    return choice(table, request) instanceof Choice.Restore restore
        ? Optional.of(restore.version())
        : Optional.empty();
  }

  private static VersionId planned(FragmentTable table) {
    return chosen(table, RestartRequest.newest()).orElseThrow();
  }

  private static Source source(FragmentTable table, int owner) {
    return table.plan(planned(table)).orElseThrow().sources().get(owner);
  }

  private static Life life(FragmentTable table) {
    return table.lives().current().getFirst();
  }

  @Test
  void theNewestVersionThatAllRanksHaveIsPlanned() {
    add(0, TierKind.LOCAL, 0, "rank0", V3, V2, V1);
    add(1, TierKind.LOCAL, 1, "rank1", V2, V1);
    assertThat(planned(table())).isEqualTo(V2);
    assertThat(table().commonLocal(life(table()), life(table()).lineage())).containsExactly(V1, V2);
  }

  /** Counts who looks at which of its elements. */
  private static final class Looks extends AbstractList<Fragment.Held> {
    private final List<Fragment.Held> held;
    private int looks;

    Looks(List<Fragment.Held> held) {
      this.held = held;
    }

    @Override
    public Fragment.Held get(int index) {
      looks++;
      return held.get(index);
    }

    @Override
    public int size() {
      return held.size();
    }
  }

  /** A thousand versions are planned without looking through a thousand for each of them. */
  @Test
  void planningDoesNotLookThroughListsOfVersions() {
    VersionId[] versions = new VersionId[1000];
    Arrays.setAll(versions, i -> TestRun.id(1, versions.length - i, 2));
    add(0, TierKind.LOCAL, 0, "rank0", versions);
    add(1, TierKind.LOCAL, 1, "rank1", versions);
    List<Looks> looks = new ArrayList<>();
    found.replaceAll(
        one -> {
          Fragment fragment = one.fragment();
          Looks counted = new Looks(fragment.versions());
          looks.add(counted);
          return new Found(
              one.holder(),
              new Fragment(
                  fragment.kind(),
                  fragment.owner(),
                  fragment.directory(),
                  fragment.file(),
                  counted,
                  null,
                  1,
                  fragment.lineage(),
                  fragment.state(),
                  ""));
        });
    FragmentTable table = table();
    assertThat(table.commonLocal(life(table), life(table).lineage())).hasSize(versions.length);
    assertThat(versions).allMatch(table::canProduce);
    assertThat(looks).allMatch(one -> one.looks <= 20 * versions.length);
  }

  @Test
  void epochsCountMoreThanSequences() {
    VersionId older = TestRun.id(1, 9, 2);
    add(0, TierKind.LOCAL, 0, "rank0", V3, older);
    add(1, TierKind.LOCAL, 1, "rank1", V3, older);
    assertThat(planned(table())).isEqualTo(V3);
  }

  @Test
  void theOwnContainerIsPreferredThenOneElsewhereThenACopy() {
    add(0, TierKind.LOCAL, 0, "rank0", V1);
    add(0, TierKind.PARTNER, 1, "rank0", V1);
    assertThat(source(table(), 1).kind()).isEqualTo(TierKind.PARTNER);
    add(0, TierKind.LOCAL, 1, "rank1", V1); // left behind where rank 0 runs now
    assertThat(source(table(), 1).kind()).isEqualTo(TierKind.LOCAL);
    assertThat(source(table(), 1).isOwn(1)).isFalse();
    add(1, TierKind.LOCAL, 1, "rank1", V1);
    assertThat(source(table(), 1).isOwn(1)).isTrue();
  }

  @Test
  void whatIsDamagedIsDoneWithoutForThatVersionOnly() {
    add(0, TierKind.LOCAL, 0, "rank0", V2, V1);
    add(1, TierKind.LOCAL, 1, "rank1", V2, V1);
    add(0, TierKind.PARTNER, 1, "rank0", V2);
    FragmentTable table = table();
    FragmentTable.Bad local = new FragmentTable.Bad(1, "rank1", "rank1.cairn", V2, "a digest");
    assertThat(table.exclude(local)).isTrue();
    assertThat(table.exclude(local)).as("no progress").isFalse();
    assertThat(source(table, 1).kind()).isEqualTo(TierKind.PARTNER);
    table.exclude(new FragmentTable.Bad(0, "rank0", "rank1.partner.cairn", V2, "a digest"));
    assertThat(planned(table)).isEqualTo(V1);
    assertThat(table.damagedFiles(0)).containsExactly("rank1.partner.cairn");
    assertThat(table.damagedFiles(1)).containsExactly("rank1.cairn");
    assertThat(table.answers(List.of(V2)))
        .anyMatch(
            line ->
                line.contains("local: damaged at rank 1")
                    && line.contains("partner: damaged at rank 0"));
  }

  @Test
  void aVersionMayBeAskedFor() {
    add(0, TierKind.LOCAL, 0, "rank0", V3, V1);
    add(1, TierKind.LOCAL, 1, "rank1", V3, V1);
    assertThat(chosen(table(), RestartRequest.newest().version("1.1"))).contains(V1);
    assertThat(chosen(table(), RestartRequest.newest().version("1.2"))).isEmpty();
  }

  /** The newest decides, whatever number of ranks it has; what of it is missing is missing. */
  @Test
  void versionsOfAnotherNumberOfRanksCount() {
    VersionId three = TestRun.id(4, 9, 3);
    add(0, TierKind.LOCAL, 0, "rank0", three);
    add(1, TierKind.LOCAL, 1, "rank1", three);
    assertThat(choice(table(), RestartRequest.newest()))
        .isInstanceOfSatisfying(
            Choice.Refuse.class,
            refused -> assertThat(refused.answers().toString()).contains("rank 2: local: no"));
    add(0, TierKind.LOCAL, 2, "rank2", three);
    assertThat(chosen(table(), RestartRequest.newest())).contains(three);
  }

  @Test
  void oneOwnerAndVersionWithTwoRootDigestsIsDamage() {
    add(0, TierKind.LOCAL, 0, "rank0", V2, V1);
    add(1, TierKind.LOCAL, 1, "rank1", V2, V1);
    assertThat(planned(table())).isEqualTo(V2);
    add(0, TierKind.PARTNER, 1, "rank0", 8, V2);
    assertThat(planned(table())).as("neither is believed").isEqualTo(V1);
    assertThat(table().contradictions())
        .singleElement()
        .asString()
        .contains("rank 1")
        .contains("two root digests");
  }
}
