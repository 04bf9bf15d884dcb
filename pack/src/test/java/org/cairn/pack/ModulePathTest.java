// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.comm.Communicator;
import org.cairn.testkit.module.ModularProgram;
import org.cairn.testkit.module.Modules;
import org.cairn.testkit.process.ChildJava;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packs for programs that are modules: what docs/pack.md says can be written in one. */
class ModulePathTest {
  /** What pack and core need when they run; not the libraries of tests. */
  private static final Pattern NEEDED =
      Pattern.compile("(aircompressor|antlr4|checker-qual|slf4j-(api|simple)|tomlj)\\b.*\\.jar");

  private static final String PACKING =
      """
      package program;

      import java.nio.file.*;
      import java.util.List;
      import org.cairn.pack.*;

      public class Main {
        public static void main(String[] arguments) throws Exception {
          Path folder = Path.of(arguments[0]);
          Path target = folder.resolve("it.cairnpack");
          Path file = Files.writeString(folder.resolve("letter"), "so it goes");
          try (Packer packer = new Packer(PackSettings.usual(), done -> {})) {
            packer.pack(List.of(new Packer.Input(file, PackName.of(folder, file))), target);
          }
          Path out = Files.createDirectory(folder.resolve("out"));
          try (Pack pack = Pack.open(target)) {
            System.out.println(pack.verify(done -> {}));
            System.out.println(pack.verifyStored(done -> {}));
            System.out.println(new Unpacker(pack, out).unpack(pack.members(), done -> {}));
          }
          System.out.println(Files.readString(out.resolve("letter")));
        }
      }
      """;

  @TempDir Path directory;

  @Test
  void aProgramPacksAndUnpacks() throws Exception {
    ModularProgram program = ModularProgram.of(directory, modulePath().toList());
    assertThat(program.compile(PACKING, "requires org.cairn.pack;")).isEmpty();

    Path work = Files.createDirectory(directory.resolve("work"));
    List<String> flags = List.of("--enable-native-access=org.cairn.core,org.cairn.pack");
    assertThat(program.run(flags, work.toString()).lines())
        .endsWith("[]", "[]", "[]", "so it goes");
  }

  private static Stream<Path> modulePath() {
    Stream<Path> libraries =
        Stream.of(ChildJava.classPath().split(File.pathSeparator))
            .map(Path::of)
            .filter(file -> NEEDED.matcher(file.getFileName().toString()).matches());
    Stream<Path> ours =
        Stream.of(Pack.class, Checkpointer.class, Communicator.class).map(Modules::place);
    return Stream.concat(ours, libraries);
  }
}
