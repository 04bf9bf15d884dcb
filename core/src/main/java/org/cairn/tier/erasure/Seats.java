// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Who stands for the members of a group while it is decoded, by number of the member. Processes are
 * ranks of the communicator that is used for it; {@link #NOBODY} stands for what is lost, or not
 * wanted.
 *
 * @param members what the members are called in messages
 * @param processes what the processes are called in messages
 * @param states who reads a member's state
 * @param parities who reads its parity
 * @param wanting who gets its state if it has to be rebuilt
 */
record Seats(
    List<Integer> members,
    List<Integer> processes,
    List<Integer> states,
    List<Integer> parities,
    List<Integer> wanting) {
  static final int NOBODY = -1;

  /** Every member for itself. */
  static Seats oneEach(List<Integer> members) {
    List<Integer> each = IntStream.range(0, members.size()).boxed().toList();
    return new Seats(members, members, each, each, each);
  }

  int size() {
    return members.size();
  }

  boolean readsState(int process, int member) {
    return states.get(member) == process;
  }

  boolean readsParity(int process, int member) {
    return parities.get(member) == process;
  }
}
