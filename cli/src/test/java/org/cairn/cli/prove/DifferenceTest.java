// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DifferenceTest {
  @TempDir Path temp;

  private Difference difference(byte[] expected, byte[] found) throws IOException {
    Path a = Files.write(temp.resolve("a"), expected);
    Path b = Files.write(temp.resolve("b"), found);
    return Difference.of("u", a, b).orElseThrow();
  }

  @Test
  void whatIsTheSameIsTheSame() throws IOException {
    Path a = Files.createDirectory(temp.resolve("x"));
    Path b = Files.createDirectory(temp.resolve("y"));
    Files.writeString(a.resolve("r"), "1");
    Files.writeString(b.resolve("r"), "1");
    List<Path> results = List.of(Path.of("r"));
    assertThat(Difference.first(results, a, b)).isEmpty();

    Files.delete(b.resolve("r"));
    assertThat(Difference.first(results, a, b).orElseThrow().what()).contains("not written");
  }

  @Test
  void textIsToldByItsLine() throws IOException {
    Difference difference =
        difference(
            "one\ntwo\nthree\n".getBytes(ISO_8859_1), "one\ntwo\ntree\n".getBytes(ISO_8859_1));

    assertThat(difference.offset()).isEqualTo(9);
    assertThat(difference.inWords())
        .isEqualTo("u differs from byte 9 on: line 3 is \"tree\", undisturbed \"three\"");
  }

  @Test
  void bytesAreToldAsBytes() throws IOException {
    Difference difference = difference(new byte[] {0, 1, 2}, new byte[] {0, 1, 3});

    assertThat(difference.what()).isEqualTo("byte 0x03, undisturbed 0x02");
  }

  @Test
  void aShortFileIsTold() throws IOException {
    Difference difference = difference(new byte[] {0, 1, 2}, new byte[] {0, 1});

    assertThat(difference.offset()).isEqualTo(2);
    assertThat(difference.what()).isEqualTo("it ends after 2 bytes, the undisturbed one after 3");
  }

  @Test
  void anArrayIsToldByItsElement() throws IOException {
    Difference rows = difference(npy(false, 1, 2, 3, 4, 5, 6), npy(false, 1, 2, 3, 4, 5, 7.5));
    Difference columns = difference(npy(true, 1, 2, 3, 4, 5, 6), npy(true, 1, 2, 3, 4, 9, 6));

    assertThat(rows.what()).isEqualTo("element [1][2] is 7.5, undisturbed 6.0");
    assertThat(columns.what()).isEqualTo("element [0][2] is 9.0, undisturbed 5.0");
  }

  private static byte[] npy(boolean fortran, double... elements) throws IOException {
    String head =
        "{'descr': '<f8', 'fortran_order': %s, 'shape': (2, 3), }\n"
            .formatted(fortran ? "True" : "False");
    ByteBuffer body = ByteBuffer.allocate(elements.length * 8).order(ByteOrder.LITTLE_ENDIAN);
    body.asDoubleBuffer().put(elements);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (byte) head.length(), 0});
    all.write(head.getBytes(ISO_8859_1));
    all.write(body.array());
    return all.toByteArray();
  }
}
