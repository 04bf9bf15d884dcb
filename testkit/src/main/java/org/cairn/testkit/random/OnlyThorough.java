// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.random;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A test that is left out on ordinary days: a neighbour looks at the same code then. See {@link
 * Thorough}.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Thorough
@EnabledIfSystemProperty(named = Thorough.PROPERTY, matches = "true")
public @interface OnlyThorough {}
