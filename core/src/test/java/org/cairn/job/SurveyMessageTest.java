// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.cairn.RestartRequest;
import org.cairn.TierKind;
import org.cairn.comm.Ranks;
import org.cairn.record.RecordReader;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.tier.erasure.ParityInfo;
import org.cairn.version.Life;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SurveyMessageTest {
  private static final int GROUP = 8;
  private static final Lineage LINEAGE = TestRun.lineage(30);

  private static List<VersionId> versions(int ranks) {
    return List.of(TestRun.id(3, 7, ranks), TestRun.id(3, 6, ranks));
  }

  /** What a rank finds of a job with all tiers. */
  private static List<Found> foundBy(int rank, int ranks) {
    List<Found> found = new ArrayList<>();
    int left = Math.floorMod(rank - 1, ranks);
    found.add(found(rank, TierKind.LOCAL, rank, "rank" + rank + ".cairn", ranks, null));
    found.add(found(rank, TierKind.PARTNER, left, "rank" + left + ".partner.cairn", ranks, null));
    Fragment.Group group =
        new Fragment.Group(membersWith(rank), 2, "%032x".formatted(rank / GROUP));
    found.add(found(rank, TierKind.ERASURE, rank, "rank" + rank + ".parity.cairn", ranks, group));
    return found;
  }

  private static List<Integer> membersWith(int rank) {
    int first = rank / GROUP * GROUP;
    return IntStream.range(first, first + GROUP).boxed().toList();
  }

  private static Found found(
      int holder,
      TierKind kind,
      int owner,
      String file,
      int ranks,
      Fragment.@Nullable Group group) {
    List<Fragment.Held> held =
        versions(ranks).stream()
            .map(id -> new Fragment.Held(id, Instant.ofEpochSecond(id.sequence()), owner, 1))
            .toList();
    return new Found(
        holder,
        new Fragment(
            kind, owner, "rank" + holder, file, held, group, 4, LINEAGE, Fragment.State.USED, ""));
  }

  private static List<Found> all(int ranks) {
    List<Found> all = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      all.addAll(foundBy(rank, ranks));
    }
    return all;
  }

  private static List<Found> read(byte[] message) throws Exception {
    return RecordReader.parse(message, "test", SurveyMessage::read);
  }

  @Test
  void whatAllRanksSayAlikeIsSaidOnce() throws Exception {
    byte[] message = SurveyMessage.write(all(512));
    assertThat(read(message)).isEqualTo(all(512));
    assertThat(message.length).as("bytes of 512 ranks").isLessThan(512 * 230 + 8_000);
    Map<Lineage, Lineage> lineages = new IdentityHashMap<>();
    for (Found one : read(message)) {
      Lineage lineage = one.fragment().lineage();
      if (lineage != null) {
        lineages.put(lineage, lineage);
      }
    }
    assertThat(lineages).as("lineages in memory").hasSize(1);
  }

  @Test
  void allRanksGetAllOfIt() {
    List<List<Found>> surveys = new ArrayList<>();
    Ranks.run(
        24,
        comm -> {
          Survey survey = Survey.gather(comm, SurveyMessage.write(foundBy(comm.rank(), 24)));
          synchronized (surveys) {
            surveys.add(survey.found());
          }
        });
    assertThat(surveys).hasSize(24).allMatch(all(24)::equals);
  }

  /** A list that counts how often it is asked. */
  private static final class Counted extends AbstractList<Found> {
    private final List<Found> found;
    private long reads;

    Counted(List<Found> found) {
      this.found = found;
    }

    @Override
    public Found get(int index) {
      reads++;
      return found.get(index);
    }

    @Override
    public int size() {
      return found.size();
    }
  }

  @Test
  void aTableIsReadAFewTimesHoweverManyRanksAreAskedFor() {
    int ranks = 1000;
    Counted found = new Counted(all(ranks));
    FragmentTable table = new FragmentTable(ranks, new Survey(found), "");
    assertThat(found.reads).as("to make it").isLessThan(8L * found.size());
    found.reads = 0;
    VersionId newest = versions(ranks).getFirst();
    assertThat(table.plan(newest)).isPresent();
    table.exclude(new FragmentTable.Bad(5, "rank5", "rank5.cairn", newest, "a hole"));
    assertThat(table.plan(newest).orElseThrow().sources().get(5).kind())
        .isEqualTo(TierKind.PARTNER);
    Life life = table.lives().current().getFirst();
    assertThat(table.commonLocal(life, TestRun.lineage(ranks))).hasSize(1);
    assertThat(found.reads).as("to plan").isZero();
    assertThat(table.answers(List.of(newest))).hasSize(ranks + 1);
    assertThat(Choice.of(table, RestartRequest.newest(), "here"))
        .isInstanceOf(Choice.Restore.class);
    assertThat(found.reads).as("to choose and to answer").isLessThan(12L * found.size());
  }

  /** The index answers as a search through everything would. */
  @SeededTest(seeds = 50)
  void theIndexFindsWhatASearchFinds(Random random) {
    int ranks = 16;
    List<Found> found = new ArrayList<>(all(ranks));
    found.removeIf(one -> random.nextInt(4) == 0);
    FragmentTable table = new FragmentTable(ranks, new Survey(List.copyOf(found)), "");
    boolean[] direct = new boolean[ranks];
    for (int rank = 0; rank < ranks; rank++) {
      int owner = rank;
      direct[owner] =
          found.stream()
              .anyMatch(
                  one ->
                      one.fragment().owner() == owner
                          && !one.fragment().kind().equals(TierKind.ERASURE));
    }
    boolean possible = true;
    for (int rank = 0; rank < ranks; rank++) {
      possible &= direct[rank] || decodable(rank, found, direct);
    }
    assertThat(table.canProduce(versions(ranks).getFirst())).isEqualTo(possible);
  }

  /** Two of a group may be lost, where a lost rank has lost its parity too or not. */
  private static boolean decodable(int owner, List<Found> found, boolean[] direct) {
    List<Integer> members = membersWith(owner);
    BitSet data = new BitSet();
    BitSet parity = new BitSet();
    for (int i = 0; i < members.size(); i++) {
      int member = members.get(i);
      data.set(i, direct[member]);
      parity.set(
          i,
          found.stream()
              .anyMatch(
                  one -> one.holder() == member && one.fragment().kind().equals(TierKind.ERASURE)));
    }
    return !parity.isEmpty() && ParityInfo.canRebuild(members.size(), 2, data, parity);
  }
}
