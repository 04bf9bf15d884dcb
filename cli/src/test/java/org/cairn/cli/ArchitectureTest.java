// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link Main} knows the commands; no command knows it, or one that knows the command. */
@Tag("slow")
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("org.cairn.cli");

  /** Slices are whole packages: the one of {@link Main} is one of them. */
  @Test
  void packagesHaveNoCycles() {
    slices().matching("org.cairn.(**)").should().beFreeOfCycles().check(CLASSES);
  }
}
