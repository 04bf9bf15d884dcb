// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;

/**
 * In which order the data of a group's members fill frames: the four schemes of mcrEngine (Islam et
 * al., section 3.2).
 */
public enum FrameOrder {
  /** All of the first member, all of the second, and so on. */
  AGNOSTIC(false, false),
  /** A block of each member, the next block of each member, and so on. */
  AGNOSTIC_BLOCK(false, true),
  /**
   * All variables of one class, member after member; then those of the next class. Classes with
   * {@link #LARGE large} ones come last.
   */
  AWARE(true, false),
  /** Of one class a block of each member, the next block of each, and so on. */
  AWARE_BLOCK(true, true);

  /**
   * A variable of so many bytes shares no frame with other members, but where blocks are asked for:
   * together they would hardly be smaller, and who wants one member would read the others.
   */
  public static final long LARGE = 1 << 20;

  private final boolean byClass;
  private final boolean inBlocks;

  FrameOrder(boolean byClass, boolean inBlocks) {
    this.byClass = byClass;
    this.inBlocks = inBlocks;
  }

  /** Who has variables: a rank, or a file. */
  public record Member(List<Variable> variables) {
    /** Takes a copy. */
    public Member {
      variables = List.copyOf(variables);
    }
  }

  /**
   * A variable of a member.
   *
   * @param key its class; variables of one class lie side by side where classes count
   * @param length how many bytes it has; those without any are left out
   * @param width of one element, at whose bounds it may be cut
   */
  public record Variable(String key, long length, int width) {
    /** Refuses what no variable is. */
    public Variable {
      if (length < 0 || width < 1) {
        throw new IllegalArgumentException(
            "variable %s of %d bytes, %d an element".formatted(key, length, width));
      }
    }

    boolean isLarge() {
      return length >= LARGE;
    }
  }

  /**
   * A run of bytes of a variable.
   *
   * @param member which, counted from 0 in the whole set
   * @param variable which of that member's
   */
  public record Part(int member, int variable, long from, long length) {
    /** The first byte behind it. */
    public long end() {
      return from + length;
    }
  }

  /**
   * How members are cut.
   *
   * @param group so many members share frames; the last group may have fewer
   * @param block so many bytes of one member follow each other where blocks count, but always at
   *     least an element
   * @param frame so many bytes has a frame, but always at least an element
   */
  public record Sizes(int group, long block, long frame) {
    /** 4 MiB. */
    public static final long FRAME = 4 << 20;

    /** Refuses sizes that nothing can have. */
    public Sizes {
      if (group < 1 || block < 1 || frame < 1 || frame > FrameInfo.MOST_PLAIN) {
        throw new IllegalArgumentException(
            "groups have at least one member, blocks at least a byte, and frames 1 to %d bytes; wanted were groups of %d, blocks of %d and frames of %d"
                .formatted(FrameInfo.MOST_PLAIN, group, block, frame));
      }
    }
  }

  /** The parts of each frame, made as they are asked for. */
  public Iterator<List<Part>> frames(List<Member> members, Sizes sizes) {
    return new FrameFilling(members, sizes, byClass, inBlocks);
  }

  /** As it is written: {@code aware-block}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The order with this name, whatever its case.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static FrameOrder parse(String name) {
    for (FrameOrder order : values()) {
      if (order.toString().equalsIgnoreCase(name.strip())) {
        return order;
      }
    }
    throw new IllegalArgumentException(
        "Unknown order \"" + name + "\"; known are " + List.of(values()));
  }
}
