// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Formats know what locators say, and nothing of each other; what they say knows no format. */
@Tag("slow")
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("org.cairn.pack");

  @Test
  void formatsAreForThemselves() {
    slices()
        .matching("org.cairn.pack.(*)..")
        .should()
        .notDependOnEachOther()
        .ignoreDependency(alwaysTrue(), resideInAPackage("org.cairn.pack.locate"))
        .check(CLASSES);
  }

  @Test
  void whatLocatorsSayKnowsNoFormat() {
    noClasses()
        .that()
        .resideInAPackage("org.cairn.pack.locate")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.cairn.pack.hdf5..",
            "org.cairn.pack.netcdf..",
            "org.cairn.pack.fab..",
            "org.cairn.pack.npy..",
            "org.cairn.pack.raw..")
        .check(CLASSES);
  }
}
