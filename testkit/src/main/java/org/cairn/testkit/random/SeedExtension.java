// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.random;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
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
    int count = context.getRequiredTestMethod().getAnnotation(SeededTest.class).seeds();
    return Seeds.of(name(context), count).mapToObj(Run::new);
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

  record Run(long seed)
      implements TestTemplateInvocationContext, ParameterResolver, TestExecutionExceptionHandler {

    @Override
    public String getDisplayName(int invocationIndex) {
      return "[" + invocationIndex + "] seed " + seed;
    }

    @Override
    public List<Extension> getAdditionalExtensions() {
      return List.of(this);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      Class<?> type = parameter.getParameter().getType();
      return type == long.class || type == Random.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == long.class ? (Object) seed : new Random(seed);
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
