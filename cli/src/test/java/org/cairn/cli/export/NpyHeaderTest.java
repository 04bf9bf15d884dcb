// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NpyHeaderTest {
  @TempDir Path temp;

  @Test
  void shapesArePythonTuples() throws IOException {
    assertThat(read(List.of()).shape()).isEqualTo("()");
    assertThat(read(List.of(5L)).shape()).isEqualTo("(5,)");
    assertThat(read(List.of(2L, 0L, 3L)).shape()).isEqualTo("(2, 0, 3)");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 20, 100, 20_000, 30_000})
  void headsOfAnyLengthEndAtAMultipleOf64(int axes) throws IOException {
    assertThat(read(Collections.nCopies(axes, 1L)).type()).isEqualTo("<f8");
  }

  private Npy read(List<Long> shape) throws IOException {
    return Npy.read(Files.write(temp.resolve("x.npy"), NpyHeader.of("<f8", shape)));
  }
}
