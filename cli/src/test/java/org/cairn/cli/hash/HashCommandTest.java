// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.cairn.Checkpointer;
import org.cairn.cli.Cli;
import org.cairn.track.SharedPages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class HashCommandTest {
  private static final String SHORT =
      "study --hashes adler-32,rotating-xor-32,xxh3-32 --blocks 128,256 --iterations 2000";

  @TempDir Path temp;

  private static Cli.Result run(String question, Object... more) {
    List<Object> arguments = new ArrayList<>(List.of("hash"));
    arguments.addAll(List.of(question.split(" +")));
    arguments.addAll(List.of(more));
    Cli.Result result = Cli.run(arguments.toArray());
    assertThat(result.out() + result.err()).doesNotContain("NaN", "Infinity");
    return result;
  }

  private static String answer(String question, Object... more) {
    Cli.Result result = run(question, more);
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result.out();
  }

  private static String refusal(String question, Object... more) {
    Cli.Result result = run(question, more);
    assertThat(result.exitCode()).as(result.out() + result.err()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).doesNotContain("Exception").contains("Try 'cairn hash ");
    return result.err();
  }

  private static String flat(String text) {
    return text.replaceAll("\\s+", " ");
  }

  // ---------------------------------------------------------------- the study

  @Test
  void tellsWhatIsMissedAndWhatThePaperHas() {
    String told = flat(answer(SHORT));
    assertThat(told)
        .contains("No change was missed by xxh3-32")
        .contains("adler-32 missed", "of the changes \"1 bit\" of 128 B (in theory 8.03e-3)")
        .contains("rotating-xor-32 missed all of the changes \"1 bit\" of 128 B, as it must")
        .contains("8.03e-3 6.84e-3") // exact, and beside it what table I prints
        .contains("Table I of Keller and Bautista-Gomez 2019 has about 0.8 of that")
        .contains("1.5e-5 = 2^-16", "0xff for 4 bits and 0xfff for 8")
        .contains("Blocks that XXH3 is expected to miss");
  }

  @Test
  void machinesGetCountsAndIntervals() {
    JsonNode answer = Cli.run(words(SHORT + " --json")).json();
    JsonNode rows = answer.get("missed");
    assertThat(rows.size()).isEqualTo(3 * 2 * 6);
    JsonNode first = rows.get(0);
    assertThat(first.get("hash").asString()).isEqualTo("adler-32");
    assertThat(first.get("changedBlocks").asLong()).isEqualTo(2000);
    double rate = first.get("rate").asDouble();
    assertThat(rate * 2000).isEqualTo(first.get("missed").asDouble());
    assertThat(first.get("low").asDouble()).isLessThan(rate);
    assertThat(first.get("high").asDouble()).isGreaterThan(rate);
    assertThat(first.get("expected").asDouble())
        .isBetween(first.get("low").asDouble(), first.get("high").asDouble())
        .isEqualTo(526 / 65536.0, within(1e-12));
    assertThat(first.get("tableOne").asDouble()).isEqualTo(6.84e-3);
    assertThat(answer.has("adler32")).isFalse();
  }

  private static Object[] words(String question) {
    List<Object> arguments = new ArrayList<>(List.of("hash"));
    arguments.addAll(List.of(question.split(" +")));
    return arguments.toArray();
  }

  @Test
  void sameSeedSameTable() {
    String csv = answer(SHORT + " --csv --table missed --threads 1");
    assertThat(csv)
        .startsWith("hash,change,blockBytes,changedBlocks,missed,rate,low,high,expected,tableOne");
    assertThat(csv.lines()).hasSize(1 + 36);
    assertThat(answer(SHORT + " --csv --table missed --threads 3")).isEqualTo(csv);
    assertThat(answer(SHORT + " --csv --table missed --seed 2")).isNotEqualTo(csv);
  }

  @Test
  void changesOfSimulations() {
    String told =
        flat(
            answer(
                "study --hashes rotating-xor-32,xxh3-64 --blocks 128 --iterations 300"
                    + " --patterns none --changes all"));
    assertThat(told)
        .contains("block ulp ulp-pair swap sign negate shift halo")
        .contains("rotating-xor-32 missed all of the changes \"swap\"")
        .contains("swap: two elements change places.");
  }

  @Test
  void expectedMissesFollowTheUsersState() {
    JsonNode rows =
        Cli.run(
                words(
                    "study --hashes md5 --blocks 128 --iterations 10 --json --state 1TiB"
                        + " --state-block 64KiB --checkpoints 256 --dirty 50%"))
            .json()
            .get("expected");
    assertThat(rows.get(0).get("bits").asInt()).isEqualTo(32);
    // 2^40 / 2^16 blocks, half of them 256 times, are 2^31 decisions.
    assertThat(rows.get(0).get("missedBlocks").asDouble()).isEqualTo(0.5);
    assertThat(rows.get(1).get("missedBlocks").asDouble()).isEqualTo(Math.scalb(1.0, -33));
  }

  @Test
  void draws() throws IOException {
    Path picture = temp.resolve("adler.svg");
    answer(SHORT + " --plot adler-32 --svg", picture);
    assertThat(Files.readString(picture)).contains("<svg", "adler-32").doesNotContain("NaN");
    assertThat(refusal(SHORT + " --plot xxh3-32 --svg", picture))
        .contains("there are adler-32, rotating-xor-32");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--patterns 0: a pattern is a number of last bits",
        "--patterns 65: a pattern is a number of last bits",
        "--patterns 1,: 1 to 64, a hexadecimal number such as 0xff, or random",
        "--patterns 0x0: pattern 0x0 changes nothing",
        "--blocks 100: a block of 100 B cannot be studied; block sizes are multiples of 8",
        "--blocks 8: multiples of 8 from 16 B to 16 MiB",
        "--blocks 1KiB..128: there is no block size in 1KiB..128; block sizes are",
        "--blocks 128..100: a block of 100 B cannot be studied",
        "--blocks x: 'x' is no block size; block sizes are multiples of 8",
        "--blocks 128,: '' is no block size",
        "--blocks 64MiB: cannot be studied",
        "--hashes sha-1: there is no hash 'sha-1'; there are xxh3-128",
        "--changes flip: there is no change 'flip'; there are ulp, ulp-pair",
        "--patterns none: there is nothing to change with; give --patterns or --changes",
        "--iterations 0: --iterations is 0",
        "--width 100%: --width is 1.0",
        "--threads 0: --threads is 0",
        "--dirty 150%: the dirty part is 1.5",
        "--checkpoints 0: the number of checkpoints is 0",
        "--from x: give both states: --from DIR[@V] --to DIR[@V]"
      })
  void refusesWithTheAllowedValues(String text) {
    String[] parts = text.split(": ", 2);
    assertThat(refusal("study " + parts[0])).contains(parts[1]);
  }

  // ---------------------------------------------------------------- states of programs

  private void twoStates() {
    double[] u = new double[8192];
    for (int i = 0; i < u.length; i++) {
      u[i] = Math.sin(i);
    }
    try (Checkpointer cairn = Checkpointer.open(temp)) {
      cairn.protect("u", u);
      cairn.checkpoint();
      // Two elements of one block of 512 B change places.
      double kept = u[70];
      u[70] = u[80];
      u[80] = kept;
      u[8000]++;
      cairn.checkpoint();
    }
  }

  @Test
  void comparesStatesThatAProgramSaved() {
    twoStates();
    String told = flat(answer("study --from", temp + "@1.1", "--to", temp + "@1.2"));
    assertThat(told)
        .contains("Of 6 changed blocks of all sizes, some were missed: by rotating-xor-32 3.")
        .contains("u 512 B 128 2 1.6 % 1")
        .contains("u 4.00 KiB 16 2 12.5 % 1")
        .contains("u 16.0 KiB 4 2 50.0 % 1");
    String csv =
        answer("study --csv --table missed --hashes xxh3-128 --from", temp + "@1.1", "--to", temp);
    assertThat(csv.lines().toList())
        .startsWith("dataset,blockBytes,blocks,changed,hash,missed", "u,512,128,2,xxh3-128,0");
    assertThat(answer("study --from", temp + "@1.2", "--to", temp)).contains("states are the same");
  }

  @Test
  void refusesStatesThatAreNot() {
    Cli.Result nowhere = run("study --from nowhere --to nowhere");
    assertThat(nowhere.exitCode()).isEqualTo(1);
    assertThat(nowhere.err()).contains("nowhere");
    twoStates();
    assertThat(run("study --from", temp + "@1.7", "--to", temp).err()).contains("no version 1.7");
  }

  // ---------------------------------------------------------------- rates

  private static final String FAST =
      "rates --hashes crc32,rotating-xor --blocks 64,1MiB --threads 1 --size 1MiB --rounds 1"
          + " --warm-up 1MiB";

  @Test
  void ratesAndBreakEvens() {
    JsonNode answer = Cli.run(words(FAST + " --json --memory native --unchanged 50%")).json();
    assertThat(answer.get("rates").size()).isEqualTo(4);
    JsonNode rows = answer.get("breakEvens");
    assertThat(rows.size()).isEqualTo(2 * 4);
    double best = rows.get(0).get("bestBytesPerSecond").asDouble();
    assertThat(best).isPositive();
    double[] unchanged = {0.5, 0.83, 0.35, 0.024};
    for (int i = 0; i < unchanged.length; i++) {
      assertThat(rows.get(i).get("unchangedShare").asDouble()).isEqualTo(unchanged[i]);
      assertThat(rows.get(i).get("breakEvenBytesPerSecond").asDouble())
          .isEqualTo(best * unchanged[i]);
    }
  }

  @Test
  void ratesInWordsAndPictures() throws IOException {
    Path page = temp.resolve("rates.html");
    String told = flat(answer(FAST + " --memory heap --by processor --gpu --html", page));
    assertThat(told)
        .contains("Fastest is ", "MB/s, double[], 1 thread", "hash 64 B 1.00 MiB")
        .contains("No device was measured", "equation 7.3");
    assertThat(Files.readString(page)).contains("How fast crc32 is", "Bandwidth of each socket");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--by time: there are clock and processor",
        "--memory disk: there are native and heap",
        "--threads 0: write numbers of threads, such as 1,2",
        "--rounds 0: --rounds is 0",
        "--size 1kB: it must be 1MiB to 1GiB",
        "--blocks 60: block sizes are multiples of 8",
        "--unchanged 2: it must be a part"
      })
  void refusesRates(String text) {
    String[] parts = text.split(": ");
    assertThat(refusal("rates " + parts[0])).contains(parts[1]);
  }

  @Test
  void saysWhatToAsk() {
    assertThat(Cli.run("hash").err()).contains("say which question to answer");
    assertThat(Cli.run("hash", "study", "--help").out()).contains("Algorithm 1", "--patterns");
    assertThat(Cli.run("hash", "rates", "--help").out()).contains("--gpu", "figures 7.5");
  }

  // ---------------------------------------------------------------- what programs write

  private static final String WRITTEN =
      "written --programs heat2d,poisson --size 200 --every 5 --checkpoints 3";

  @Test
  void tellsWhatProgramsWriteToAndWhatChanges() {
    assumeTrue(SharedPages.get().isAvailable(), SharedPages.get().why());
    JsonNode answer = Cli.run(words(WRITTEN + " --json")).json();
    JsonNode rows = answer.get("checkpoints");
    assertThat(rows.size()).isEqualTo(2 * 3);
    for (JsonNode row : rows) {
      double memory = row.get("memoryBytes").asDouble();
      double changed = row.get("changed512Bytes").asDouble();
      assertThat(changed).isPositive().isLessThan(memory);
      assertThat(row.get("changed16384Bytes").asDouble()).isGreaterThanOrEqualTo(changed);
      assertThat(row.get("savedBytes").asDouble()).isLessThan(memory);
      if (row.has("writtenBytes")) { // no array was moved
        assertThat(row.get("writtenBytes").asDouble()).isGreaterThan(.6 * memory);
      }
    }
    // A cold plate: heat comes further with each checkpoint, and all is written to at once.
    assertThat(rows.get(2).get("changed512Bytes").asDouble())
        .isGreaterThan(rows.get(0).get("changed512Bytes").asDouble());
    assertThat(answer.get("sizes").get(2).get("program").asString()).startsWith("CTH");
  }

  @Test
  void drawsWhatProgramsWriteTo() {
    assumeTrue(SharedPages.get().isAvailable(), SharedPages.get().why());
    Path picture = temp.resolve("heat.svg");
    String told =
        flat(
            answer(
                "written --programs heat2d --size 200 --every 5 --checkpoints 2",
                "--svg",
                picture));
    assertThat(told)
        .contains("heat2d (heat on a plate that is cold at first) writes to")
        .contains("LAMMPS (table 7.1) 2.55 GiB 2.49 GiB 2.4 %");
    assertThat(picture).content().contains("written to, by pages", "blocks of 512 B");
  }

  @Test
  void programsAndNumbersThatMakeNoSenseAreRefused() {
    assertThat(refusal("written --programs lammps")).contains("heat2d, poisson, cloverleaf");
    assertThat(refusal("written --checkpoints 1")).contains("--checkpoints is 1", "at least 2");
    assertThat(refusal("written --size -3")).contains("--size is -3");
  }
}
