// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TableTest {

  @Test
  void columnsAreAsWideAsTheirContents() {
    Table table = new Table("dataset", ">size").row("u", "8.00 MiB").row("temperature", "8 B");

    assertThat(table)
        .hasToString(
            """
            dataset          size
            ─────────────────────
            u            8.00 MiB
            temperature       8 B
            """);
  }

  @Test
  void aRowNeedsACellForEachColumn() {
    assertThatThrownBy(() -> new Table("a", "b").row("1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 cells for 2 columns");
  }
}
