// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.cairn.RestartRequest;
import org.cairn.TierKind;
import org.cairn.job.Annals.Files;
import org.cairn.job.Annals.Run;
import org.cairn.job.Annals.View;
import org.cairn.record.Digest;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Thorough;
import org.cairn.tier.Fragment;
import org.cairn.version.Life;
import org.cairn.version.Lineage;
import org.cairn.version.Lives;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.cairn.version.Sighting;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Which versions belong together, which are past, and what is chosen among them. */
class LivesTest {
  private static final Map<String, AtomicInteger> REACHED = new ConcurrentHashMap<>();
  private static final AtomicInteger HISTORIES = new AtomicInteger();

  private final Annals annals = new Annals(1);

  // ---------------------------------------------------------------- lives

  @Test
  void whatALifeDescendsFromIsNoRival() {
    Run first = annals.begin().take(3);
    Run second = annals.goOn(first).take(2);
    Run third = annals.goOn(second).take(1);
    Lives lives = annals.everything().lives();
    assertThat(lives.current()).hasSize(1);
    Life life = lives.current().getFirst();
    assertThat(life.lineage().run()).isEqualTo(third.info());
    assertThat(life.versions()).hasSize(6).isSortedAccordingTo(Collections.reverseOrder());
    assertThat(life.own()).isEqualTo(life.versions());
    assertThat(lives.versions()).noneMatch(lives::isPast);
  }

  @Test
  void whatWasSeenAndLeftBehindIsPastAndWhatWasWrittenLaterIsNot() {
    Run old = annals.begin().take(2);
    VersionId seen = old.last();
    Run anew = annals.begin(Annals.view(old), true).take(1);
    old.take(1); // it still ran, unknown to whoever began anew
    Lives lives = annals.everything().lives();
    assertThat(lives.isPast(old.version(1))).isTrue();
    assertThat(lives.isPast(seen)).isTrue();
    assertThat(lives.isPast(old.last())).isFalse();
    assertThat(heads(lives.current())).containsExactlyInAnyOrder(old, anew);
  }

  @Test
  void aJobThatWasLeftBehindIsPastWithAllItsRuns() {
    Run first = annals.begin().take(2);
    Run second = annals.goOn(first).take(2);
    Run anew = annals.begin(annals.everything(), true).take(1);
    Lives lives = annals.everything().lives();
    assertThat(heads(lives.current())).containsExactly(anew);
    assertThat(heads(lives.all())).containsExactlyInAnyOrder(second, anew);
  }

  @Test
  void aStartThatCameToNothingCostsNobodyAnything() {
    Run first = annals.begin().take(3);
    // It saw version 3, could produce 2 only, and died before it took a version.
    Run died = annals.goOn(annals.everything(), first, first.version(2), false);
    Lives lives = annals.everything().lives();
    assertThat(lives.isPast(first.last())).isFalse();
    assertThat(newest(lives)).isEqualTo(first.last());
    died.take(1);
    lives = annals.everything().lives();
    assertThat(lives.isPast(first.last())).isTrue();
    assertThat(lives.current()).hasSize(1);
    assertThat(newest(lives)).isEqualTo(died.last());
  }

  @Test
  void aPersonsChoiceCountsEvenIfNothingCameOfIt() {
    Run first = annals.begin().take(3);
    Run chosen = annals.goOn(annals.everything(), first, first.version(2), true);
    Lives lives = annals.everything().lives();
    assertThat(lives.isPast(first.last())).isTrue();
    assertThat(heads(lives.current())).containsExactly(chosen);
    assertThat(newest(lives)).isEqualTo(first.version(2));
  }

  @Test
  void aVersionThatIsKnownByNameOnlyCounts() {
    Run first = annals.begin().take(2);
    Run second = annals.begin(annals.everything(), true).take(1);
    Run third = annals.goOn(second).take(1);
    // Nothing of the second run is left but what the third says of it.
    Lives lives = Annals.view(first, third).lives();
    assertThat(lives.isPast(first.last())).isTrue();
    assertThat(heads(lives.current())).containsExactly(third);
  }

  @Test
  void whatIsLeftBehindIsInheritedByThoseWhoNeverSawIt() {
    Run first = annals.begin().take(2);
    Run second = annals.begin(annals.everything(), true).take(1);
    Run third = annals.goOn(Annals.view(second), second, second.last(), false).take(1);
    assertThat(third.info().leftBehind()).contains(first.last());
    // The files of the second are gone; the first returns.
    assertThat(heads(Annals.view(first, third).lives().current())).containsExactly(third);
  }

