// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.util.BitSet;
import org.cairn.tier.erasure.Situation.Footing;
import org.cairn.tier.erasure.Situation.Making;

/**
 * Who needs what to have its share of a version; whoever is in neither set has it.
 *
 * @param everything members that have nothing to build on
 * @param differences members that have their share of the base
 */
record Needs(BitSet everything, BitSet differences) {
  /**
   * What follows from what there is for parity under a layout.
   *
   * @param anew whether nothing is built on
   */
  static Needs of(ParityLayout layout, Footing footing, boolean anew) {
    BitSet everything = new BitSet();
    everything.set(0, layout.members().size());
    Making known = footing.known();
    if (known != null && known.layout().equals(layout)) {
      everything.andNot(known.holders());
    }
    BitSet differences = new BitSet();
    Making base = footing.base();
    if (base != null && !anew) {
      differences.or(everything);
      differences.and(base.holders());
      everything.andNot(differences);
    }
    return new Needs(everything, differences);
  }

  /** Whether a member makes a share. */
  boolean contains(int member) {
    return everything.get(member) || differences.get(member);
  }
}
