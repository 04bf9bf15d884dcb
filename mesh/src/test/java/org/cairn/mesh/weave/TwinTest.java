// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.ModuleAttribute;
import java.lang.constant.ModuleDesc;
import java.lang.constant.PackageDesc;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.cairn.mesh.kernel.Kernel;
import org.cairn.mesh.kernel.Point;
import org.cairn.mesh.kernel.Totals;
import org.cairn.mesh.kernel.Value;
import org.cairn.mesh.weave.parent.Parent;
import org.cairn.mesh.weave.program.Fives;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kernels that are not woven, and what is said of them. */
class TwinTest {
  private static final Span SPAN = Span.line(0, 10, 0);

  @Test
  void aMethodReferenceIsCalled() {
    double[] u = new double[10];
    Ones ones = new Ones(u);
    assertTwin(ones::set, "a reference to the method " + Ones.class.getName() + ".set;");
    assertThat(u).containsOnly(1);
    assertTwin((Value) Math::abs, Purpose.SUM, "a reference to the method java.lang.Math.abs;");
    assertTwin(TwinTest::nothing, "a reference to the method " + TwinTest.class.getName());
  }

  private static void nothing(int k) {}

  private record Ones(double[] u) {
    void set(int k) {
      u[k] = 1;
    }
  }

  @Test
  @SuppressWarnings("UnnecessaryAnonymousClass")
  void aClassIsCalled() {
    double[] u = new double[10];
    Point anonymous =
        new Point() {
          @Override
          public void at(int k) {
            u[k] = 1;
          }
        };
    assertTwin(anonymous, "no lambda but a " + TwinTest.class.getName() + "$");
    assertThat(u).containsOnly(1);
    assertThat(Loops.describe(anonymous)).isEqualTo(anonymous.getClass().getName());
    assertThat(Loops.captured(anonymous)).isEmpty();
  }

  @Test
  void whatOnlySubclassesMayUseIsCalled() {
    Child child = new Child();
    assertTwin(child.protectedField(), "Child.protectedField, which");
    assertTwin(child.protectedMethod(), "Child.protectedMethod, which");
    assertTwin(child.superMethod(), "it calls publicMethod of a parent class");
    assertThat(child.sum()).isEqualTo(10 + 20 + 30);
  }

  private static final class Child extends Parent {
    Point protectedField() {
      return k -> protectedField += 1;
    }

    Point protectedMethod() {
      return k -> protectedMethod(2);
    }

    Point superMethod() {
      return k -> super.publicMethod(3);
    }

    double sum() {
      return protectedField;
    }
  }

  @Test
  void aBodyThatWouldNotBeCompiledIsCalled() {
    double[] u = new double[10];
    assertTwin(TooLarge.kernel(u), "bytes of code, and the JVM compiles no more than 8,000");
  }

  @Test
  void aClassWithoutItsFileIsCalled() throws Exception {
    double[] u = new double[10];
    Class<?> type = new WithoutFiles().loadClass(Fives.class.getName());
    Object kernels = type.getConstructor(double[].class).newInstance(u);
    Point kernel = (Point) ((Supplier<?>) kernels).get();
    assertTwin(kernel, "the class file of " + Fives.class.getName() + " is not there");
    assertThat(u).containsOnly(5);
  }

  /** Loads one class once more, and does not tell from where. */
  private static final class WithoutFiles extends ClassLoader {
    WithoutFiles() {
      super(TwinTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.equals(Fives.class.getName())) {
        return super.loadClass(name, resolve);
      }
      byte[] file = classFile();
      return defineClass(name, file, 0, file.length);
    }

    @Override
    public @Nullable URL getResource(String name) {
      return null;
    }
  }