  @Test
  void aForkIsTwoLivesAndSharesWhatBothDescendFrom() {
    Run root = annals.begin().take(3);
    Run left = annals.goOn(Annals.view(root), root, root.last(), false).take(2);
    Run right = annals.goOn(Annals.view(root), root, root.last(), false).take(1);
    Lives lives = annals.everything().lives();
    assertThat(heads(lives.current())).containsExactlyInAnyOrder(left, right);
    for (Life life : lives.current()) {
      assertThat(life.versions()).containsAll(root.versions);
      assertThat(life.own()).doesNotContainAnyElementsOf(root.versions);
    }
  }

  @Test
  void aForkInTheMiddleSharesOnlyWhatLiesBeforeIt() {
    Run root = annals.begin().take(3);
    Run left = annals.goOn(Annals.view(root), root, root.last(), false).take(1);
    // The other one could not see the third version of the root.
    View partly = new View().only(root, root.version(1), root.version(2));
    Run right = annals.goOn(partly, root, root.version(2), false).take(1);
    Lives lives = annals.everything().lives();
    assertThat(life(lives, left).own()).containsExactly(left.last(), root.version(3));
    assertThat(life(lives, right).own()).containsExactly(right.last());
    assertThat(life(lives, right).versions()).doesNotContain(root.version(3));
  }

  @Test
  void aRunThatWentOnAfterItWasContinuedIsALifeOfItsOwn() {
    Run root = annals.begin().take(2);
    Run next = annals.goOn(Annals.view(root), root, root.last(), false).take(1);
    root.take(1); // a copy of its directory was started; it goes on beside it
    Lives lives = annals.everything().lives();
    assertThat(heads(lives.current())).containsExactlyInAnyOrder(root, next);
    assertThat(life(lives, root).own()).containsExactly(root.last());
  }

  @Test
  void fallingBackAndGoingOnIsOneLifeAndWhatWasLostIsPastWhenItReturns() {
    Run first = annals.begin().take(4);
    View withoutLost = new View().only(first, first.version(1), first.version(2));
    Run next = annals.goOn(withoutLost, first, first.version(2), false).take(1);
    // Versions 3 and 4 were not seen: nobody left them behind.
    Lives lives = annals.everything().lives();
    assertThat(heads(lives.current())).containsExactlyInAnyOrder(first, next);
    // Had any part of them been seen, they would be past.
    Annals other = new Annals(2);
    Run begun = other.begin().take(4);
    Run fell = other.goOn(other.everything(), begun, begun.version(2), false).take(1);
    assertThat(heads(other.everything().lives().current(), other)).containsExactly(fell);
  }

  @Test
  void aRunOfWhichNoFileTellsIsALifeOfItsOwn() {
    Run known = annals.begin().take(1);
    Run stranger = annals.begin().take(1);
    View view = Annals.view(known);
    view.seen.add(new Sighting(stranger.last(), Instant.EPOCH));
    Lives lives = view.lives();
    assertThat(lives.current()).hasSize(2);
    assertThat(lives.current())
        .anyMatch(life -> life.lineage().job().equals(stranger.lineage.job()));
  }

  @Test
  void aChoiceIsInheritedByItsSuccessorOnlyAndUntilAVersionTellsOfIt() {
    Run root = annals.begin().take(3);
    Run chosen = annals.goOn(annals.everything(), root, root.version(2), true);
    assertThat(annals.everything().lives().isPendingChoice(chosen.info().id())).isTrue();
    Run heir = annals.goOn(annals.everything(), chosen, root.version(2), true).take(2);
    // Nothing is left of the choice itself, nor of the versions of its heir but the last.
    View later = new View().only(heir, heir.last());
    later.lineages.add(chosen.lineage);
    Lives lives = later.lives();
    assertThat(lives.isPendingChoice(heir.info().id())).isFalse();
    assertThat(heads(lives.current())).containsExactly(heir);
    Run next = annals.goOn(later, heir, heir.last(), false).take(1);
    // All versions of the heir were dropped since; it is known to have had some.
    View afterwards = new View().only(next, next.last());
    assertThat(afterwards.lives().isPendingChoice(heir.info().id())).isFalse();
    assertThat(heads(afterwards.lives().current())).containsExactly(next);
  }

