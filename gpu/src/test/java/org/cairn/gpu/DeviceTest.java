// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.cairn.device.Devices;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What needs a real device is tested where there is one, and said to be left out elsewhere. */
@Tag("gpu")
class DeviceTest {
  @SeededTest(seeds = 1)
  void aRealDeviceDoesWhatItShould(Random random) {
    Optional<String> absence = new CudaProvider().absence();
    assumeTrue(absence.isEmpty(), () -> "no device is tested: " + absence.orElseThrow());
    List<String> steps = List.of("kernels", "pieces", "host", "errors", "dataset", "foreign");
    assertThat(new SelfTest(new CudaProvider().devices().getFirst(), random).runAll(steps))
        .isTrue();
  }

  /** Where there is no driver, that is one sentence and no error. */
  @Test
  void absenceIsAValue() {
    CudaLibrary none = CudaLibrary.load(Optional.of("/nowhere/libcuda.so.1"));
    assertThat(none.driver()).isNull();
    assertThat(none.problem().orElseThrow())
        .contains("/nowhere/libcuda.so.1 is not found", "-Dcairn.cuda.library");
    assertThat(Devices.providers()).hasAtLeastOneElementOfType(CudaProvider.class);
  }
}
