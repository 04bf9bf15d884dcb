// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Where recorded failures lie. */
final class Lanl {
  private static final String WHOLE = "LA-UR-05-7318-failure-data-1996-2005.csv";

  private Lanl() {}

  /** Systems 18 and 20; always there. */
  static Path excerpt() {
    return resource("lanl-18-20.csv.gz");
  }

  static Path resource(String name) {
    try {
      return Path.of(Objects.requireNonNull(Lanl.class.getResource(name), name).toURI());
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  /** All systems; without it the test shows as skipped. */
  static Path whole() {
    Path file = Path.of(System.getProperty("cairn.traces", "../../shared/reference/traces"), WHOLE);
    assumeTrue(Files.exists(file), () -> file + " is not there; set -Dcairn.traces=DIRECTORY");
    return file;
  }
}
