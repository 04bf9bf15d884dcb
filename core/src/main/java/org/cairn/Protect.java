// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a field as part of the state; see {@code Checkpointer.protectObject}. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Protect {
  /** The name under which the field is saved; its own name if empty. */
  String value() default "";
}
