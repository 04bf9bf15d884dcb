// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.cairn.frame.FrameOrder.Member;
import org.cairn.frame.FrameOrder.Part;
import org.cairn.frame.FrameOrder.Sizes;
import org.cairn.frame.FrameOrder.Variable;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

/** Every byte of every member is in just one frame, where the order wants it. */
class FrameOrderTest {
  private static Variable variable(String key, long length) {
    return new Variable(key, length, 1);
  }

  private static Member member(Variable... variables) {
    return new Member(List.of(variables));
  }

  /** Two members with the same variables: a of 4 bytes, b of 2, and a again of 3. */
  private static final List<Member> TWINS =
      List.of(
          member(variable("a", 4), variable("b", 2), variable("a", 3)),
          member(variable("a", 4), variable("b", 2), variable("a", 3)));

  private static List<List<Part>> frames(FrameOrder order, List<Member> members, Sizes sizes) {
    List<List<Part>> frames = new ArrayList<>();
    order.frames(members, sizes).forEachRemaining(frames::add);
    return frames;
  }

  /** Each part as member, variable, and bytes. */
  private static String text(List<Part> parts) {
    StringBuilder text = new StringBuilder();
    for (Part part : parts) {
      text.append(
          "%d%s[%d,%d) "
              .formatted(part.member(), (char) ('A' + part.variable()), part.from(), part.end()));
    }
    return text.toString().strip();
  }

  private static String inOneFrame(FrameOrder order, int group, int block) {
    List<String> frames =
        frames(order, TWINS, new Sizes(group, block, 100)).stream()
            .map(FrameOrderTest::text)
            .toList();
    return String.join(" | ", frames);
  }

  @Test
  void theFourSchemesOfThePaper() {
    assertThat(inOneFrame(FrameOrder.AGNOSTIC, 2, 3))
        .isEqualTo("0A[0,4) 0B[0,2) 0C[0,3) 1A[0,4) 1B[0,2) 1C[0,3)");
    assertThat(inOneFrame(FrameOrder.AGNOSTIC_BLOCK, 2, 3))
        .isEqualTo("0A[0,3) 1A[0,3) 0A[3,4) 0B[0,2) 1A[3,4) 1B[0,2) 0C[0,3) 1C[0,3)");
    assertThat(inOneFrame(FrameOrder.AWARE, 2, 3))
        .isEqualTo("0A[0,4) 0C[0,3) 1A[0,4) 1C[0,3) 0B[0,2) 1B[0,2)");
    assertThat(inOneFrame(FrameOrder.AWARE_BLOCK, 2, 3))
        .isEqualTo(
            "0A[0,3) 1A[0,3) 0A[3,4) 0C[0,2) 1A[3,4) 1C[0,2) 0C[2,3) 1C[2,3) 0B[0,2) 1B[0,2)");
  }

  @Test
  void groupsShareNoFrame() {
    assertThat(inOneFrame(FrameOrder.AWARE, 1, 3))
        .isEqualTo("0A[0,4) 0C[0,3) 0B[0,2) | 1A[0,4) 1C[0,3) 1B[0,2)");
  }

  /** Who wants one of them reads nothing of the others. */
  @Test
  void largeVariablesShareNoFrameWithOtherMembers() {
    long large = FrameOrder.LARGE;
    Member one = member(variable("a", 8), variable("b", large), variable("c", 7));
    List<Member> members = List.of(one, one, member(variable("a", 9), variable("b", large - 1)));
    Sizes sizes = new Sizes(9, large, 8 * large);
    assertThat(frames(FrameOrder.AWARE, members, sizes))
        .extracting(FrameOrderTest::text)
        .containsExactly(
            "0A[0,8) 1A[0,8) 2A[0,9) 0C[0,7) 1C[0,7)",
            "0B[0,1048576)",
            "1B[0,1048576)",
            "2B[0,1048575)");
    assertThat(frames(FrameOrder.AGNOSTIC, members, sizes))
        .extracting(FrameOrderTest::text)
        .containsExactly(
            "0A[0,8) 0B[0,1048576) 0C[0,7)",
            "1A[0,8) 1B[0,1048576) 1C[0,7)",
            "2A[0,9) 2B[0,1048575)");
    assertThat(frames(FrameOrder.AWARE_BLOCK, members, sizes)).as("as asked for").hasSize(1);
  }