  @Test
  void aChoiceIsGivenUpByBeginningAnew() {
    Run root = annals.begin().take(2);
    annals.goOn(annals.everything(), root, root.version(1), true); // and dies
    Run anew = annals.begin(annals.everything(), true).take(1);
    assertThat(heads(annals.everything().lives().current())).containsExactly(anew);
    // Whoever chooses it again has it again.
    Run back = annals.goOn(annals.everything(), root, root.version(1), true);
    assertThat(heads(annals.everything().lives().current())).containsExactly(back);
  }

  @Test
  void aChosenRunWhoseVersionsAreGoneDoesNotComeBackToLife() {
    Run root = annals.begin().take(5);
    Run chosen = annals.goOn(annals.everything(), root, root.last(), true).take(2);
    Run other = annals.goOn(annals.everything(), chosen, root.version(3), true).take(1);
    // The versions of the first choice are gone, those before it are still there.
    Lives lives = Annals.view(root, other).lives();
    assertThat(heads(lives.current())).containsExactly(other);
    assertThat(lives.isPast(root.last())).isTrue();
  }

  private Set<Run> heads(Collection<Life> lives) {
    return heads(lives, annals);
  }

  private static Set<Run> heads(Collection<Life> lives, Annals annals) {
    return lives.stream()
        .map(life -> life.lineage().run().id())
        .map(
            id ->
                annals.runs.stream()
                    .filter(run -> run.info().id().equals(id))
                    .findFirst()
                    .orElseThrow())
        .collect(Collectors.toSet());
  }

  private static Life life(Lives lives, Run head) {
    return lives.current().stream()
        .filter(life -> life.lineage().run().equals(head.info()))
        .findFirst()
        .orElseThrow();
  }

  private static VersionId newest(Lives lives) {
    assertThat(lives.current()).hasSize(1);
    return lives.current().getFirst().versions().getFirst();
  }

  // ---------------------------------------------------------------- choices

  private static Choice choose(Files files, RestartRequest request) {
    return Choice.of(files.table(), request, "here");
  }

  private static Choice choose(Files files) {
    return choose(files, RestartRequest.newest());
  }

  private static VersionId restored(Choice choice) {
    assertThat(choice).isInstanceOf(Choice.Restore.class);
    return ((Choice.Restore) choice).version();
  }

  private static String refused(Choice choice) {
    assertThat(choice).isInstanceOf(Choice.Refuse.class);
    Choice.Refuse refusal = (Choice.Refuse) choice;
    return refusal.why() + "\n" + String.join("\n", refusal.answers());
  }

  @Test
  void nothingIsAFirstRun() {
    assertThat(choose(new Files())).isInstanceOf(Choice.FirstRun.class);
  }

  @Test
  void twoLivesAreRefusedAndBothListedWithTheirPlaces() {
    Run one = annals.begin().take(2);
    Run other = annals.begin().take(2);
    Files files =
        new Files().everywhere(one, annals, one.last()).everywhere(other, annals, other.last());
    assertThat(refused(choose(files)))
        .contains(one.lineage.brief(), other.lineage.brief())
        .contains(one.last().exact(), other.last().exact())
        .contains("rank0/file0.cairn of rank 0", "rank1/file3.cairn of rank 1")
        .contains("--job");
  }

  @Test
  void theOnlyLifeThatCanBeProducedIsRestoredUnlessAnotherWasTakenLater() {
    Run older = annals.begin().take(2);
    Run newer = annals.begin().take(2);
    // The older one is not complete: it is named and left alone.
    Files files =
        new Files().state(0, older, annals, older.last()).everywhere(newer, annals, newer.last());
    assertThat(restored(choose(files))).isEqualTo(newer.last());
    // The newer one is not complete: perhaps its other half is only away.
    files =
        new Files().everywhere(older, annals, older.last()).state(0, newer, annals, newer.last());
    assertThat(refused(choose(files))).contains("not complete", "complete");
  }

  @Test
  void theNumberOfFilesDecidesNothing() {
    Run old = annals.begin().take(3);
    Run young = annals.begin(annals.everything(), true).take(1);
    Files files = new Files();
    for (int i = 0; i < 5; i++) {
      files.everywhere(old, annals, Annals.ids(old.versions));
      files.copy(1, 0, old, annals, Annals.ids(old.versions));
    }
    files.everywhere(young, annals, young.last());
    assertThat(restored(choose(files))).isEqualTo(young.last());
  }

