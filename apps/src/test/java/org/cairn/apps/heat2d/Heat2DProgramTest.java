// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.heat2d;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.cairn.CheckpointUnavailableException;
import org.cairn.comm.Ranks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("FloatingPointLiteralPrecision") // digits as the reference prints them
class Heat2DProgramTest {
  @TempDir Path temp;

  @Test
  void theReferenceValuesComeOut() throws IOException {
    Heat2DResult result = run("reference", "--size", "32", "--iterations", "100", "--every", "7");

    assertThat(result)
        .isEqualTo(
            new Heat2DResult(
                100,
                0.23863970480974928,
                13388.919067440938,
                88.632287221259816,
                1.568806513925709));
  }

  /** The plate is that of the ranks it began with, however many go on with it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4, 5})
  void anotherNumberOfRanksEndsWithTheSameBits(int began) throws IOException {
    Path whole = temp.resolve("whole.bin");
    Path pieces = temp.resolve("pieces.bin");
    ranks(began, "a", 150, whole);
    int[] numbers = {began, 3, 3, 1, 6, began, 2};
    for (int life = 0; life < numbers.length; life++) {
      ranks(numbers[life], "b", 30 + 20 * life, pieces);
    }
    assertThat(pieces).hasSameBinaryContentAs(whole);
    assertThat(Path.of(pieces + ".txt")).hasSameTextualContentAs(Path.of(whole + ".txt"));
  }

  private void ranks(int count, String name, int iterations, Path result) {
    Heat2DOptions options =
        Heat2DOptions.parse(
            "--size",
            "41",
            "--every",
            "10",
            "--iterations",
            Integer.toString(iterations),
            "--checkpoints",
            temp.resolve(name).toString(),
            "--result",
            result.toString());
    Ranks.run(count, comm -> Heat2DProgram.run(options, comm));
  }

  /** Each run goes on from the checkpoint of the one before, wherever that was. */
  @ParameterizedTest
  @ValueSource(strings = {"--every 1", "--every 7", "--every 7 --async", "--interval 0.001"})
  void runsThatEndEarlyAndGoOnEndWithTheSameBits(String options) throws IOException {
    Path whole = temp.resolve("whole.bin");
    Path pieces = temp.resolve("pieces.bin");
    run(
        "a",
        "--size",
        "50",
        "--iterations",
        "200",
        "--every",
        "1000",
        "--result",
        whole.toString());

    for (String iterations : new String[] {"3", "21", "22", "99", "150", "200"}) {
      run(
          "b",
          (options + " --size 50 --iterations " + iterations + " --result " + pieces)
              .split(" ", -1));
    }

    assertThat(pieces).hasSameBinaryContentAs(whole);
    assertThat(Path.of(pieces + ".txt")).hasSameTextualContentAs(Path.of(whole + ".txt"));
  }

  @Test
  void aPlateAtRestEndsTheRunAndStaysAtRest() throws IOException {
    Heat2DResult first = run("c", "--size", "10", "--iterations", "5000", "--every", "50");
    Heat2DResult again = run("c", "--size", "10", "--iterations", "5000", "--every", "50");

    assertThat(first.iterations()).isLessThan(5000);
    assertThat(first.change()).isLessThan(.005);
    assertThat(again).isEqualTo(first);
  }

  @Test
  void theResultFileHoldsThePlateRowByRow() throws IOException {
    Path file = temp.resolve("plate.bin");
    Heat2DResult result =
        run("d", "--size", "400", "--iterations", "30", "--result", file.toString());

    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(bytes.remaining()).isEqualTo(403 * 400 * 8);
    assertThat(bytes.getDouble(40 * 8)).isEqualTo(100);
    assertThat(bytes.getDouble((400 + 200) * 8)).isEqualTo(result.top());
    assertThat(Files.readString(temp.resolve("plate.bin.txt")))
        .contains("iterations 30")
        .contains(Double.toHexString(result.sum()));
  }

  @Test
  void aPlateOfAnotherSizeIsNotMixedUp() throws IOException {
    run("e", "--size", "20", "--iterations", "10", "--every", "5");

    assertThatThrownBy(() -> run("e", "--size", "21", "--iterations", "10"))
        .hasMessageContaining("double[23][20]")
        .hasMessageContaining("had the shape [23, 20] and has [24, 21] now");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--size",
        "--size x",
        "--size 0",
        "--size 99999999999",
        "--iterations -1",
        "--every -2",
        "--interval 0",
        "--interval soon",
        "--compression big",
        "--name",
        "--name a/b",
        "--job nobody",
        "--restart-version newest",
        "--begin-anew --job 12ab",
        "--bogus"
      })
  void nonsenseIsRefused(String line) {
    assertThatThrownBy(() -> Heat2DOptions.parse(line.split(" ", -1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(word(line));
  }

  /** What a message must name: the option, or what was given for it. */
  private static String word(String line) {
    String[] words = line.split(" ", -1);
    return words.length == 2 && (words[1].equals("nobody") || words[1].equals("newest"))
        ? words[1]
        : words[0];
  }

  @Test
  void jobsOfTwoNamesGoTheirOwnWay() throws IOException {
    String[] more = {"--size", "20", "--every", "5", "--iterations"};
    run("n", with(more, "10", "--name", "a"));
    Heat2DResult other = run("n", with(more, "20", "--name", "b"));

    assertThat(temp.resolve("n/rank0+a.cairn")).exists();
    assertThat(temp.resolve("n/rank0+b.cairn")).exists();
    assertThat(run("n", with(more, "20", "--name", "a")).sum()).isEqualTo(other.sum());
  }

  @Test
  void itBeginsAnewOrGoesOnWithAVersionIfItIsToldTo() throws IOException {
    String[] more = {"--size", "20", "--every", "5", "--iterations"};
    Heat2DResult first = run("v", with(more, "20"));

    assertThat(run("v", with(more, "10", "--begin-anew")).iterations()).isEqualTo(10);
    assertThatThrownBy(() -> run("v", with(more, "20", "--restart-version", "7.7")))
        .isInstanceOf(CheckpointUnavailableException.class)
        .hasMessageContaining("7.7");
    assertThat(run("v", with(more, "20", "--restart-version", "1.4")).sum()).isEqualTo(first.sum());
  }

  private static String[] with(String[] first, String... more) {
    return Stream.concat(Arrays.stream(first), Arrays.stream(more)).toArray(String[]::new);
  }

  private Heat2DResult run(String checkpoints, String... options) throws IOException {
    String[] all = new String[options.length + 2];
    System.arraycopy(options, 0, all, 2, options.length);
    all[0] = "--checkpoints";
    all[1] = temp.resolve(checkpoints).toString();
    return Heat2DProgram.run(Heat2DOptions.parse(all));
  }
}
