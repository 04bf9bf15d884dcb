// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.cairn.testkit.process.ChildJava;
import org.cairn.testkit.random.OnlyThorough;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.io.TempDir;

/** A process is killed while it packs: there is a whole pack or none, and no file has changed. */
@OnlyThorough
class PackKillTest {
  private static final int FILES = 40;
  private static final int LONGEST_MILLIS = 1500;

  @TempDir Path dir;

  @SeededTest(seeds = 10)
  void aPackIsWholeOrAbsent(Random random) throws IOException, InterruptedException {
    Path in = Files.createDirectory(dir.resolve("in"));
    Path copy = Files.createDirectory(dir.resolve("copy"));
    for (int i = 0; i < FILES; i++) {
      byte[] bytes = new byte[random.nextInt(400_000)];
      random.nextBytes(bytes);
      Files.write(in.resolve("f" + i), bytes);
      Files.copy(
          in.resolve("f" + i),
          copy.resolve("f" + i),
          java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
    }
    Path folder = Files.createDirectory(dir.resolve("packs"));
    Path pack = folder.resolve("it.cairnpack");
    Process child = start(in, pack);
    try {
      assertThat(child.getInputStream().read()).as("it has begun").isEqualTo('b');
      boolean _ = child.waitFor(random.nextInt(LONGEST_MILLIS), TimeUnit.MILLISECONDS);
    } finally {
      child.destroyForcibly().waitFor();
    }
    Packing.assertSame(copy, in);
    if (Files.exists(pack)) {
      Path out = Files.createDirectory(dir.resolve("out"));
      assertThat(Packing.unpack(pack, out, 1)).isEmpty();
      Packing.assertSame(in, out);
    } else {
      Packing.pack(in, pack, Packing.settings()); // what is left over is in nobody's way
    }
  }

  private static Process start(Path in, Path pack) throws IOException {
    return new ProcessBuilder(
            List.of(
                ChildJava.executable(),
                "--add-modules=jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                ChildJava.classPath(),
                Child.class.getName(),
                in.toString(),
                pack.toString()))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** Packs a folder. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) throws IOException {
      System.out.write('b');
      System.out.flush();
      PackReport _ = Packing.pack(Path.of(args[0]), Path.of(args[1]), Packing.settings());
    }
  }
}