  @Test
  void whatTwoLivesDescendFromSpeaksForNeither() {
    Run root = annals.begin().take(2);
    Run left = annals.goOn(Annals.view(root), root, root.last(), false).take(1);
    Run right = annals.goOn(Annals.view(root), root, root.last(), false).take(1);
    Files files =
        new Files()
            .state(0, left, annals, root.last(), left.last())
            .state(1, right, annals, root.last(), right.last());
    // Only the common ancestor can be produced; that is no answer to which life it is.
    assertThat(refused(choose(files))).contains(left.lineage.brief(), right.lineage.brief());
    assertThat(restored(choose(files, byJob(left)))).isEqualTo(root.last());
  }

  @Test
  void aChoiceMayBeMadeByJobByRunByBothAndByVersion() {
    Run one = annals.begin().take(2);
    Run other = annals.begin().take(2);
    Files files =
        new Files()
            .everywhere(one, annals, Annals.ids(one.versions))
            .everywhere(other, annals, Annals.ids(other.versions));
    for (Run wanted : List.of(one, other)) {
      String job = wanted.lineage.job().toString();
      String run = wanted.info().id().toString();
      for (String id : List.of(job, job.substring(0, 8), run, run.substring(0, 8))) {
        assertThat(restored(choose(files, RestartRequest.newest().job(id))))
            .isEqualTo(wanted.last());
      }
      assertThat(restored(choose(files, byJob(wanted)))).isEqualTo(wanted.last());
      assertThat(restored(choose(files, byVersion(wanted.version(1)))))
          .isEqualTo(wanted.version(1));
    }
    assertThat(refused(choose(files, RestartRequest.newest().version("1.1"))))
        .contains(one.version(1).exact() + " or ")
        .contains(other.version(1).exact());
    assertThat(refused(choose(files, RestartRequest.newest().job("0123456789"))))
        .contains(one.lineage.brief(), other.lineage.brief());
    assertThat(refused(choose(files, RestartRequest.newest().version("7.7")))).contains("7.7");
  }

  @Test
  void aNameOfAVersionAndAJobTogetherMeanOne() {
    Run one = annals.begin().take(2);
    Run other = annals.begin().take(2);
    Files files =
        new Files()
            .everywhere(one, annals, Annals.ids(one.versions))
            .everywhere(other, annals, Annals.ids(other.versions));
    assertThat(restored(choose(files, byJob(other).version("1.1")))).isEqualTo(other.version(1));
  }

  @Test
  void whatIsPastMayBeAskedFor() {
    Run old = annals.begin().take(2);
    Run young = annals.begin(annals.everything(), true).take(1);
    Files files =
        new Files()
            .everywhere(old, annals, Annals.ids(old.versions))
            .everywhere(young, annals, young.last());
    assertThat(restored(choose(files))).isEqualTo(young.last());
    assertThat(restored(choose(files, byJob(old)))).isEqualTo(old.last());
    assertThat(restored(choose(files, byVersion(old.version(1))))).isEqualTo(old.version(1));
    Run back = annals.goOn(annals.everything(), old, old.last(), true).take(1);
    files.everywhere(back, annals, back.last());
    assertThat(restored(choose(files))).as("now the other is left behind").isEqualTo(back.last());
  }

  @Test
  void whatWasFallenBackFromMayBeAskedFor() {
    Run first = annals.begin().take(3);
    Run fell = annals.goOn(annals.everything(), first, first.version(2), false).take(1);
    Files files =
        new Files()
            .everywhere(first, annals, Annals.ids(first.versions))
            .everywhere(fell, annals, fell.last());
    assertThat(restored(choose(files))).isEqualTo(fell.last());
    assertThat(restored(choose(files, byVersion(first.last())))).isEqualTo(first.last());
    assertThat(restored(choose(files, byJob(first)))).isEqualTo(first.last());
  }

  @Test
  void aLifeThatCannotBeProducedIsRefusedWithWhatEachRankAnswered() {
    Run only = annals.begin().take(2);
    Files files = new Files().state(0, only, annals, only.last());
    assertThat(refused(choose(files)))
        .contains("no version can be restored")
        .contains("rank 0: local: here", "rank 1: local: no container")
        .contains("--begin-anew");
  }