  private static byte[] classFile() {
    String file = "/" + Fives.class.getName().replace('.', '/') + ".class";
    try (InputStream in = TwinTest.class.getResourceAsStream(file)) {
      return Objects.requireNonNull(in).readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void weavingCanBeSwitchedOff() {
    System.setProperty(Loops.WEAVE, "false");
    try {
      assertTwin((Point) k -> {}, "property cairn.mesh.weave is false");
    } finally {
      System.clearProperty(Loops.WEAVE);
    }
  }

  @Test
  void aKernelOfAnOpenModuleIsWoven(@TempDir Path directory) throws Exception {
    double[] u = new double[10];
    Kernel kernel = inModule(directory, true, u);
    assertThat(kernel.getClass().getModule().getName()).isEqualTo("program");
    Loop loop = Loops.of(kernel, "modular", Purpose.EACH);
    loop.run("modular", kernel, SPAN, Totals.none());
    assertThat(loop.isWoven()).isTrue();
    assertThat(u).containsOnly(5);
    // What gave access to the class is there when another kernel needs it.
    assertThat(Both.woven(kernel, Purpose.EACH)).isNotSameAs(loop);
  }

  @Test
  void aKernelOfAClosedModuleIsCalledAndStillHasItsName(@TempDir Path directory) throws Exception {
    double[] u = new double[10];
    Kernel kernel = inModule(directory, false, u);
    assertTwin(
        kernel,
        Purpose.EACH,
        "module program does not open package org.cairn.mesh.weave.program to ");
    assertThat(u).containsOnly(5);
    assertThat(Loops.describe(kernel)).startsWith(Fives.class.getName() + ".lambda$");
    assertThat(Loops.captured(kernel)).containsExactly(u, 5.0);
  }

  /** A kernel of a class that is loaded once more, as part of a module. */
  private static Kernel inModule(Path directory, boolean open, double[] u) throws Exception {
    writeModule(directory, open);
    Configuration configuration =
        ModuleLayer.boot()
            .configuration()
            .resolve(ModuleFinder.of(directory), ModuleFinder.of(), Set.of("program"));
    ModuleLayer.Controller controller =
        ModuleLayer.defineModulesWithOneLoader(
            configuration, List.of(ModuleLayer.boot()), TwinTest.class.getClassLoader());
    Module module = controller.layer().findModule("program").orElseThrow();
    controller.addReads(module, Kernel.class.getModule());
    Class<?> type = controller.layer().findLoader("program").loadClass(Fives.class.getName());
    Object kernels = type.getConstructor(double[].class).newInstance(u);
    return (Kernel) ((Supplier<?>) kernels).get();
  }

  private static void writeModule(Path directory, boolean open) throws IOException {
    byte[] descriptor =
        ClassFile.of()
            .buildModule(
                ModuleAttribute.of(
                    ModuleDesc.of("program"),
                    module ->
                        module
                            .moduleFlags(open ? ClassFile.ACC_OPEN : 0)
                            .requires(ModuleDesc.of("java.base"), ClassFile.ACC_MANDATED, null)
                            .exports(PackageDesc.of(Fives.class.getPackageName()), 0)));
    Files.write(directory.resolve("module-info.class"), descriptor);
    Path folder = directory.resolve(Fives.class.getPackageName().replace('.', '/'));
    Files.createDirectories(folder);
    Files.write(folder.resolve("Fives.class"), classFile());
  }

  private static void assertTwin(Point kernel, String reason) {
    assertTwin(kernel, Purpose.EACH, reason);
  }

  private static void assertTwin(Kernel kernel, Purpose purpose, String reason) {
    try (LogLines log = new LogLines()) {
      for (int time = 0; time < 2; time++) {
        Loop loop = Loops.of(kernel, "slow", purpose);
        assertThat(loop.isWoven()).isFalse();
        if (time == 0) {
          loop.run("slow", kernel, SPAN, Totals.of(1, 1, 1));
        }
      }
      assertThat(log.with("loop \"slow\" is slower than it could be")).hasSize(1);
      assertThat(log.with("")).hasSize(1).first().asString().contains(reason);
    }
  }
}
