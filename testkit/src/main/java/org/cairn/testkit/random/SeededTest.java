// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.random;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that is run with many seeds. It takes the seed, as {@code long}, or a {@link
 * java.util.Random} made of it:
 *
 * <pre>{@code
 * @SeededTest(seeds = 200)
 * void survivesAnyCrash(long seed) { ... }
 * }</pre>
 *
 * <p>If it takes a value of an enum, too, it is run with each of them.
 *
 * <p>A failure prints its seed with the command that replays it. Which seeds are used is told by
 * system properties, see {@link Seeds}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@TestTemplate
@ExtendWith(SeedExtension.class)
public @interface SeededTest {
  /** How many seeds are tried unless {@code cairn.iterations} says otherwise. */
  int seeds() default 100;
}
