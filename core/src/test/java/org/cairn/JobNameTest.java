// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class JobNameTest {
  @Test
  void whatIsGivenCountsMoreThanTheIndexOfATask() {
    assertThat(JobName.of(Map.of("CAIRN_JOB", "plate-7", "SLURM_ARRAY_TASK_ID", "3")))
        .isEqualTo("plate-7");
    assertThat(JobName.of(Map.of("SLURM_ARRAY_TASK_ID", "3"))).isEqualTo("3");
    assertThat(JobName.of(Map.of("PBS_ARRAY_INDEX", "12"))).isEqualTo("12");
  }

  @Test
  void aBatchSystemWithoutAnArrayNamesNothing() {
    assertThat(JobName.of(Map.of())).isEmpty();
    assertThat(JobName.of(Map.of("SGE_TASK_ID", "undefined"))).isEmpty();
    assertThat(JobName.of(Map.of("LSB_JOBINDEX", "0"))).isEmpty();
    assertThat(JobName.of(Map.of("LSB_JOBINDEX", "4"))).isEqualTo("4");
  }

  @Test
  void aNameThatCannotBePartOfAFileIsRefused() {
    assertThatThrownBy(() -> JobName.of(Map.of("CAIRN_JOB", "../plate")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("CAIRN_JOB", "../plate");
  }
}
