// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.cairn.Compression;
import org.cairn.supply.Supply;
import org.cairn.testkit.random.Seeds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of efforts is of them, and not of when they were tried. */
class AdvisorTest {
  private static final Percentage ALIKE = Percentage.withPercentage(20);

  @TempDir Path dir;

  @AfterEach
  void uncontrolled() {
    Supply.uncontrolled();
  }

  private List<Packer.Input> inputs() throws IOException {
    byte[] bytes = new byte[300_000];
    Seeds.content(9).nextBytes(bytes);
    Files.write(dir.resolve("a"), bytes);
    Files.write(dir.resolve("b"), new byte[200_000]);
    return Packing.inputs(dir);
  }

  /** A JVM in which everything takes less time the more often it was done. */
  @Test
  void whatIsTriedLastIsNotTakenForFaster() throws IOException {
    Supply.controlledBy(
        new Supply.Control() {
          private double now;
          private int calls;

          @Override
          public void requested(Supply.Kind kind, long amount) {}

          @Override
          public synchronized long nanos() {
            calls++;
            now += 1e12 / calls / calls;
            return (long) now;
          }
        });
    List<Advisor.Advice> advice =
        new Advisor(Packing.settings(), 1 << 20)
            .advise(inputs(), List.of(Compression.fast(), Compression.none(), Compression.fast()));
    Advisor.Advice first = advice.getFirst();
    Advisor.Advice last = advice.getLast();
    assertThat(last.stored()).isEqualTo(first.stored());
    assertThat(last.encodingSeconds()).isCloseTo(first.encodingSeconds(), ALIKE);
    assertThat(last.decodingSeconds()).isCloseTo(first.decodingSeconds(), ALIKE);
  }

  @Test
  void ratiosAreThoseOfAdvice() throws IOException {
    Advisor advisor = new Advisor(Packing.settings(), 1 << 20);
    List<Packer.Input> inputs = inputs();
    Advisor.Advice advice = advisor.advise(inputs, List.of(Compression.small())).getFirst();
    assertThat(advice.bytes()).isEqualTo(500_000);
    assertThat(advice.ratio()).isBetween(1.6, 1.7);
    assertThat(advisor.ratio(inputs, Compression.small())).isCloseTo(advice.ratio(), within(1e-9));
  }
}