  @Test
  void aCopyAndAContainerOfTwoLivesAreNotCombined() {
    Run one = annals.begin().take(1);
    Run other = annals.begin().take(1);
    Files files =
        new Files().state(0, one, annals, one.last()).copy(0, 1, other, annals, other.last());
    assertThat(one.last().toString()).isEqualTo(other.last().toString());
    assertThat(refused(choose(files))).contains(one.lineage.brief(), other.lineage.brief());
  }

  @Test
  void aJobThatNeverCompletedACheckpointBeginsAgain() {
    Run first = annals.begin();
    Files files = new Files().everywhere(first, annals);
    assertThat(choose(files)).isEqualTo(new Choice.Again(first.lineage));
    // One rank had its version already, the other never.
    first.take(1);
    files = new Files().state(0, first, annals, first.last()).state(1, first, annals);
    assertThat(choose(files)).isEqualTo(new Choice.Again(first.lineage));
    // A container that is missing may have held anything.
    files = new Files().state(0, first, annals, first.last());
    assertThat(choose(files)).isInstanceOf(Choice.Refuse.class);
    files = new Files().state(1, first, annals);
    assertThat(choose(files)).isInstanceOf(Choice.Refuse.class);
  }

  @Test
  void anUnreadableFileBesideAnEmptyOneIsNotNothing() {
    Run first = annals.begin();
    TierKind local = TierKind.LOCAL;
    for (Fragment one :
        List.of(
            Fragment.unreadable(local, 1, "rank1", "rank1.cairn", "no magic"),
            Fragment.foreign(local, 1, "rank1", "rank1.cairn", "no magic", new Digest(1, 2)),
            Fragment.foreign(local, 1, "rank1", "rank1.cairn", "no magic", Digest.NONE))) {
      Files files = new Files().state(0, first, annals);
      files.add(1, one);
      assertThat(refused(choose(files))).contains("no magic");
    }
  }

  private static RestartRequest byJob(Run run) {
    return RestartRequest.newest().job(run.lineage.brief());
  }

  private static RestartRequest byVersion(VersionId version) {
    return RestartRequest.newest().version(version);
  }

  // ---------------------------------------------------------------- random histories

  /**
   * Runs begin, go on, fall back, are chosen and die, each seeing some of what there is; then
   * somebody looks at some of it.
   */
  @SeededTest(seeds = 150)
  @Thorough(times = 8)
  void anyHistoryIsJudgedAsByTheBook(Random random) {
    HISTORIES.incrementAndGet();
    Annals story = new Annals(random.nextLong());
    story.begin().take(random.nextInt(3));
    for (int events = 1 + random.nextInt(7); events > 0; events--) {
      happen(story, random);
    }
    for (int looks = 0; looks < 4; looks++) {
      View view = glance(story, random);
      Lives lives = view.lives();
      Book book = new Book(view);
      for (VersionId version : lives.versions()) {
        assertThat(lives.isPast(version)).as("%s is past", version).isEqualTo(book.past(version));
      }
      assertThat(contents(lives.current())).isEqualTo(book.lives(book.heads(), book::past));
      assertThat(contents(lives.all())).isEqualTo(book.lives(book.versions.keySet(), _ -> false));
      checkTruth(story, lives);
      Collections.shuffle(view.seen, random);
      List<Lineage> shuffled = new ArrayList<>(view.lineages);
      shuffled.addAll(view.lineages);
      Collections.shuffle(shuffled, random);
      Lives again = new Lives(view.seen, shuffled);
      assertThat(contents(again.current())).isEqualTo(contents(lives.current()));
    }
  }

  @AfterAll
  static void rareBranchesWereReached() {
    System.out.println("lives: " + HISTORIES + " histories, " + REACHED);
    if (HISTORIES.get() >= 400) {
      assertThat(REACHED)
          .containsKeys("fork", "fell back", "chosen in vain", "past", "three lives", "one life");
    }
  }

  private static void reached(String what) {
    REACHED.computeIfAbsent(what, _ -> new AtomicInteger()).incrementAndGet();
  }

