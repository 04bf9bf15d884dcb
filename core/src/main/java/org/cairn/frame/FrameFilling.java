// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.cairn.frame.FrameOrder.Member;
import org.cairn.frame.FrameOrder.Part;
import org.cairn.frame.FrameOrder.Sizes;
import org.cairn.frame.FrameOrder.Variable;

/**
 * Fills frames in an order. All four are one: queues of variables, from which blocks are taken in
 * turn. Without classes there is one round of queues, one queue for each member; with them a round
 * for each class. Without blocks a queue is emptied before the next has its turn.
 *
 * <p>Only the group at hand is looked at.
 */
final class FrameFilling implements Iterator<List<Part>> {
  private final List<Member> members;
  private final Sizes sizes;
  private final boolean byClass;
  private final boolean inBlocks;
  private final long block;

  /** The first member of the next group. */
  private int next;

  /** Rounds of the group at hand that have not begun. */
  private final Deque<Deque<Queue>> rounds = new ArrayDeque<>();

  /** Of the round at hand, the first has the next turn. */
  private Deque<Queue> queues = new ArrayDeque<>();

  /** How much the first queue may still give in its turn. */
  private long left;

  FrameFilling(List<Member> members, Sizes sizes, boolean byClass, boolean inBlocks) {
    this.members = members;
    this.sizes = sizes;
    this.byClass = byClass;
    this.inBlocks = inBlocks;
    this.block = inBlocks ? sizes.block() : Long.MAX_VALUE;
    advance();
  }

  @Override
  public boolean hasNext() {
    return !queues.isEmpty();
  }

  /** A frame never has members of two groups. */
  @Override
  public List<Part> next() {
    if (!hasNext()) {
      throw new NoSuchElementException("no more frames");
    }
    int group = next;
    Frame frame = new Frame(sizes.frame());
    while (hasNext() && next == group && takes(frame)) {
      advance();
    }
    return frame.parts;
  }

  /** Takes what the queue whose turn it is can give; false if the frame is full. */
  private boolean takes(Frame frame) {
    Queue queue = queues.element();
    long offered = queue.rounded(left, left == block);
    if (offered == 0) {
      endTurn(); // elements of its next variable are larger than what is left of its block
      return true;
    }
    if (!inBlocks && frame.isClosedTo(queue)) {
      return false;
    }
    long taken = Math.min(offered, queue.rounded(frame.room, frame.parts.isEmpty()));
    if (taken == 0 || frame.parts.size() == FrameTable.MOST_PIECES) {
      return false;
    }
    frame.add(queue.first(), queue.take(taken));
    left -= Math.min(left, taken);
    if (queue.variables.isEmpty()) {
      queues.remove();
      left = block;
    } else if (left == 0) {
      endTurn();
    }
    return true;
  }

  private void endTurn() {
    queues.add(queues.remove());
    left = block;
  }

  /** Goes to the next round, or group, if this one is done. */
  private void advance() {
    while (queues.isEmpty()) {
      if (!rounds.isEmpty()) {
        queues = rounds.remove();
      } else if (next < members.size()) {
        beginGroup();
      } else {
        return;
      }
      left = block;
    }
  }

  private void beginGroup() {
    Map<String, Deque<Queue>> byKey = new LinkedHashMap<>();
    int end = Math.min(members.size(), next + sizes.group());
    for (int member = next; member < end; member++) {
      Map<String, Queue> own = new LinkedHashMap<>();
      List<Variable> variables = members.get(member).variables();
      for (int i = 0; i < variables.size(); i++) {
        if (variables.get(i).length() > 0) {
          int number = member;
          own.computeIfAbsent(
                  byClass ? variables.get(i).key() : "", _ -> new Queue(number, variables))
              .variables
              .add(i);
        }
      }
      own.forEach((key, queue) -> byKey.computeIfAbsent(key, _ -> new ArrayDeque<>()).add(queue));
    }
    // In frames of their own; what is small would be in as many remainders of frames between them.
    byKey.values().stream().filter(round -> !hasLarge(round)).forEach(rounds::add);
    byKey.values().stream().filter(FrameFilling::hasLarge).forEach(rounds::add);
    next = end;
  }

  private static boolean hasLarge(Deque<Queue> round) {
    return round.stream().anyMatch(Queue::hasLarge);
  }

  /** Variables of one member, of one class or of all. */
  private static final class Queue {
    private final int member;
    private final List<Variable> all;
    private final Deque<Integer> variables = new ArrayDeque<>();
    private long from;

    Queue(int member, List<Variable> all) {
      this.member = member;
      this.all = all;
    }

    private Variable first() {
      return all.get(variables.element());
    }

    boolean hasLarge() {
      return variables.stream().anyMatch(one -> all.get(one).isLarge());
    }

    /** So much of the first variable as whole elements have; a rest goes with the last. */
    long rounded(long most, boolean atLeastOne) {
      long rest = first().length() - from;
      if (most >= rest) {
        return rest;
      }
      int width = first().width();
      long whole = most / width * width;
      return whole == 0 && atLeastOne ? Math.min(width, rest) : whole;
    }

    Part take(long length) {
      Part part = new Part(member, variables.element(), from, length);
      from += length;
      if (from == first().length()) {
        variables.remove();
        from = 0;
      }
      return part;
    }
  }

  /** A frame that is being filled. */
  private static final class Frame {
    private final List<Part> parts = new ArrayList<>();
    private long room;
    private boolean hasLarge;
    private boolean isMixed;

    Frame(long size) {
      room = size;
    }

    /** Whether it, or the queue, has a large variable, and somebody else has something in it. */
    boolean isClosedTo(Queue queue) {
      boolean withOthers =
          !parts.isEmpty() && (isMixed || parts.getFirst().member() != queue.member);
      return withOthers && (hasLarge || queue.first().isLarge());
    }

    /** What follows the last part without a gap becomes part of it. */
    void add(Variable variable, Part part) {
      hasLarge |= variable.isLarge();
      isMixed |= !parts.isEmpty() && parts.getFirst().member() != part.member();
      room = Math.max(0, room - part.length()); // an element may be larger than a frame
      Part last = parts.isEmpty() ? null : parts.getLast();
      if (last != null
          && last.member() == part.member()
          && last.variable() == part.variable()
          && last.end() == part.from()) {
        parts.set(
            parts.size() - 1,
            new Part(part.member(), part.variable(), last.from(), part.end() - last.from()));
      } else {
        parts.add(part);
      }
    }
  }
}
