// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A program with many ranks whose state is saved now and then. All that is random in it comes from
 * a seed: the same sizes and seed give the same bytes.
 */
interface Simulation {
  /** The state of a rank now. */
  List<StateArray> state(int rank);

  /** Calculates until the next checkpoint. */
  void advance();

  /**
   * How large a simulation is.
   *
   * @param bytes about so many does a rank save
   */
  record Size(int ranks, int bytes, long seed) {}

  /** All there are, by name. */
  static Map<String, Function<Size, Simulation>> all() {
    Map<String, Function<Size, Simulation>> all = new LinkedHashMap<>();
    all.put("heat2d", Heat2d::new);
    all.put("diffusion", Diffusion3d::new);
    all.put("shock", Implosion::new);
    all.put("particles", Particles::new);
    all.put("amr", Patches::new);
    all.put("tables", Tables::new);
    all.put("integers", Mesh::new);
    all.put("noise", Noise::new);
    return all;
  }
}