  private static void happen(Annals story, Random random) {
    View view = glance(story, random);
    List<Life> lives = view.lives().current();
    boolean chosen = random.nextInt(4) == 0;
    if (lives.isEmpty() || random.nextInt(8) == 0) {
      story.begin(view, chosen).take(random.nextInt(3));
      return;
    }
    if (chosen && random.nextBoolean()) {
      lives = view.lives().all();
    }
    Life life = lives.get(random.nextInt(lives.size()));
    VersionId version = life.versions().getFirst();
    if (random.nextInt(3) == 0) {
      version = life.versions().get(random.nextInt(life.versions().size()));
      reached("fell back");
    }
    Run head = story.taker(life.versions().getFirst());
    for (Run run : story.runs) { // which may have no version
      head = run.info().equals(life.lineage().run()) ? run : head;
    }
    boolean inherited = view.lives().isPendingChoice(head.info().id());
    Run next = story.goOn(view, head, version, chosen || inherited).take(random.nextInt(3));
    if (next.versions.isEmpty() && chosen) {
      reached("chosen in vain");
    }
    if (random.nextInt(4) == 0) {
      story.runs.get(random.nextInt(story.runs.size())).take(1); // something still runs elsewhere
    }
  }

  private static View glance(Annals story, Random random) {
    View view = new View();
    int care = 1 + random.nextInt(4);
    for (Run run : story.runs) {
      if (random.nextInt(care + 1) > 0) {
        view.lineages.add(run.lineage);
        for (VersionId version : run.versions) {
          if (random.nextInt(care + 1) > 0) {
            view.only(run, version);
          }
        }
      }
    }
    return view;
  }

  private static Map<RunId, List<Set<VersionId>>> contents(Collection<Life> lives) {
    Map<RunId, List<Set<VersionId>>> contents = new TreeMap<>();
    for (Life life : lives) {
      contents.put(
          life.lineage().run().id(),
          List.of(new TreeSet<>(life.versions()), new TreeSet<>(life.own())));
    }
    return contents;
  }

  /** What must hold whatever the rules are: by the truth, of which lives know little. */
  private static void checkTruth(Annals story, Lives lives) {
    Set<VersionId> covered = new HashSet<>();
    for (Life life : lives.all()) {
      for (VersionId version : life.versions()) {
        covered.add(version);
        for (VersionId older : life.versions()) {
          if (older.compareTo(version) < 0) {
            Run run = story.taker(version);
            boolean same = older.run().equals(version.run());
            assertThat(same || run.origins.contains(older))
                .as("%s and %s are of one life", older.exact(), version.exact())
                .isTrue();
          }
        }
      }
    }
    assertThat(covered).as("every version is of some life").isEqualTo(lives.versions());
    Set<VersionId> alive = new HashSet<>();
    Set<VersionId> own = new HashSet<>();
    for (Life life : lives.current()) {
      alive.addAll(life.versions());
      assertThat(life.versions()).containsAll(life.own());
      life.own().forEach(version -> assertThat(own.add(version)).as("own twice").isTrue());
    }
    for (VersionId version : lives.versions()) {
      if (!lives.isPast(version)) {
        assertThat(alive).as("what is not past is in a current life").contains(version);
      } else {
        reached("past");
      }
    }
    switch (lives.current().size()) {
      case 0 -> {}
      case 1 -> reached("one life");
      case 2 -> reached("fork");
      default -> reached("three lives");
    }
  }

  /** The rules as the design has them, written with sets and nothing else. */
  private static final class Book {
    final Map<RunId, RunInfo> runs = new TreeMap<>();
    final Map<RunId, Set<VersionId>> versions = new TreeMap<>();

    Book(View view) {
      view.lineages.forEach(lineage -> lineage.runs().forEach(run -> runs.put(run.id(), run)));
      for (Sighting one : view.seen) {
        versions.computeIfAbsent(one.id().run(), _ -> new TreeSet<>()).add(one.id());
      }
    }

    private Set<VersionId> upTo(VersionId limit) {
      Set<VersionId> all = new TreeSet<>(versions.getOrDefault(limit.run(), Set.of()));
      all.removeIf(version -> version.epoch() > limit.epoch());
      all.removeIf(
          version -> version.epoch() == limit.epoch() && version.sequence() > limit.sequence());
      return all;
    }

    /** Sighted versions that a run took or descends from. */
    Set<VersionId> descent(RunId run) {
      Set<VersionId> all = new TreeSet<>(versions.getOrDefault(run, Set.of()));
      RunInfo info = runs.get(run);
      while (info != null && info.continues().isPresent()) {
        all.addAll(upTo(info.continues().get()));
        info = runs.get(info.continues().get().run());
      }
      return all;
    }

