// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Models know neither simulators nor pictures; whoever draws or advises knows them all. */
class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("org.cairn.plan");

  @Test
  void layersDependDownwards() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("answers")
        .definedBy("org.cairn.plan.figure..", "org.cairn.plan.run..")
        .layer("simulator")
        .definedBy("org.cairn.plan.simulate..")
        .layer("models")
        .definedBy(
            "org.cairn.plan.interval..",
            "org.cairn.plan.replication..",
            "org.cairn.plan.multilevel..",
            "org.cairn.plan.differential..",
            "org.cairn.plan.hash..")
        .layer("failures")
        .definedBy("org.cairn.plan.failure..")
        .layer("charts")
        .definedBy("org.cairn.plan.chart..")
        .layer("numeric")
        .definedBy("org.cairn.plan.numeric..")
        .whereLayer("answers")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("simulator")
        .mayOnlyBeAccessedByLayers("answers")
        .whereLayer("models")
        .mayOnlyBeAccessedByLayers("answers")
        .whereLayer("failures")
        .mayOnlyBeAccessedByLayers("answers", "simulator")
        .whereLayer("charts")
        .mayOnlyBeAccessedByLayers("answers")
        .whereLayer("numeric")
        .mayOnlyBeAccessedByLayers("answers", "models")
        .check(CLASSES);
  }

  @Test
  void packagesHaveNoCycles() {
    slices().matching("org.cairn.plan.(*)..").should().beFreeOfCycles().check(CLASSES);
  }
}
