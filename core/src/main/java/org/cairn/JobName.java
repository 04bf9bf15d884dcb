// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.List;
import java.util.Map;
import org.cairn.tier.FileNames;

/**
 * What a job is called where the program does not say: {@code CAIRN_JOB}, or the index of a task of
 * a job array, so that the tasks do not take each other's checkpoints for their own.
 */
final class JobName {
  /** Slurm, PBS Professional, Torque, Grid Engine, LSF. */
  private static final List<String> ARRAY_INDICES =
      List.of(
          "SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID", "SGE_TASK_ID", "LSB_JOBINDEX");

  private JobName() {}

  /** Of this process; {@code cairn run --name} cannot change its environment any more. */
  static String ofSurroundings() {
    String given = System.getProperty("cairn.job", "").strip();
    return given.isEmpty() ? of(System.getenv()) : checked("-Dcairn.job", given);
  }

  static String of(Map<String, String> environment) {
    String given = environment.getOrDefault("CAIRN_JOB", "").strip();
    if (!given.isEmpty()) {
      return checked("CAIRN_JOB", given);
    }
    for (String variable : ARRAY_INDICES) {
      String index = environment.getOrDefault(variable, "").strip();
      // Grid Engine says "undefined" and LSF 0 where there is no array.
      boolean absent = variable.equals("LSB_JOBINDEX") && index.equals("0");
      if (index.matches("\\d{1,18}") && !absent) {
        return index;
      }
    }
    return "";
  }

  /** Who reads the message must find where the name comes from. */
  private static String checked(String source, String name) {
    try {
      return FileNames.checkJob(name);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(source + ": " + e.getMessage(), e);
    }
  }
}
