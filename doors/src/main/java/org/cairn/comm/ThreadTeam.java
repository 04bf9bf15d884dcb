// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The ranks of one communicator, each with a mailbox that no other communicator knows. */
final class ThreadTeam {
  private record SplitKey(int split, long color) {}

  /** A team on its way to those of its members that have not asked for it yet. */
  private record Handout(ThreadTeam team, int left) {}

  private final ThreadWorld world;
  private final List<Integer> members;
  private final List<ThreadMailbox> mailboxes;
  private final Map<SplitKey, Handout> splits = new ConcurrentHashMap<>();

  /**
   * A team with empty mailboxes.
   *
   * @param members their ranks in the world
   */
  ThreadTeam(ThreadWorld world, List<Integer> members) {
    this.world = world;
    this.members = List.copyOf(members);
    List<ThreadMailbox> empty = new ArrayList<>(members.size());
    for (int i = 0; i < members.size(); i++) {
      empty.add(new ThreadMailbox());
    }
    this.mailboxes = List.copyOf(empty);
  }

  static ThreadTeam ofAll(ThreadWorld world) {
    return new ThreadTeam(world, firstRanks(world.size()));
  }

  /** The ranks from 0 on. */
  static List<Integer> firstRanks(int count) {
    List<Integer> ranks = new ArrayList<>(count);
    for (int rank = 0; rank < count; rank++) {
      ranks.add(rank);
    }
    return ranks;
  }

  ThreadWorld world() {
    return world;
  }

  int size() {
    return members.size();
  }

  String domain(int rank) {
    return world.domain(members.get(rank));
  }

  ThreadMailbox mailbox(int rank) {
    return mailboxes.get(rank);
  }

  /** Whether a rank ended; everything it sent has arrived. Wildcards do not end. */
  boolean hasEnded(int rank) {
    return rank != Communicator.ANY_SOURCE && world.hasEnded(members.get(rank));
  }

  /** This thread is going to sleep until there is news of that rank of this team, or of any. */
  void enterSleep(Thread thread, int awaited) {
    world.enterSleep(
        thread,
        awaited == Communicator.ANY_SOURCE ? Communicator.ANY_SOURCE : members.get(awaited));
  }

  /** All ranks fail, also those that are not in this team. */
  void abort(int rank, int status) {
    int ofAll = members.get(rank);
    world.lose(ofAll, new AbortedException(ofAll, status));
  }

  /** Throws if any rank failed, also one that is not in this team. */
  void checkAlive() {
    Optional<ThreadWorld.Loss> lost = world.loss();
    if (lost.isPresent()) { // who waits asks all the time: no garbage
      ThreadWorld.Loss loss = lost.get();
      String how = members.contains(loss.rank()) ? "" : "rank " + loss.rank() + " of all, ";
      throw new RankLostException(members.indexOf(loss.rank()), how + loss.cause(), loss.cause());
    }
  }

  /**
   * The team of those that chose the same color in the same split. The first to ask makes it; the
   * last takes it out of the map.
   *
   * @param ranks its members as ranks of this team
   */
  ThreadTeam split(int split, long color, List<Integer> ranks) {
    ThreadTeam[] team = new ThreadTeam[1];
    splits.compute(
        new SplitKey(split, color),
        (key, handout) -> {
          Handout current =
              handout != null
                  ? handout
                  : new Handout(
                      new ThreadTeam(world, ranks.stream().map(members::get).toList()),
                      ranks.size());
          team[0] = current.team();
          return current.left() == 1 ? null : new Handout(current.team(), current.left() - 1);
        });
    return team[0];
  }
}
