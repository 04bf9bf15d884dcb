// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import org.cairn.comm.CommunicatorProvider;
import org.cairn.testkit.module.Modules;
import org.junit.jupiter.api.Test;

/** What this module says of itself; programs that are modules are tried in {@code trials}. */
class ModuleTest {

  /** Nobody names the transport; who could, would depend on it. */
  @Test
  void nothingIsExported() {
    assertThat(Modules.descriptor(MpiProvider.class).exports()).isEmpty();
  }

  @Test
  void theProviderIsTheSameOnBothPaths() throws IOException {
    ModuleDescriptor mpi = Modules.descriptor(MpiProvider.class);
    String service = CommunicatorProvider.class.getName();
    assertThat(Modules.providers(mpi, CommunicatorProvider.class))
        .isEqualTo(Files.readAllLines(Path.of("src/main/resources/META-INF/services", service)));
  }
}
