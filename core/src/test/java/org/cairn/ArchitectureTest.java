// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import org.cairn.supply.Supply;
import org.junit.jupiter.api.Test;

/** Arrows between packages point downwards. */
class ArchitectureTest {
  static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(
              place ->
                  place.contains(home(Checkpointer.class)) || place.contains(home(Supply.class)))
          .importPackages("org.cairn");

  /** Where the classes of a module are, of which this is one: its tests are elsewhere. */
  private static String home(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation().getPath();
  }

  /** The packages of the module doors. */
  private static final String[] DOORS = {
    "org.cairn.clock..", "org.cairn.comm..", "org.cairn.store..", "org.cairn.supply.."
  };

  @Test
  void doorsNeedNothingButTheJdk() {
    classes()
        .that()
        .resideInAnyPackage(DOORS)
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(DOORS).or(resideInAnyPackage("java..", "org.jspecify.annotations")))
        .check(CLASSES);
  }

  /**
   * A program finds all it needs in one package, which therefore has two shelves: the doors through
   * which it enters, above everything; and values, exceptions and datasets, which those below use
   * too.
   */
  private static final Set<String> ENTRANCES =
      Set.of(
          "Checkpointer",
          "Checkpoint",
          "CheckpointBuilder",
          "Checkpoints",
          "Conversion",
          "Options",
          "SavedArray",
          "SavedDataset",
          "SavedState",
          "SavedVersion");

  private static boolean isEntrance(JavaClass type) {
    JavaClass outer = type;
    while (outer.getEnclosingClass().isPresent()) {
      outer = outer.getEnclosingClass().get();
    }
    return outer.getPackageName().equals("org.cairn")
        && (ENTRANCES.contains(outer.getSimpleName())
            || !outer.getModifiers().contains(JavaModifier.PUBLIC));
  }

  private static final DescribedPredicate<JavaClass> AN_ENTRANCE =
      DescribedPredicate.describe("is an entrance", ArchitectureTest::isEntrance);

  @Test
  void layersDependDownwards() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("entrances")
        .definedBy(AN_ENTRANCE)
        .layer("job")
        .definedBy("org.cairn.job..")
        .layer("use")
        .definedBy("org.cairn.checkpoint..", "org.cairn.restart..")
        .layer("tier")
        .definedBy("org.cairn.tier..")
        .layer("track")
        .definedBy("org.cairn.track..")
        .layer("dataset")
        .definedBy("org.cairn.dataset..")
        .layer("container")
        .definedBy("org.cairn.container..")
        .layer("version")
        .definedBy("org.cairn.version..")
        .layer("frame")
        .definedBy("org.cairn.frame..", "org.cairn.transform..")
        .layer("ground")
        .definedBy(
            "org.cairn.codec..",
            "org.cairn.device..",
            "org.cairn.division..",
            "org.cairn.erasure..",
            "org.cairn.hash..",
            "org.cairn.work..")
        .layer("watch")
        .definedBy("org.cairn.watch..")
        .layer("doors")
        .definedBy(DOORS)
        .layer("event")
        .definedBy("org.cairn.event..")
        .whereLayer("entrances")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("job")
        .mayOnlyBeAccessedByLayers("entrances")
        .whereLayer("use")
        .mayOnlyBeAccessedByLayers("entrances", "job")
        .whereLayer("tier")
        .mayOnlyBeAccessedByLayers("entrances", "job")
        .whereLayer("watch")
        .mayOnlyBeAccessedByLayers("entrances", "job", "tier")
        .whereLayer("track")
        .mayOnlyBeAccessedByLayers("entrances", "use")
        .whereLayer("dataset")
        .mayOnlyBeAccessedByLayers("entrances", "use")
        .whereLayer("container")
        .mayOnlyBeAccessedByLayers("entrances", "job", "use", "tier", "dataset")
        .whereLayer("frame")
        .mayOnlyBeAccessedByLayers("entrances", "tier")
        .whereLayer("frame")
        .mayOnlyAccessLayers("ground", "doors")
        .whereLayer("version")
        .mayOnlyAccessLayers("ground", "doors")
        .whereLayer("event")
        .mayOnlyBeAccessedByLayers("entrances")
        .check(CLASSES);
  }

  @Test
  void packagesHaveNoCycles() {
    slices().assignedFrom(new Rooms()).should().beFreeOfCycles().check(CLASSES);
  }

  /** Packages; all entrances together; and each value for itself, since many rooms share them. */
  private static final class Rooms implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      String name = type.getPackageName();
      if (isEntrance(type)) {
        return SliceIdentifier.of("entrances");
      } else if (name.equals("org.cairn")) {
        return SliceIdentifier.of(type.getName().replaceFirst("\\$.*", ""));
      }
      return name.startsWith("org.cairn.")
          ? SliceIdentifier.of(name.split("\\.")[2])
          : SliceIdentifier.ignore();
    }

    @Override
    public String getDescription() {
      return "rooms";
    }
  }

  /** A kind of tier comes through {@link org.cairn.tier.TierType}. */
  @Test
  void jobsKnowNoKindOfTier() {
    noClasses()
        .that()
        .resideInAnyPackage("org.cairn.job..", "org.cairn.checkpoint..", "org.cairn.restart..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.cairn.tier.*..")
        .check(CLASSES);
  }

  @Test
  void filesAreReachedThroughTheStoreOnly() {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            "org.cairn.store..",
            "org.cairn.supply..", // what the kernel says in files
            "org.cairn.codec..",
            "org.cairn.track..",
            "org.cairn")
        .should()
        .dependOnClassesThat()
        .haveNameMatching(
            "java\\.nio\\.file\\.(Files|Path|Paths)|java\\.nio\\.channels\\.FileChannel")
        .check(CLASSES);
  }

  @Test
  void memoryAndThreadsComeFromOnePlace() {
    noClasses()
        .that()
        .resideOutsideOfPackage("org.cairn.supply..")
        .should()
        .callMethod(Arena.class, "ofShared")
        .orShould()
        .callMethod(Arena.class, "ofConfined")
        .orShould()
        .callMethod(Arena.class, "ofAuto")
        .orShould()
        .callConstructor(Thread.class, Runnable.class, String.class)
        .orShould()
        .callMethod(Executors.class, "newSingleThreadExecutor") // Supply.oneThread says why
        .orShould()
        .callMethod(Executors.class, "newSingleThreadExecutor", ThreadFactory.class)
        .check(CLASSES);
  }

  /** A simulation has a time of its own: who waits for a while has to ask it. */
  @Test
  void waitsThatEndByThemselvesComeFromOnePlace() {
    noClasses()
        .that()
        .resideOutsideOfPackages("org.cairn.supply..", "org.cairn.clock..")
        .and()
        .doNotHaveSimpleName("LastWords") // it runs when the process ends
        .should()
        .callMethodWhere(isTimedWait())
        .check(CLASSES);
  }

  private static DescribedPredicate<JavaMethodCall> isTimedWait() {
    Set<String> times = Set.of(long.class.getName(), Duration.class.getName());
    Set<String> waits = Set.of("sleep", "join", "wait", "get", "poll", "parkNanos", "parkUntil");
    return DescribedPredicate.describe(
        "is a wait of the JDK that ends by itself",
        call ->
            call.getTargetOwner().getPackageName().matches("java\\.(lang|util\\.concurrent.*)")
                && (waits.contains(call.getName()) || call.getName().startsWith("await"))
                && call.getTarget().getRawParameterTypes().stream()
                    .anyMatch(type -> times.contains(type.getName())));
  }
}
