// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.stream.StreamSupport;

/** Where a program gets its communicator. */
public final class Communicators {
  // Inheritable: a program may well ask from a thread of its own.
  private static final InheritableThreadLocal<Communicator> ASSIGNED =
      new InheritableThreadLocal<>();

  private Communicators() {}

  /**
   * The ranks that this program was started with: those of {@code mpirun}, {@code mpiexec} or
   * {@code srun}, those that share this JVM under {@link #callAs}, or this process alone.
   *
   * @throws CommunicationException if there are other ranks which cannot be reached, with what to
   *     do about it
   */
  public static Communicator world() {
    Communicator assigned = ASSIGNED.get();
    if (assigned != null) {
      return assigned;
    }
    return world(System.getenv(), ServiceLoader.load(CommunicatorProvider.class));
  }

  static Communicator world(
      Map<String, String> environment, Iterable<CommunicatorProvider> providers) {
    Optional<Launch> launch = Launch.detect(environment);
    if (launch.isEmpty()) {
      return new SoloCommunicator();
    }
    Optional<CommunicatorProvider> provider =
        StreamSupport.stream(providers.spliterator(), false)
            .filter(candidate -> candidate.serves(launch.get()))
            .findFirst();
    Optional<String> problem =
        provider.isEmpty()
            ? Optional.of("add cairn-mpi to the class path")
            : provider.get().problem();
    if (problem.isEmpty()) {
      return provider.orElseThrow().world();
    }
    return withoutTransport(launch.get(), problem.get());
  }

  /** Alone is right for one rank; more would be as many programs on the same files. */
  private static Communicator withoutTransport(Launch launch, String remedy) {
    if (launch.size().orElse(2) == 1) {
      return new SoloCommunicator();
    }
    throw new CommunicationException(
        "%s started this process as rank %d%s, but the other ranks cannot be reached: %s"
            .formatted(
                launch.launcher(),
                launch.rank(),
                launch.size().isPresent() ? " of " + launch.size().getAsInt() : "",
                remedy));
  }

  /** Runs a program whose {@link #world} is the given one, in this thread and those it starts. */
  public static <T> T callAs(Communicator world, Callable<T> program) throws Exception {
    Communicator before = ASSIGNED.get();
    ASSIGNED.set(world);
    try {
      return program.call();
    } finally {
      if (before == null) {
        ASSIGNED.remove();
      } else {
        ASSIGNED.set(before);
      }
    }
  }
}
