// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.run;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a class starts, as {@code java} sees it: {@code main} with or without arguments, static or
 * of an instance, in the class or above it, of any access but private.
 */
record MainMethod(Method method) {

  /** Finds it; {@code java} too prefers the one that takes arguments. */
  static MainMethod of(Class<?> program) throws NoSuchMethodException {
    Method found = find(program, String[].class);
    if (found == null) {
      found = find(program);
    }
    if (found == null) {
      throw new NoSuchMethodException(program.getName() + ".main");
    }
    found.setAccessible(true);
    return new MainMethod(found);
  }

  private static @Nullable Method find(Class<?> program, Class<?>... parameters) {
    for (Class<?> type = program; type != null; type = type.getSuperclass()) {
      try {
        Method main = type.getDeclaredMethod("main", parameters);
        if (!Modifier.isPrivate(main.getModifiers()) && main.getReturnType() == void.class) {
          return main;
        }
      } catch (NoSuchMethodException e) {
        // Perhaps above.
      }
    }
    return null;
  }

  /** Runs it in this thread; what the program throws is thrown. */
  void run(Class<?> program, List<String> arguments) throws Exception {
    Object[] given =
        method.getParameterCount() == 0
            ? new Object[0]
            : new Object[] {arguments.toArray(String[]::new)};
    try {
      method.invoke(instance(program), given);
    } catch (InvocationTargetException e) {
      switch (e.getCause()) {
        case Exception cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw e;
      }
    }
  }

  private @Nullable Object instance(Class<?> program) throws ReflectiveOperationException {
    if (Modifier.isStatic(method.getModifiers())) {
      return null;
    }
    Constructor<?> constructor = program.getDeclaredConstructor();
    constructor.setAccessible(true);
    return constructor.newInstance();
  }
}
