// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodHandles.Lookup.ClassOption;
import java.lang.invoke.MethodType;
import java.lang.invoke.SerializedLambda;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.cairn.mesh.kernel.Kernel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes loops of kernels, one for each class of kernels and each purpose; every lambda in a program
 * is a class.
 *
 * <p>A loop is woven: the body of the lambda is part of it. Where that cannot be done its twin is
 * taken, a loop of its own too, which calls the kernel for each point, and the log says so once.
 * Both do the same in the same order. The property {@value #WEAVE} set to {@code false} makes all
 * loops twins.
 */
public final class Loops {
  /** The property that decides whether loops are woven. */
  public static final String WEAVE = "cairn.mesh.weave";

  private static final Logger LOG = LoggerFactory.getLogger("org.cairn.mesh");

  /** Methods of this many bytes of code are never compiled (HugeMethodLimit). */
  private static final int TOO_LARGE = 8000;

  private static final ClassValue<OfClass> LOOPS =
      new ClassValue<>() {
        @Override
        protected OfClass computeValue(Class<?> type) {
          return new OfClass();
        }
      };

  private Loops() {}

  /** What is known of a class of kernels. */
  private static final class OfClass {
    private final Map<Purpose, Loop> loops = new ConcurrentHashMap<>();
    private volatile @Nullable String description;
  }

  /**
   * The loop for a kernel and all others of its class.
   *
   * @param name the loop's name, for the log
   * @throws IllegalArgumentException if a kernel of its kind cannot serve the purpose
   */
  public static Loop of(Kernel kernel, String name, Purpose purpose) {
    Map<Purpose, Loop> loops = LOOPS.get(kernel.getClass()).loops;
    Loop known = loops.get(purpose);
    if (known != null) {
      return known;
    }
    // Threads may do so at the same time. One of the loops is taken by all.
    Made made = make(kernel, purpose);
    Loop other = loops.putIfAbsent(purpose, made.loop);
    if (other != null) {
      return other;
    }
    if (made.whyNotWoven != null) {
      LOG.info(
          "loop \"{}\" is slower than it could be, it calls its kernel for each point: {}",
          name,
          made.whyNotWoven);
    }
    return made.loop;
  }

  private record Made(Loop loop, @Nullable String whyNotWoven) {}

  private static Made make(Kernel kernel, Purpose purpose) {
    if (!Boolean.parseBoolean(System.getProperty(WEAVE, "true"))) {
      return new Made(twin(kernel, purpose), "property " + WEAVE + " is false");
    }
    try {
      return new Made(woven(kernel, purpose), null);
    } catch (NotWovenException e) {
      return new Made(twin(kernel, purpose), e.getMessage());
    }
  }

  /**
   * A new loop that calls its kernel, even where it could be woven: for tests and measurements.
   *
   * @throws IllegalArgumentException if a kernel of its kind cannot serve the purpose
   */
  public static Loop twin(Kernel kernel, Purpose purpose) {
    Form form = Form.of(kernel);
    Lookup here = MethodHandles.lookup();
    String name = Loops.class.getPackageName() + ".Twin";
    byte[] classFile = Weaver.twin(Template.of(form, purpose), form, name);
    try {
      return instance(here.defineHiddenClass(classFile, true));
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * A new loop that contains its kernel.
   *
   * @throws NotWovenException if that cannot be done
   */
  static Loop woven(Kernel kernel, Purpose purpose) throws NotWovenException {
    Form form = Form.of(kernel);
    Template template = Template.of(form, purpose);
    LambdaBody body = LambdaBody.of(kernel, form, Unveiled.lambda(kernel));
    try {
      byte[] classFile =
          Weaver.woven(template, form, body, body.host().lookupClass().getName() + "$Woven");
      checkSize(classFile);
      Lookup loop =
          body.host()
              .defineHiddenClassWithClassData(
                  classFile, body.getters(), true, ClassOption.NESTMATE);
      Access.check(loop, body.code());
      return instance(loop);
    } catch (IllegalAccessException | IllegalArgumentException | LinkageError e) {
      throw new NotWovenException("its kernel cannot be copied: " + firstLine(e), e);
    }
  }

  /** What the JVM says of code that it refuses goes on for pages. */
  private static String firstLine(Throwable e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  private static void checkSize(byte[] classFile) throws NotWovenException {
    for (MethodModel method : ClassFile.of().parse(classFile).methods()) {
      int bytes = method.code().map(code -> ((CodeAttribute) code).codeLength()).orElse(0);
      if (bytes >= TOO_LARGE) {
        throw new NotWovenException(
            "with its kernel it would have %,d bytes of code, and the JVM compiles no more than %,d"
                .formatted(bytes, TOO_LARGE));
      }
    }
  }

  private static Loop instance(Lookup type) {
    try {
      return (Loop)
          type.findConstructor(type.lookupClass(), MethodType.methodType(void.class)).invoke();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Names a kernel in a way that is the same in another JVM: the class and method that implement a
   * lambda, {@code org.app.Main.lambda$run$2}; the class of other kernels.
   */
  public static String describe(Kernel kernel) {
    OfClass known = LOOPS.get(kernel.getClass());
    String description = known.description;
    if (description == null) {
      SerializedLambda lambda = Unveiled.lambda(kernel);
      description =
          lambda == null
              ? kernel.getClass().getName()
              : lambda.getImplClass().replace('/', '.') + "." + lambda.getImplMethodName();
      known.description = description;
    }
    return description;
  }

  /**
   * Says what a lambda does, in a number that is the same in another JVM and after another
   * compilation of the same source; 0 of other kernels, and where it cannot be read.
   */
  public static long digest(Kernel kernel) {
    SerializedLambda lambda = Unveiled.lambda(kernel);
    if (lambda == null) {
      return 0;
    }
    try {
      return BodyDigest.of(LambdaBody.codeOf(kernel, lambda));
    } catch (NotWovenException e) {
      return 0;
    }
  }

  /**
   * What a lambda changes beside what it has captured by itself: variables of its object or of a
   * class, and arrays that these have; empty also of kernels that cannot be looked into.
   */
  public static Optional<String> changedOutside(Kernel kernel) {
    SerializedLambda lambda = Unveiled.lambda(kernel);
    if (lambda == null) {
      return Optional.empty();
    }
    try {
      return Outside.changedBy(LambdaBody.codeOf(kernel, lambda), lambda.getImplClass());
    } catch (NotWovenException e) {
      return Optional.empty();
    }
  }

  /** The values that a lambda captured, those of primitive types boxed; none for other kernels. */
  public static @Nullable Object[] captured(Kernel kernel) {
    SerializedLambda lambda = Unveiled.lambda(kernel);
    if (lambda == null) {
      return new Object[0];
    }
    @Nullable Object[] captured = new Object[lambda.getCapturedArgCount()];
    for (int n = 0; n < captured.length; n++) {
      captured[n] = lambda.getCapturedArg(n);
    }
    return captured;
  }
}
