// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How this process was started, if as one of several ranks: what launchers leave in the environment
 * of the processes they start.
 *
 * @param launcher what started the process
 * @param rank which of the ranks it says this is
 * @param size how many ranks it says there are, where it says so
 */
public record Launch(Launcher launcher, int rank, OptionalInt size) {

  /** Programs that start ranks. */
  public enum Launcher {
    /** {@code mpirun} of Open MPI. */
    OPEN_MPI("mpirun of Open MPI"),
    /** {@code mpiexec} of MPICH, or of one of its kin. */
    MPICH("mpiexec of MPICH"),
    /** {@code srun} of Slurm, for whichever MPI. */
    SLURM("srun");

    private final String description;

    Launcher(String description) {
      this.description = description;
    }

    /** What users call it. */
    @Override
    public String toString() {
      return description;
    }
  }

  /**
   * Says how a process with this environment was started; empty if as an ordinary process.
   *
   * <p>A batch script of Slurm has SLURM_PROCID too, without being one of many: only together with
   * the variables of a process manager, or in a step of many tasks, does it count.
   */
  public static Optional<Launch> detect(Map<String, String> environment) {
    // srun before MPICH: its plugins set PMI_RANK too, but either library may be behind it.
    return from(environment, Launcher.OPEN_MPI, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")
        .or(() -> slurm(environment))
        .or(() -> from(environment, Launcher.MPICH, "PMI_RANK", "PMI_SIZE"))
        .or(() -> from(environment, Launcher.OPEN_MPI, "PMIX_RANK", "PMIX_SIZE"));
  }

  /** Says how this process was started. */
  public static Optional<Launch> detect() {
    return detect(System.getenv());
  }

  private static Optional<Launch> slurm(Map<String, String> environment) {
    OptionalInt tasks = number(environment, "SLURM_STEP_NUM_TASKS");
    boolean managed =
        List.of("PMI_RANK", "PMI_FD", "PMIX_RANK", "PMIX_NAMESPACE").stream()
            .anyMatch(environment::containsKey);
    if (!managed && tasks.orElse(1) == 1) {
      return Optional.empty();
    }
    String size = tasks.isPresent() ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
    return from(environment, Launcher.SLURM, "SLURM_PROCID", size);
  }

  private static Optional<Launch> from(
      Map<String, String> environment, Launcher launcher, String rank, String size) {
    OptionalInt number = number(environment, rank);
    return number.isEmpty()
        ? Optional.empty()
        : Optional.of(new Launch(launcher, number.getAsInt(), number(environment, size)));
  }

  private static OptionalInt number(Map<String, String> environment, String name) {
    try {
      String value = environment.get(name);
      return value == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(value.strip()));
    } catch (NumberFormatException e) {
      return OptionalInt.empty(); // somebody else's variable of the same name
    }
  }
}
