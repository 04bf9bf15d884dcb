// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.cairn.tier.shared.HostileSegments;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files of a shared directory that claim sizes beyond all measure, read by a JVM with 64 MiB of
 * heap and 64 MiB of other memory: each ends with an error that says what it is, and the others of
 * the directory are found all the same.
 */
class HostileSharedTest {
  @TempDir Path directory;

  @Test
  @Timeout(value = 120, unit = TimeUnit.SECONDS)
  void endsInDataOrAnExplanationWithLittleMemory() throws Exception {
    Map<String, HostileSegments.Hostile> all = HostileSegments.all();
    Iterator<String> answers = ask(all).iterator();
    for (Map.Entry<String, HostileSegments.Hostile> one : all.entrySet()) {
      String answer = answers.next();
      assertThat(answer).as(one.getKey()).contains(one.getValue().answer());
      assertThat(answer).as(one.getKey()).matches("(ok|java.io.IOException:|org.cairn.).*");
      assertThat(answers.next()).as("the directory with " + one.getKey()).startsWith("ok ");
    }
    assertThat(answers).isExhausted();
  }

  private List<String> ask(Map<String, HostileSegments.Hostile> all) throws Exception {
    List<String> arguments = new ArrayList<>();
    for (HostileSegments.Hostile hostile : all.values()) {
      Path place = Files.createDirectory(directory.resolve("d" + arguments.size()));
      HostileSegments.write(place, hostile);
      arguments.addAll(List.of(place.toString(), hostile.file()));
    }
    List<String> flags = List.of("-Xmx64m", "-XX:MaxDirectMemorySize=64m", "-ea");
    Process child = ChildJvm.start(HostileSharedProbe.class, flags, arguments);
    try (BufferedReader output = child.inputReader(StandardCharsets.UTF_8)) {
      return output.lines().toList();
    } finally {
      child.destroyForcibly();
    }
  }
}
