// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Launch;
import org.cairn.mpi.MpiConstants.Flavour;
import org.cairn.supply.NativeAccess;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * The MPI of this process, or the reason why there is none. Absence is a value.
 *
 * <p>A record in a static field: the compiler then knows the method handles as constants and can
 * inline the calls.
 *
 * @param functions what was bound; null if and only if there is a problem
 * @param file the name it was found by
 * @param problem why not, and what to do
 */
record MpiLibrary(@Nullable MpiFunctions functions, String file, Optional<String> problem) {

  /** Names of the library to use, rather than of one that is found. */
  static final String VARIABLE = "CAIRN_MPI_LIBRARY";

  static final String PROPERTY = "cairn.mpi.library";

  private static final String REMEDY =
      "install one (apt-get install openmpi-bin, or apt-get install mpich), or name the file in "
          + VARIABLE;

  private static final List<String> OPEN_MPI_NAMES =
      List.of("libmpi.so.40", "libmpi.40.dylib", "libmpi.so");
  private static final List<String> MPICH_NAMES =
      List.of("libmpich.so.12", "libmpi.so.12", "libmpi.12.dylib", "libmpich.so", "libmpi.so");

  /** What this process uses. Initializing this class loads it. */
  static final MpiLibrary LOADED =
      load(System.getenv(), Optional.ofNullable(System.getProperty(PROPERTY)));

  /** The functions of {@link #LOADED}. */
  static MpiFunctions mpi() {
    MpiFunctions functions = LOADED.functions;
    if (functions == null) {
      throw new CommunicationException(LOADED.problem.orElseThrow());
    }
    return functions;
  }

  /** Loads a library for the rest of the process. Never throws. */
  static MpiLibrary load(Map<String, String> environment, Optional<String> property) {
    Optional<Launch> launch = Launch.detect(environment);
    Optional<String> named = property.or(() -> Optional.ofNullable(environment.get(VARIABLE)));
    try {
      leaveSignalsAlone();
      return named
          .map(file -> loadFirst(List.of(file), Optional.empty()))
          .orElseGet(() -> loadFirst(names(launch, environment), flavour(launch)));
    } catch (IllegalCallerException e) {
      return absent(
          "calls of MPI need native access: start java with "
              + NativeAccess.flag(MpiLibrary.class));
    }
  }

  /**
   * UCX, which MPICH and others communicate with, would put handlers of its own in place of the
   * JVM's, and the first null reference in compiled code would then end the process. It reads the
   * variable when it is loaded; the environment that Java shows is a copy.
   */
  private static void leaveSignalsAlone() {
    Linker linker = Linker.nativeLinker();
    MethodHandle setenv =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("setenv"),
            FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
    try (Arena arena = Supply.confinedArena()) {
      int result =
          (int)
              setenv.invokeExact(
                  arena.allocateFrom("UCX_ERROR_SIGNALS"), arena.allocateFrom(""), 1);
      assert result == 0;
    } catch (Throwable e) {
      throw MpiFunctions.unexpected(e);
    }
  }

  /** What to try, in this order: first what the launcher belongs to. */
  static List<String> names(Optional<Launch> launch, Map<String, String> environment) {
    boolean openMpiFirst =
        switch (launch.map(Launch::launcher).orElse(Launch.Launcher.OPEN_MPI)) {
          case OPEN_MPI -> true;
          case MPICH -> false;
          // Slurm's plug-in for PMIx is Open MPI's way; PMI and PMI-2 are MPICH's.
          case SLURM -> environment.keySet().stream().anyMatch(name -> name.startsWith("PMIX"));
        };
    List<String> names = new ArrayList<>(openMpiFirst ? OPEN_MPI_NAMES : MPICH_NAMES);
    names.addAll(openMpiFirst ? MPICH_NAMES : OPEN_MPI_NAMES);
    return names.stream().distinct().toList();
  }

  /** Another MPI than the launcher's would see one rank only; Slurm may start either. */
  private static Optional<Flavour> flavour(Optional<Launch> launch) {
    return launch.flatMap(
        known ->
            switch (known.launcher()) {
              case OPEN_MPI -> Optional.of(Flavour.OPEN_MPI);
              case MPICH -> Optional.of(Flavour.MPICH);
              case SLURM -> Optional.empty();
            });
  }

  private static MpiLibrary loadFirst(List<String> names, Optional<Flavour> wanted) {
    List<String> failures = new ArrayList<>();
    for (String name : names) {
      try {
        SymbolLookup library = SymbolLookup.libraryLookup(name, Arena.global());
        Flavour flavour = Flavour.of(library);
        if (wanted.isPresent() && wanted.get() != flavour) {
          failures.add(name + " is " + flavour);
          continue;
        }
        return new MpiLibrary(MpiFunctions.bind(library), name, Optional.empty());
      } catch (IllegalArgumentException | NoSuchElementException e) {
        failures.add(failure(name, e));
      }
    }
    String kind = wanted.map(flavour -> "library of " + flavour).orElse("MPI library");
    return absent(
        "no %s can be loaded (%s): %s".formatted(kind, String.join("; ", failures), REMEDY));
  }

  private static String failure(String name, Exception e) {
    String message = String.valueOf(e.getMessage());
    // The JDK says only "Cannot open library: NAME".
    return message.startsWith("Cannot open library") ? name + " not found" : name + ": " + message;
  }

  private static MpiLibrary absent(String problem) {
    return new MpiLibrary(null, "", Optional.of(problem));
  }
}
