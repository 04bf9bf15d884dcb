// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.differential;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.cairn.plan.Checks;

/**
 * When hashing written pages to find what really changed beats writing them all (equations 7.1 to
 * 7.3 of Ferreira 2011): when {@code β_ckpt / β_hash < compression}.
 *
 * @param hashRate bytes a second that a process hashes, β_hash
 * @param compression what part of the written pages the hashes find unchanged
 */
public record Viability(double hashRate, double compression) {
  /** What Ferreira 2011 measured, in table 7.2: by application, the part that is unchanged. */
  public static final Map<String, Double> APPLICATIONS = applications();

  private static Map<String, Double> applications() {
    Map<String, Double> applications = new LinkedHashMap<>();
    applications.put("CTH, 83 % unchanged", 0.83);
    applications.put("SAGE, 35 % unchanged", 0.35);
    applications.put("LAMMPS, 2.4 % unchanged", 0.024);
    return Collections.unmodifiableMap(applications);
  }

  /** Refuses what is not a rate or a part. */
  public Viability {
    Checks.positive(hashRate, "the hashing rate");
    Checks.share(compression, "the compression");
  }

  /**
   * Bytes a second of storage for each process below which hashing wins. Faster storage than this
   * writes the unchanged bytes in less time than it takes to find them.
   */
  public double breakEvenBandwidth() {
    return hashRate * compression;
  }

  /** Whether hashing wins with storage this fast. */
  public boolean pays(double checkpointRate) {
    return Checks.positive(checkpointRate, "the checkpoint bandwidth") / hashRate < compression;
  }
}
