// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.random;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * Of an enum whose values take turns: where a test would do almost the same with each of them, one
 * is enough for every day, and its neighbours take the others.
 *
 * <pre>{@code
 * @ParameterizedTest
 * @Turn(1)
 * void aStoppedRankIsMissed(Launcher launcher) { ... }
 * }</pre>
 *
 * <p>All values are tried where there is time, see {@link Thorough}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Thorough
@ArgumentsSource(TurnProvider.class)
public @interface Turn {
  /** The number of the value that is tried always, round and round. */
  int value();
}
