// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.cairn.cli.Cli;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be answered is refused in a sentence. */
class RefusalTest {
  private static final String PLAIN = "interval --mtbf 24h --checkpoint 5min";

  @TempDir Path temp;

  @ParameterizedTest
  @ValueSource(strings = {"interval", "wall-time"})
  void hopelessMachines(String question) {
    String machine = " --mtbf 5min --checkpoint 1min --restart 10min";
    assertThat(Ask.refusal(question + machine))
        .contains("interrupted every 5 min 0 s", "a restart alone takes 10 min 0 s", "--anyway");
    assertThat(Ask.answer(question + machine + " --anyway")).contains("of work then takes");
  }

  /** So hopeless that no number is large enough. */
  @ParameterizedTest
  @CsvSource({
    "interval --mtbf 1s --checkpoint 1h --anyway",
    "wall-time --mtbf 1s --checkpoint 1h --anyway",
    "wall-time --mtbf 1s --checkpoint 1h --anyway --csv",
    "wall-time --mtbf 1s --checkpoint 1h --anyway --json",
    "interval --mtbf 1s --checkpoint 1h --anyway --json",
    "interval --mtbf 1s --checkpoint 1h --anyway --csv",
    "replication --mtbf 1h --sockets 100000 --checkpoint 1h",
    "replication --mtbf 1h --sockets 100000 --checkpoint 1h --json",
    "differential --hash-rate 5GB/s --write-rate 1GB/s --mtbf 1s --checkpoint 1h --json",
    "'multilevel --level a,cost=1h,mtbf=1s --level b,cost=2h,mtbf=1s --json'",
    "simulate --mtbf 1s --checkpoint 1h --trials 3 --give-up 1.01 --work 10h --json",
    "compare --mtbf 1h --sockets 1000 --checkpoint 1h --trials 2 --give-up 1.01 --work 1h --json"
  })
  void noNumberIsLargeEnough(String question) {
    Cli.Result result = Ask.run(question); // which looks for NaN
    assertThat(result.exitCode()).as(result.err()).isIn(0, 2);
    assertThat(result.err()).doesNotContain("Exception");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "interval --mtbf 24h --checkpoint 5min --sockets 0",
        "wall-time --mtbf 24h --checkpoint 5min --sockets 0",
        "replication --mtbf 24h --checkpoint 5min --sockets 0",
        "simulate --mtbf 24h --checkpoint 5min --sockets 0",
        "compare --mtbf 24h --checkpoint 5min --sockets 0",
        "from-run . --sockets 0"
      })
  void zeroSockets(String question) {
    assertThat(Ask.refusal(question)).contains("--sockets is 0", "at least one");
  }

  @ParameterizedTest
  @CsvSource({
    "interval --checkpoint 5min, say how often a socket fails: --mtbf TIME",
    "interval --mtbf 24h, say how long a checkpoint takes: --checkpoint TIME",
    "interval --mtbf 0s --checkpoint 5min, --mtbf is 0; it must be more than 0",
    "interval --mtbf 1d --checkpoint 0s, --checkpoint is 0; it must be more than 0",
    "interval --mtbf 1d --checkpoint 1s --memory 1GB, use one of the two",
    "simulate --mtbf 1d, say how long a checkpoint takes",
    "simulate --mtbf 1d --checkpoint 1s --failures weibull, there are exponential",
    "simulate --mtbf 1d --checkpoint 1s --failures weibull:x, must be a number above 0",
    "simulate --mtbf 1d --checkpoint 1s --failures weibull:0, must be a number above 0",
    "simulate --mtbf 1d --checkpoint 1s --per node, there are socket and system",
    "simulate --mtbf 1d --checkpoint 1s --mapping up, 'there are forward, reverse'",
    "simulate --mtbf 1d --checkpoint 1s --replicas 2, 1.0 sockets are too few",
    "simulate --mtbf 1d --checkpoint 1s --trials 0, --trials is 0; there must be at least 1",
    "simulate --mtbf 1d --checkpoint 1s --threads 0, --threads is 0; there must be at least 1",
    "simulate --mtbf 1d --checkpoint 1s --give-up 0, --give-up is 0.0; it must be at least 1",
    "simulate --mtbf 1d --checkpoint 1s --costs-from nowhere, nowhere",
    "simulate --trace nowhere.csv --checkpoint 1s, there is no file nowhere.csv",
    "replication --mtbf 1d --checkpoint 1s --overhead some, 'there are none, best and worst'",
    "replication --mtbf 1d --checkpoint 1s --count all, there are exact",
    "'multilevel --level a,cost=1s', needs at least cost= and mtbf=",
    "'multilevel --level cost=1s,mtbf=1d', has no name",
    "'multilevel --level ,', has no name",
    "'multilevel --level a,cost=1s,mtbf=1d,color=red', 'is none of cost=, restart= and mtbf='",
    "'multilevel --level a,cost=1s,mtbf=soon', is not a time",
    "'multilevel --level a,cost=1s,mtbf=1d --counts 3', --counts has 1 numbers",
    "'multilevel --level a,cost=1s,mtbf=1d --level b,cost=9s,mtbf=9d --counts 0', --counts has a 0",
    "differential --hash-rate 5GB/s --write-rate 1GB/s --dirty 30% --written 20%, more than --written",
    "differential --write-rate 1GB/s, 'give --hash-rate RATE, or --costs-from DIR'",
    "differential --hash-rate 1GB/s, give --write-rate RATE",
    "interval --mtbf 10min --checkpoint 30min --failures weibull:0.7, most restarts would be hit",
    "simulate --mtbf 4y --sockets 20000 --checkpoint 5min --failures weibull:0.01, within a second",
    "simulate --mtbf 4y --sockets 20000 --checkpoint 5min --failures gamma:0.001, within a second",
    "simulate --mtbf 1d --checkpoint 1min --share 50%, --share is for --replicas",
    "simulate --mtbf 1d --checkpoint 1min --replicas 0, --replicas is 0",
    "simulate --mtbf 1d --checkpoint 1min --dirty 130%, --dirty is 130.0 %",
    "simulate --mtbf 1d --checkpoint 1min --hash-time 1s, --hash-time is for differential",
    "simulate --trace t.csv --mtbf 1d --checkpoint 1min, leave out --mtbf",
    "interval --mtbf 1d --checkpoint 1min --per nonsense, --per is 'nonsense'",
    "interval --mtbf 1d --checkpoint 1min --system 18, --system is a machine of a --trace",
    "trace nowhere.csv, there is no file nowhere.csv",
    "from-run nowhere, nowhere"
  })
  void sentences(String question, String sentence) {
    assertThat(Ask.refusal(question)).contains(sentence);
  }

  @Test
  void tracesWithoutFailures() throws IOException {
    Path trace = temp.resolve("quiet.csv");
    Files.writeString(trace, "time,node\n");
    assertThat(Ask.refusal("trace", trace)).contains("quiet.csv has no failures");
    assertThat(Ask.refusal("simulate --checkpoint 1s", "--trace", trace)).contains("no failures");
    Files.writeString(trace, "");
    assertThat(Ask.refusal("trace", trace)).contains("quiet.csv is empty");
    Files.writeString(trace, "time,node\n10,1\n");
    assertThat(Ask.refusal("trace", trace)).isNotBlank();
    assertThat(Ask.refusal("simulate --checkpoint 1s", "--trace", trace)).isNotBlank();
  }

  @Test
  void formsThatExcludeEachOther() {
    assertThat(Ask.refusal(PLAIN + " --json --csv")).contains("--json and --csv exclude");
  }

  @Test
  void picturesThatAreNot() {
    Path file = temp.resolve("a.svg");
    assertThat(Ask.refusal(PLAIN + " --plot sunset --svg", file))
        .contains("there is no picture 'sunset' here; there are cost");
    assertThat(Ask.refusal(PLAIN + " --plot sunset")).contains("no picture 'sunset'");
    assertThat(file).doesNotExist();
  }

  /** Not the usage is wrong but the disk, and nothing is printed as if all were well. */
  @ParameterizedTest
  @ValueSource(strings = {"--svg", "--png", "--html"})
  void picturesThatCannotBeWritten(String option) {
    Cli.Result nowhere = Ask.run(PLAIN, option, temp.resolve("no/such/picture"));
    assertThat(nowhere.exitCode()).isEqualTo(1);
    assertThat(nowhere.err()).contains("its folder does not exist; create it: mkdir -p");
    assertThat(nowhere.out()).isEmpty();
    Cli.Result folder = Ask.run(PLAIN, option, temp);
    assertThat(folder.exitCode()).isEqualTo(1);
    assertThat(folder.err()).contains("is a folder; give the name of a file");
  }

  @Test
  void questionsThatHaveNoPicture() {
    assertThat(Ask.refusal("multilevel --level only,cost=1s,mtbf=1d --svg", temp.resolve("t.svg")))
        .contains("this question has no picture");
  }
}