    boolean tookAVersion(RunId run) {
      boolean told =
          runs.values().stream()
              .anyMatch(
                  info ->
                      info.leftBehind().stream().anyMatch(left -> left.run().equals(run))
                          || info.continues().filter(from -> from.run().equals(run)).isPresent());
      return told || versions.containsKey(run);
    }

    boolean past(VersionId version) {
      for (RunInfo run : runs.values()) {
        if (run.chosen() || tookAVersion(run.id())) {
          Set<VersionId> behind = new TreeSet<>();
          run.leftBehind().forEach(left -> behind.addAll(upTo(left)));
          behind.removeAll(descent(run.id()));
          if (behind.contains(version)) {
            return true;
          }
        }
      }
      return false;
    }

    /** A choice of a person of which no version tells, to go on with something. */
    boolean isPending(RunId run) {
      RunInfo info = runs.get(run);
      return info != null
          && info.chosen()
          && info.continues().isPresent()
          && !tookAVersion(run)
          && !isGivenUp(info)
          && runs.values().stream()
              .filter(other -> other.chosen() || tookAVersion(other.id()))
              .noneMatch(other -> other.follows().equals(Optional.of(run)));
    }

    /** Somebody came later and went another way. */
    private boolean isGivenUp(RunInfo choice) {
      VersionId from = choice.continues().orElseThrow();
      Set<RunId> later = new TreeSet<>(runs.keySet());
      later.removeIf(run -> !runs.get(run).began().isAfter(choice.began()));
      later.removeIf(run -> !runs.get(run).chosen() && !tookAVersion(run));
      later.removeIf(run -> reaches(run, from));
      return later.stream()
          .flatMap(run -> runs.get(run).leftBehind().stream())
          .anyMatch(left -> left.run().equals(from.run()) && left.compareTo(from) >= 0);
    }

    /** Whether a run descends from a version, be it sighted or not. */
    private boolean reaches(RunId run, VersionId version) {
      boolean reaches = run.equals(version.run());
      for (RunInfo one = runs.get(run); one != null && !reaches; ) {
        Optional<VersionId> next = one.continues();
        reaches =
            next.filter(v -> v.run().equals(version.run()) && v.compareTo(version) >= 0)
                .isPresent();
        one = next.map(v -> runs.get(v.run())).orElse(null);
      }
      return reaches;
    }

    Set<RunId> heads() {
      Set<RunId> heads = new TreeSet<>();
      versions.forEach(
          (run, taken) -> {
            if (!taken.stream().allMatch(this::past)) {
              heads.add(run);
            }
          });
      runs.keySet().stream().filter(this::isPending).forEach(heads::add);
      return heads;
    }

    private boolean isSubsumed(RunId run, Collection<RunId> heads, Predicate<VersionId> ignored) {
      return heads.stream().anyMatch(other -> !other.equals(run) && subsumes(other, run, ignored));
    }

    private boolean subsumes(RunId other, RunId run, Predicate<VersionId> ignored) {
      if (versions.containsKey(run)) {
        Set<VersionId> present = new TreeSet<>(versions.get(run));
        present.removeIf(ignored);
        return descent(other).contains(Collections.max(present));
      }
      RunInfo choice = runs.get(run);
      RunInfo rival = runs.get(other);
      VersionId from = choice.continues().orElseThrow();
      boolean before = false;
      for (RunInfo one = choice; one != null; ) {
        before |= one.id().equals(other);
        one = one.continues().map(version -> runs.get(version.run())).orElse(null);
      }
      return !before
          && reaches(other, from)
          && (versions.containsKey(other) || rival.began().isAfter(choice.began()));
    }

    Map<RunId, List<Set<VersionId>>> lives(Collection<RunId> heads, Predicate<VersionId> ignored) {
      Map<RunId, Set<VersionId>> tips = new TreeMap<>();
      for (RunId head : heads) {
        if (!isSubsumed(head, heads, ignored)) {
          tips.put(head, descent(head));
        }
      }
      Map<RunId, List<Set<VersionId>>> lives = new TreeMap<>();
      tips.forEach(
          (head, mine) -> {
            Set<VersionId> own = new TreeSet<>(mine);
            tips.forEach(
                (other, theirs) -> {
                  if (!other.equals(head)) {
                    own.removeAll(theirs);
                  }
                });
            if (!mine.isEmpty()) {
              lives.put(head, List.of(mine, own));
            }
          });
      return lives;
    }
  }
}