  @Test
  void variablesAreCutBetweenElements() {
    List<Member> members =
        List.of(
            new Member(List.of(new Variable("a", 83, 8), new Variable("b", 9, 3))),
            new Member(List.of(new Variable("a", 16, 8))));
    assertThat(frames(FrameOrder.AWARE, members, new Sizes(2, 20, 30)))
        .extracting(FrameOrderTest::text)
        .containsExactly(
            "0A[0,24)", "0A[24,48)", "0A[48,72)", "0A[72,83) 1A[0,16) 0B[0,3)", "0B[3,9)");
    assertThat(frames(FrameOrder.AGNOSTIC_BLOCK, members, new Sizes(2, 10, 1000)))
        .extracting(FrameOrderTest::text)
        .containsExactly("0A[0,8) 1A[0,8) 0A[8,16) 1A[8,16) 0A[16,83) 0B[0,9)");
  }

  /** A block or a frame has at least one element, however small it is told to be. */
  @Test
  void anElementIsNeverCut() {
    List<Member> members = List.of(new Member(List.of(new Variable("a", 25, 8))));
    assertThat(frames(FrameOrder.AWARE_BLOCK, members, new Sizes(1, 1, 1)))
        .extracting(FrameOrderTest::text)
        .containsExactly("0A[0,8)", "0A[8,16)", "0A[16,24)", "0A[24,25)");
  }

  private static List<Member> anyMembers(Random random) {
    List<Member> members = new ArrayList<>();
    for (int m = random.nextInt(9); m > 0; m--) {
      List<Variable> variables = new ArrayList<>();
      for (int v = random.nextInt(8); v > 0; v--) {
        variables.add(
            new Variable(
                "class" + random.nextInt(4),
                random.nextInt(4) == 0 ? random.nextInt(3) : random.nextInt(3000),
                1 + random.nextInt(20)));
      }
      members.add(new Member(variables));
    }
    return members;
  }

  @SeededTest(seeds = 80)
  void everyByteIsInOneFrame(Random random, FrameOrder order) {
    List<Member> members = anyMembers(random);
    Sizes sizes =
        new Sizes(1 + random.nextInt(5), 1 + random.nextInt(700), 1 + random.nextInt(2000));
    long[][] reached =
        members.stream().map(m -> new long[m.variables().size()]).toArray(long[][]::new);
    for (List<Part> frame : frames(order, members, sizes)) {
      assertThat(frame).isNotEmpty();
      long bytes = 0;
      for (Part part : frame) {
        Variable variable = members.get(part.member()).variables().get(part.variable());
        assertThat(part.length()).isPositive();
        assertThat(part.from()).isEqualTo(reached[part.member()][part.variable()]);
        assertThat(part.end() == variable.length() || part.end() % variable.width() == 0).isTrue();
        assertThat(part.member() / sizes.group())
            .isEqualTo(frame.getFirst().member() / sizes.group());
        reached[part.member()][part.variable()] = part.end();
        bytes += part.length();
      }
      assertThat(bytes <= sizes.frame() || frame.size() == 1).isTrue();
    }
    for (int m = 0; m < reached.length; m++) {
      assertThat(reached[m])
          .containsExactly(
              members.get(m).variables().stream().mapToLong(Variable::length).toArray());
    }
  }

  /** A set of exabytes: frames are made when they are asked for. */
  @Test
  void framesAreMadeOneByOne() {
    List<Member> members =
        Collections.nCopies(1000, member(variable("a", 1L << 60), variable("b", 1L << 60)));
    for (FrameOrder order : FrameOrder.values()) {
      Iterator<List<Part>> frames = order.frames(members, new Sizes(32, 4096, Sizes.FRAME));
      for (int i = 0; i < 5; i++) {
        assertThat(frames.next().stream().mapToLong(Part::length).sum()).isEqualTo(Sizes.FRAME);
      }
    }
  }

  @Test
  void aFrameHasNoMorePiecesThanADecoderTakes() {
    List<Member> members =
        List.of(new Member(Collections.nCopies(FrameTable.MOST_PIECES + 5, variable("a", 1))));
    assertThat(frames(FrameOrder.AWARE, members, new Sizes(1, 1, Sizes.FRAME)))
        .extracting(List::size)
        .containsExactly(FrameTable.MOST_PIECES, 5);
  }

  @Test
  void ordersHaveNames() {
    for (FrameOrder order : FrameOrder.values()) {
      assertThat(FrameOrder.parse(order.toString())).isEqualTo(order);
    }
    assertThat(FrameOrder.AWARE_BLOCK).hasToString("aware-block");
    assertThatThrownBy(() -> FrameOrder.parse("random")).hasMessageContaining("agnostic-block");
    assertThatThrownBy(() -> new Sizes(0, 1, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Sizes(1, 1, 1L << 40))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
