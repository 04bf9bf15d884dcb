// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Traces of other people, and files that are none. */
class TraceReaderInputTest {
  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void choose() {
    file = directory.resolve("mine.csv");
  }

  private Trace read(String text) throws IOException {
    Files.writeString(file, text);
    return TraceReader.read(file).getFirst();
  }

  @Test
  void secondsWithNamedNodes() throws IOException {
    Trace trace = read("time,node\n1e3,n10\n1000.5,n2\n990,n9\n");
    assertThat(trace.name()).isEqualTo("mine");
    assertThat(trace.nodes()).isEqualTo(3);
    assertThat(trace.failures())
        .containsExactly(new Failure(0, 1), new Failure(10, 2), new Failure(10.5, 0));
    assertThat(TraceReader.systems(file)).containsExactly("mine");
    assertThat(TraceReader.read(file, "mine")).isEqualTo(trace);
  }

  @Test
  void nodesMayBeMissing() throws IOException {
    assertThat(read("Time\r5\r7\r").failures())
        .containsExactly(new Failure(0, 0), new Failure(2, 0));
    assertThat(read("node,time\n,5\n,7\n").nodes()).isEqualTo(1);
    assertThat(read("time,node\n5\n7,3\n").nodes()).isEqualTo(2);
    assertThat(read("time,node,nodes\n5,3,8\n7,6,8\n").failures())
        .containsExactly(new Failure(0, 3), new Failure(2, 6));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-01-31T12:00:00",
        "2026-01-31 12:00",
        "2026-01-31T13:00:00+01:00",
        "2026-01-31 12:00:00Z",
        "2026-01-31 05:00:00 -0700",
        "2026-01-31T13:00:00+01:00[Europe/Berlin]"
      })
  void isoDatesInAllDresses(String noon) throws IOException {
    boolean zoned = noon.matches(".*(Z|0700|01:00.*)");
    String before = zoned ? "2026-01-31T11:59:58.5Z" : "2026-01-31T11:59:58.5";
    assertThat(read("time,node\n" + before + ",0\n" + noon + ",1\n").gaps()).containsExactly(1.5);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "time,node#5,a#x7,b | , line 3: \"x7\" is not a number of seconds, as in the rows before",
        "time,node#NaN,a | , line 2: \"NaN\" is neither seconds nor a date such as",
        "time,node#2026-02-30 00:00,a | , line 2: \"2026-02-30 00:00\" is neither seconds nor",
        "time#1e999 | , line 2: \"1e999\" is neither seconds nor a date",
        "time#2026-01-01 00:00#2026-01-01 00:00Z | , line 3: \"2026-01-01 00:00Z\" is not a date",
        "time#2026-01-01 00:00Z#5 | , line 3: \"5\" is not a date such as 2026-01-31T12:00:00Z",
        "node,time#a | , line 2: 1 fields, but at least 2 are needed",
        "time,nodes#1,many | , line 2: \"many\" is not a number of nodes",
        "time,node#1,\"a | , line 2: a quoted field begins here and does not end",
        "time,node## | ' has no failures: only the header is there'",
        "time,node#,a | ' has no failures: no row has a time'",
        "## | ' has blank lines only; a trace begins'",
        "a,b#1,2 | , line 1: needs the columns System, nodes, nodenum and Prob Started",
        "System,Prob Started#1,2 | , line 1: needs the columns System, nodes, nodenum and",
        "System,nodes,nodenum,Prob Started#1,2,3 | , line 2: 3 fields, but at least 4 are needed",
        "System,nodes,nodenum,Prob Started#,2,3,1/1/2001 0:00 | , line 2: no system is named",
      },
      quoteCharacter = '\'')
  void whatIsWrongIsSaid(String text, String expected) {
    assertThatThrownBy(() -> read(text.replace('#', '\n')))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(file + expected);
  }

  @Test
  void filesThatAreNone() throws IOException {
    assertThatThrownBy(() -> TraceReader.read(file)).hasMessage("there is no file " + file);
    assertThatThrownBy(() -> TraceReader.read(directory))
        .hasMessage(directory + " is a directory; give the file of the trace");
    assertThatThrownBy(() -> read("")).hasMessageStartingWith(file + " is empty;");
    assertThatThrownBy(() -> read("time\n1\n\0"))
        .hasMessageStartingWith(file + ", line 3: a zero byte;");
    Files.write(file, "time,node\n1,caf\u00e9\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> TraceReader.read(file))
        .hasMessageStartingWith(file + ", line 2: byte 0xe9, which is not UTF-8;");
    Files.write(file, new byte[] {0x1f, (byte) 0x8b, 8, 0, 1});
    assertThatThrownBy(() -> TraceReader.read(file))
        .hasMessageStartingWith(file + " begins as gzip does, but cannot be unpacked");
  }

  @SeededTest(seeds = 1)
  void garbageIsRefusedWithASentence(Random random) throws IOException {
    for (int i = 0; i < 200; i++) {
      byte[] bytes = new byte[1 + random.nextInt(2000)];
      random.nextBytes(bytes);
      Files.write(file, bytes);
      assertThatThrownBy(() -> TraceReader.read(file))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(file.toString());
    }
  }
}
