// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

class SizeConverterTest {
  private final SizeConverter converter = new SizeConverter();

  @Test
  void unitsArePowersOf1024() {
    assertThat(converter.convert("512MiB")).isEqualTo(512L << 20);
    assertThat(converter.convert("16k")).isEqualTo(16 << 10);
    assertThat(converter.convert("4096")).isEqualTo(4096);
    assertThat(converter.convert("2 GB")).isEqualTo(2L << 30);
  }

  @Test
  void nonsenseIsRefused() {
    assertThatThrownBy(() -> converter.convert("lots"))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("'lots' is no size");
  }
}
