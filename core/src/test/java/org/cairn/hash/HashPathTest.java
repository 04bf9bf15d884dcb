// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.cairn.testkit.process.ChildJava;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The path is chosen once, can be forced, and does without the Vector API. */
@Tag("vectors")
class HashPathTest {

  /** What the child processes run. */
  static final class Probe {
    public static void main(String[] args) {
      System.out.println(HashPath.current());
      System.out.println(digest());
    }

    static String digest() {
      long[] digest = new long[2];
      Xxh3.digest(MemorySegment.ofArray(new long[1000]), 1, 7000, digest, 0);
      return "%016x%016x".formatted(digest[1], digest[0]);
    }
  }

  private static final String DIGEST = Probe.digest();

  @Test
  void pathsCanBeForced() {
    assertThat(HashPath.choose("plain").vector()).isFalse();
    assertThat(HashPath.choose("Vector").vector()).isTrue();
    assertThat(HashPath.choose("auto").reason()).isNotEmpty();
    assertThatThrownBy(() -> HashPath.choose("fast"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("fast")
        .hasMessageContaining("auto, vector, plain");
  }

  @Test
  void withoutTheVectorApiThePlainTwinGivesTheSameDigest() throws Exception {
    assertThat(probe())
        .startsWith("plain (")
        .contains("--add-modules jdk.incubator.vector")
        .contains(DIGEST);
  }

  @Test
  void thePropertyForcesAPath() throws Exception {
    String vectors = "--add-modules=jdk.incubator.vector";
    assertThat(probe(vectors, "-Dcairn.hash.path=plain")).contains("plain (").contains(DIGEST);
    assertThat(probe(vectors, "-Dcairn.hash.path=vector")).contains("vector, ").contains(DIGEST);
  }

  @Test
  void vectorsThatAreMissingCannotBeForced() throws Exception {
    assertThat(probe("-Dcairn.hash.path=vector"))
        .contains("IllegalStateException")
        .contains("--add-modules jdk.incubator.vector");
  }

  private static String probe(String... options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(ChildJava.executable());
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Probe.class.getName()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return output;
  }
}
