// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import io.airlift.compress.v3.Compressor;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.comm.Communicator;
import org.cairn.testkit.module.ModularProgram;
import org.cairn.testkit.module.Modules;
import org.cairn.tier.TierType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.simple.SimpleLogger;

/** Programs that are modules themselves. All other tests run on the class path. */
class ModulePathTest {
  private static final String REQUIRES = "requires org.cairn.core;";
  private static final List<String> FLAGS =
      List.of(
          "--enable-native-access=org.cairn.core", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");

  /** Counts its own starts, in three datasets: by LZ4, by Zstandard, and in a private field. */
  private static final String COUNTING =
      """
      package program;

      import java.nio.file.Path;
      import org.cairn.*;

      public class Main {
        @Protect private int starts;

        public static void main(String[] arguments) {
          Main main = new Main();
          double[] fast = new double[100_000];
          double[] small = new double[100_000];
          try (Checkpointer cairn = Checkpointer.open(Path.of(arguments[0]))) {
            cairn.protectObject("main", main);
            cairn.protect("fast", fast).codec(Codec.LZ4);
            cairn.protect("small", small).codec(Codec.ZSTD);
            cairn.restart();
            if (fast[99_999] != main.starts || small[99_999] != main.starts) {
              throw new AssertionError(main.starts + ": " + fast[99_999] + ", " + small[99_999]);
            }
            System.out.println(main.starts + " in " + cairn.getClass().getModule().getName());
            main.starts++;
            fast[99_999]++;
            small[99_999]++;
            cairn.checkpoint();
          }
        }
      }
      """;

  /** A kind of tier that Cairn does not have, and a program that counts its own starts by it. */
  private static final String TWIN =
      """
      package program;

      import java.io.IOException;
      import java.nio.file.Path;
      import java.util.Optional;
      import org.cairn.*;
      import org.cairn.container.Container;
      import org.cairn.tier.*;
      import org.cairn.tier.transfer.CopyTransfer;
      import org.cairn.version.VersionId;

      public class Main {
        static final TierKind TWIN = new TierKind("twin", 1 << 20);

        public static void main(String[] arguments) {
          Options options = Options.defaults().tiers(Tiers.none().other(TWIN, 1, ""));
          long[] starts = new long[1];
          try (Checkpointer cairn = Checkpointer.open(Path.of(arguments[0]), options)) {
            cairn.protect("starts", starts);
            cairn.restart();
            System.out.println(starts[0]);
            starts[0]++;
            cairn.checkpoint().await(TWIN);
          }
        }

        public static final class Type implements TierType {
          @Override
          public TierKind kind() {
            return TWIN;
          }

          @Override
          public Optional<String> role() {
            return Optional.of(".twin");
          }

          @Override
          public String nothing() {
            return "no twin";
          }

          @Override
          public Optional<Source> offer(Evidence evidence, int owner, VersionId version) {
            return evidence.holding(TWIN, owner, version).stream().map(Source::of).findFirst();
          }

          @Override
          public void rebuild(Rebuild rebuild) {
            CopyTransfer.rebuild(rebuild, TWIN);
          }

          @Override
          public Optional<Tier> open(Opening opening) {
            return opening.tiers().every(TWIN) == 0
                ? Optional.empty()
                : Optional.of(new Twin(opening));
          }
        }

        private static final class Twin implements Tier {
          private final Opening opening;
          private final Copies copies;

          Twin(Opening opening) {
            this.opening = opening;
            this.copies = new Copies(opening.home(), TWIN.number(), opening.home().rank());
          }

          @Override
          public TierKind kind() {
            return TWIN;
          }

          @Override
          public boolean isInDirectories() {
            return true;
          }

          @Override
          public long protect(VersionId version, Deltas deltas) throws IOException {
            Home home = opening.home();
            int me = home.rank();
            CopyTransfer.Outcome outcome =
                CopyTransfer.run(
                    opening.comm(), me, me, home::store, home.state(), version, copies::open);
            Optional<IOException> failure = outcome.sourceFailure().or(outcome::targetFailure);
            if (failure.isPresent()) {
              throw failure.get();
            }
            return 0;
          }

          @Override
          public void nowStable(VersionId version) {
            copies.nowStable(version);
          }

          @Override
          public Optional<Container> container() {
            return copies.current();
          }

          @Override
          public void close() throws IOException {
            copies.close();
          }
        }
      }
      """;

  private static final ModuleDescriptor CORE = Modules.descriptor(Checkpointer.class);
  private static final ModuleDescriptor DOORS = Modules.descriptor(Communicator.class);

  @TempDir Path directory;

  @Test
  void aProgramComesBackWithWhatItCompressed() throws Exception {
    ModularProgram program = program();
    assertThat(program.compile(COUNTING, REQUIRES, "opens program to org.cairn.core;")).isEmpty();
    String checkpoints = directory.resolve("checkpoints").toString();

    assertThat(program.run(FLAGS, checkpoints)).isEqualTo("0 in org.cairn.core\n");
    assertThat(program.run(FLAGS, checkpoints)).isEqualTo("1 in org.cairn.core\n");
    // No module-info asks for the Vector API: core has to see to it that it may use it.
    assertThat(program.run(withVectors(), checkpoints)).endsWith("2 in org.cairn.core\n");
  }

  @Test
  void whoMayNotCallNativeCodeIsToldForWhichModule() throws Exception {
    ModularProgram program = program();
    assertThat(program.compile(COUNTING, REQUIRES, "opens program to org.cairn.core;")).isEmpty();

    assertThat(program.run(List.of("--illegal-native-access=deny"), directory + "/checkpoints"))
        .contains("codec lz4", "start java with --enable-native-access=org.cairn.core");
  }

  @Test
  void aKindOfTierMayBeOfAForeignModule() throws Exception {
    ModularProgram program = program();
    String provides = "provides org.cairn.tier.TierType with program.Main.Type;";
    assertThat(program.compile(TWIN, REQUIRES, provides)).isEmpty();
    Path checkpoints = directory.resolve("checkpoints");

    assertThat(program.run(FLAGS, checkpoints.toString())).isEqualTo("0\n");
    Files.delete(checkpoints.resolve(Checkpointer.containerName(0)));
    assertThat(program.run(FLAGS, checkpoints.toString())).as("by the twin").isEqualTo("1\n");
  }

  @Test
  void whatIsForNeighboursIsNotThere() throws Exception {
    String curious =
        """
        package program;

        public class Main {
          org.cairn.work.Workers workers;
        }
        """;
    assertThat(program().compile(curious, REQUIRES))
        .contains("package org.cairn.work is not visible", "does not export it to module program");
  }

  @Test
  void whatIsExportedToAllIsTheApi() throws IOException {
    assertThat(Modules.exportedToAll(DOORS)).isEqualTo(packagesOfTheApi("Doors"));
    Set<String> expected = packagesOfTheApi("What a program uses");
    expected.addAll(packagesOfTheApi("For who writes a kind of tier"));
    CORE.uses().forEach(service -> expected.add(packageOf(service)));
    assertThat(Modules.exportedToAll(CORE)).isEqualTo(expected);
  }

  /** Others that core exports are for modules that there are. */
  @Test
  void theOthersAreForModulesOfOurs() throws IOException {
    for (ModuleDescriptor.Exports exported : CORE.exports()) {
      for (String target : exported.targets()) {
        String folder = target.substring(target.lastIndexOf('.') + 1);
        assertThat(Files.readString(Path.of("..", folder, "pom.xml")))
            .contains("<cairn.module.name>" + target + "</cairn.module.name>");
      }
    }
  }

  /** Whoever adds a kind to one list and not to the other has it on one path only. */
  @Test
  void kindsOfTiersAreTheSameOnBothPaths() throws IOException {
    Path services = Path.of("src/main/resources/META-INF/services", TierType.class.getName());
    assertThat(Modules.providers(CORE, TierType.class))
        .isNotEmpty()
        .containsExactlyInAnyOrderElementsOf(Files.readAllLines(services));
  }

  private static List<String> withVectors() {
    List<String> flags = new ArrayList<>(FLAGS);
    flags.addAll(List.of("--add-modules=jdk.incubator.vector", "-Dcairn.hash.path=vector"));
    return flags;
  }

  private ModularProgram program() {
    return ModularProgram.of(
        directory,
        Checkpointer.class,
        Communicator.class,
        Logger.class,
        SimpleLogger.class,
        Compressor.class);
  }

  private static Set<String> packagesOfTheApi(String heading) throws IOException {
    String list = Files.readString(Path.of("../docs/api.md"));
    int start = list.indexOf("## " + heading);
    assertThat(start).isPositive();
    int end = list.indexOf("\n## ", start);
    Matcher row =
        Pattern.compile("\\| `(org\\.cairn\\.[\\w.]+?)(?:\\.\\*)?` \\|")
            .matcher(list.substring(start, end < 0 ? list.length() : end));
    Set<String> packages = new TreeSet<>();
    while (row.find()) {
      packages.add(packageOf(row.group(1)));
    }
    return packages;
  }

  /** Types have capitals, packages have none. */
  private static String packageOf(String type) {
    return type.replaceFirst("\\.\\p{Upper}.*", "");
  }
}
