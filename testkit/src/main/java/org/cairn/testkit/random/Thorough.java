// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.random;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * A test of which there is more where there is time. On ordinary days it tries a part; with {@code
 * -Dcairn.thorough=true}, in the profile {@code kills}, all of it, and that profile runs nothing
 * but what says so here. So whoever asks for {@link #PROPERTY} says {@code @Thorough}, and {@code
 * ThoroughRuleTest} finds who does not.
 *
 * <pre>{@code
 * @SeededTest(seeds = 20)
 * @Thorough(times = 8)
 * void survivesAnyCrash(long seed) { ... } // with 8 seeds, or with 160
 * }</pre>
 *
 * <p>A class says it for all of its tests; a test, for itself.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Tag(Thorough.TAG)
public @interface Thorough {
  /** What the profile chooses tests by. */
  String TAG = "thorough";

  /** The property that says that there is time. */
  String PROPERTY = "cairn.thorough";

  /** How many times as many seeds a {@link SeededTest} has then. */
  int times() default 1;
}
