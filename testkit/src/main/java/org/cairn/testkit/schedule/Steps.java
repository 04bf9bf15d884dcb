// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.schedule;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreLock;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/** Lets another task go on before each call of a store. */
public final class Steps {
  private static final Map<Method, Boolean> IO = new ConcurrentHashMap<>();

  private Steps() {}

  /** The same directories, with a step before each call of their stores. */
  public static Directories of(Directories directories) {
    return new Directories() {
      @Override
      public Store create(String name) throws IOException {
        Supply.step("create " + name);
        return of(directories.create(name));
      }

      @Override
      public Store open(String name) throws IOException {
        Supply.step("open " + name);
        return of(directories.open(name));
      }

      @Override
      public List<String> names() throws IOException {
        Supply.step("names");
        return directories.names();
      }

      @Override
      public String location() {
        return directories.location();
      }
    };
  }

  /** The same store, with a step before each call. */
  public static Store of(Store store) {
    return decorated(Store.class, store);
  }

  private static <T> T decorated(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (isIo(method)) {
                Supply.step(describe(method, arguments));
              }
              try {
                return wrapped(method.invoke(target, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private static String describe(Method method, Object @Nullable [] arguments) {
    return arguments == null || arguments[0] instanceof MemorySegment
        ? method.getName()
        : method.getName() + " " + arguments[0];
  }

  private static boolean isIo(Method method) {
    return IO.computeIfAbsent(
        method, asked -> List.of(asked.getExceptionTypes()).contains(IOException.class));
  }

  private static @Nullable Object wrapped(@Nullable Object result) {
    return switch (result) {
      case StoreFile file -> decorated(StoreFile.class, file);
      case StoreLock lock -> decorated(StoreLock.class, lock);
      case null, default -> result;
    };
  }
}
