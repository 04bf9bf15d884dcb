// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.doctor;

import static org.cairn.cli.doctor.Finding.State.BAD;
import static org.cairn.cli.doctor.Finding.State.DOUBTFUL;
import static org.cairn.cli.doctor.Finding.State.MISSING;

import com.sun.management.OperatingSystemMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.cairn.cli.run.MpiLauncher;
import org.cairn.cli.terminal.Quantities;

/** Java and libraries. Nothing is loaded: a library that is no good would take us with it. */
final class Surroundings {
  private static final int NEEDED_JAVA = 25;
  private static final String VECTORS = "jdk.incubator.vector";

  private static final Map<MpiLauncher.Kind, List<String>> MPI_LIBRARIES =
      Map.of(
          MpiLauncher.Kind.OPENMPI, List.of("libmpi.so.40", "libmpi.40.dylib"),
          MpiLauncher.Kind.MPICH, List.of("libmpich.so.12", "libmpi.so.12", "libmpi.12.dylib"));

  private static final List<String> HDF5_LIBRARIES =
      List.of("libhdf5_serial.so.103", "libhdf5.so.103", "libhdf5_serial.so.310", "libhdf5.so.310");

  private final Map<String, String> environment;

  Surroundings(Map<String, String> environment) {
    this.environment = environment;
  }

  List<Finding> look() throws IOException {
    List<Finding> findings = new ArrayList<>();
    findings.add(java());
    findings.add(vectors());
    findings.add(nativeCode());
    findings.add(machine());
    for (MpiLauncher.Kind kind : MpiLauncher.Kind.values()) {
      findings.add(mpi(kind));
    }
    findings.add(hdf5());
    return findings;
  }

  private static Finding java() {
    String found =
        "%s, %s (%s)"
            .formatted(
                Runtime.version(),
                System.getProperty("java.vendor"),
                System.getProperty("java.home"));
    if (Runtime.version().feature() < NEEDED_JAVA) {
      return new Finding("Java", BAD, found, "install a JDK " + NEEDED_JAVA);
    }
    return ToolProvider.getSystemJavaCompiler() == null
        ? new Finding(
            "Java",
            DOUBTFUL,
            found + "; without a compiler, so programs of source cannot be run",
            "apt-get install openjdk-25-jdk-headless, or temurin-25-jdk of adoptium.net")
        : Finding.good("Java", found);
  }

  private static Finding vectors() {
    return ModuleLayer.boot().findModule(VECTORS).isPresent()
        ? Finding.good("vectors", VECTORS + " is there: hashing is as fast as it can be")
        : new Finding(
            "vectors",
            MISSING,
            "without %s hashing takes longer".formatted(VECTORS),
            "start your program with java --add-modules " + VECTORS);
  }

  private static Finding nativeCode() {
    return Surroundings.class.getModule().isNativeAccessEnabled()
        ? Finding.good("native code", "allowed: MPI, LZ4 and Zstandard are called without warnings")
        : new Finding(
            "native code",
            DOUBTFUL,
            "Java warns when MPI, LZ4 or Zstandard are called",
            "start your program with java --enable-native-access=ALL-UNNAMED");
  }

  private static Finding machine() {
    int cores = Runtime.getRuntime().availableProcessors();
    long heap = Runtime.getRuntime().maxMemory();
    String memory =
        ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean machine
            ? Quantities.bytes(machine.getTotalMemorySize()) + " of memory, "
            : "";
    return Finding.good(
        "machine",
        "%s on %s, %d cores, %sa Java program may have %s unless told otherwise (-Xmx)"
            .formatted(
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                cores,
                memory,
                Quantities.bytes(heap)));
  }

  // ---------------------------------------------------------------- libraries

  private Finding mpi(MpiLauncher.Kind kind) throws IOException {
    String given = environment.getOrDefault("CAIRN_MPI_LIBRARY", "");
    if (!given.isEmpty() && !Files.isRegularFile(Path.of(given))) {
      return new Finding(
          kind.label(),
          BAD,
          "CAIRN_MPI_LIBRARY is %s, which is no file".formatted(given),
          "unset CAIRN_MPI_LIBRARY, or name the library");
    }
    Optional<MpiLauncher> launcher = MpiLauncher.find(kind);
    Optional<Path> library =
        given.isEmpty()
            ? find(MPI_LIBRARIES.getOrDefault(kind, List.of()))
            : Optional.of(Path.of(given));
    if (launcher.isPresent() && library.isPresent()) {
      return Finding.good(
          kind.label(), "%s, %s".formatted(launcher.get().program(), library.get()));
    }
    String lacks =
        launcher.isEmpty() && library.isEmpty()
            ? "not found; ranks can also be threads (cairn run --threads)"
            : launcher.isEmpty()
                ? library.orElseThrow() + ", but nothing that starts ranks is on the path"
                : launcher.get().program() + ", but no library that ranks can call";
    return new Finding(kind.label(), MISSING, lacks, kind.remedy());
  }

  private Finding hdf5() throws IOException {
    Optional<Path> library = find(HDF5_LIBRARIES);
    return library.isPresent()
        ? Finding.good("HDF5", library.get() + "; only tests of Cairn use it")
        : new Finding(
            "HDF5",
            MISSING,
            "no library; Cairn reads and writes .h5 without, h5dump needs it",
            "apt-get install hdf5-tools");
  }

  private Optional<Path> find(List<String> names) throws IOException {
    for (Path folder : folders()) {
      for (String name : names) {
        if (Files.exists(folder.resolve(name))) {
          return Optional.of(folder.resolve(name));
        }
      }
    }
    return Optional.empty();
  }

  private List<Path> folders() throws IOException {
    List<Path> folders = new ArrayList<>();
    Stream.of("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
        .map(variable -> environment.getOrDefault(variable, ""))
        .flatMap(path -> Arrays.stream(path.split(File.pathSeparator, -1)))
        .filter(folder -> !folder.isBlank())
        .map(Path::of)
        .forEach(folders::add);
    for (String root : List.of("/usr/local/lib", "/usr/lib64", "/usr/lib", "/opt/homebrew/lib")) {
      addWithChildren(Path.of(root), folders);
    }
    return folders;
  }

  /** Debian has a folder for each kind of machine, others one for each MPI. */
  private static void addWithChildren(Path root, List<Path> folders) throws IOException {
    if (!Files.isDirectory(root)) {
      return;
    }
    folders.add(root);
    try (DirectoryStream<Path> children = Files.newDirectoryStream(root, Files::isDirectory)) {
      children.forEach(folders::add);
    }
    folders.add(root.resolve("openmpi/lib"));
    folders.add(root.resolve("mpich/lib"));
  }
}
