// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.random;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/** Runs a {@link SeededTest} once per seed and names the seed of a run that fails. */
final class SeedExtension implements TestTemplateInvocationContextProvider {

  @Override
  public boolean supportsTestTemplate(ExtensionContext context) {
    return context.getRequiredTestMethod().isAnnotationPresent(SeededTest.class);
  }

  @Override
  public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
      ExtensionContext context) {
    Method test = context.getRequiredTestMethod();
    int count = test.getAnnotation(SeededTest.class).seeds();
    List<Optional<Object>> values = values(test);
    return Seeds.more(name(context), count, times(context))
        .boxed()
        .flatMap(seed -> values.stream().map(value -> new Run(seed, value)));
  }

  private static int times(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getRequiredTestMethod(), Thorough.class)
        .or(() -> AnnotationSupport.findAnnotation(context.getRequiredTestClass(), Thorough.class))
        .map(Thorough::times)
        .orElse(1);
  }

  /** The values of an enum that the test takes; one that is none if it takes none. */
  private static List<Optional<Object>> values(Method test) {
    return Stream.of(test.getParameterTypes())
        .filter(Class::isEnum)
        .findFirst()
        .map(type -> Stream.of(type.getEnumConstants()).map(Optional::<Object>of).toList())
        .orElse(List.of(Optional.empty()));
  }

  /** The test as Maven's {@code -Dtest} takes it. */
  private static String name(ExtensionContext context) {
    return context.getRequiredTestClass().getSimpleName()
        + "#"
        + context.getRequiredTestMethod().getName();
  }

  /** Tells how to repeat a failed run; attached to the failure, so that every report shows it. */
  static final class ReplayNote extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ReplayNote(String test, long seed) {
      super("replay with -Dtest=" + test + " -D" + Seeds.SEED + "=" + seed, null, false, false);
    }
  }

  /**
   * One run of a test.
   *
   * @param value of the enum that the test takes, if it takes one
   */
  record Run(long seed, Optional<Object> value)
      implements TestTemplateInvocationContext, ParameterResolver, TestExecutionExceptionHandler {

    @Override
    public String getDisplayName(int invocationIndex) {
      return "[" + invocationIndex + "] seed " + seed + value.map(one -> ", " + one).orElse("");
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
      return List.of(this);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      Class<?> type = parameter.getParameter().getType();
      return type == long.class
          || type == Random.class
          || value.filter(type::isInstance).isPresent();
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      Class<?> type = parameter.getParameter().getType();
      if (type == long.class) {
        return seed;
      }
      return value.filter(type::isInstance).orElseGet(() -> new Random(seed));
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure)
        throws Throwable {
      if (!(failure instanceof TestAbortedException)) {
        ReplayNote note = new ReplayNote(name(context), seed);
        failure.addSuppressed(note);
        System.err.println(name(context) + " failed: " + note.getMessage());
      }
      throw failure;
    }
  }
}
