// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** docs/api.md lists what a program can come across: no less, and no more. */
@Tag("slow")
class ApiListTest {
  private static final Path LIST = Path.of("../docs/api.md");
  private static final Pattern ROW = Pattern.compile("\\| `(org\\.cairn\\.[\\w.]+)` \\| \\S.* \\|");

  /** What the module mesh has; a test of its own looks after that. */
  private static final String MESH = "org.cairn.mesh.";

  /** What a program starts with, and the module doors. */
  private static final Set<String> BEGINNINGS =
      Set.of(
          "org.cairn", "org.cairn.clock", "org.cairn.comm", "org.cairn.store", "org.cairn.supply");

  @Test
  void theListIsWhatThereIs() throws IOException {
    Set<String> listed = new TreeSet<>();
    for (String line : Files.readAllLines(LIST)) {
      Matcher row = ROW.matcher(line);
      if (row.matches() && !row.group(1).startsWith(MESH)) {
        assertThat(listed.add(row.group(1))).as("%s is listed once", row.group(1)).isTrue();
      }
    }
    assertThat(listed)
        .as("docs/api.md, one line for each type: | `org.cairn.Type` | what it is |")
        .isEqualTo(new Reachable().names());
  }

  /** The types that a program can get hold of without a cast. */
  private static final class Reachable {
    private final Set<Class<?>> found = new HashSet<>();
    private final Deque<Class<?>> unvisited = new ArrayDeque<>();

    /** Those inside of others go with them. */
    Set<String> names() {
      ArchitectureTest.CLASSES.stream()
          .map(JavaClass::reflect)
          .filter(Reachable::isBeginning)
          .forEach(this::add);
      while (!unvisited.isEmpty()) {
        visit(unvisited.remove());
      }
      return found.stream()
          .filter(type -> !found.contains(type.getEnclosingClass()))
          .map(Class::getCanonicalName)
          .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean isBeginning(Class<?> type) {
      return BEGINNINGS.contains(type.getPackageName())
          || Throwable.class.isAssignableFrom(type)
          || type.isAnnotation();
    }

    private static boolean isPublic(Class<?> type) {
      return Modifier.isPublic(type.getModifiers())
          && (type.getEnclosingClass() == null || isPublic(type.getEnclosingClass()));
    }

    private void add(Type type) {
      switch (type) {
        case Class<?> known when known.isArray() -> add(known.getComponentType());
        case Class<?> known -> addClass(known);
        case ParameterizedType known -> {
          add(known.getRawType());
          addAll(known.getActualTypeArguments());
        }
        case GenericArrayType known -> add(known.getGenericComponentType());
        case WildcardType known -> {
          addAll(known.getUpperBounds());
          addAll(known.getLowerBounds());
        }
        case TypeVariable<?> _ -> {}
        default -> throw new AssertionError(type);
      }
    }

    private void addAll(Type... types) {
      Stream.of(types).forEach(this::add);
    }

    private void addClass(Class<?> type) {
      if (type.getName().startsWith("org.cairn.") && isPublic(type) && found.add(type)) {
        unvisited.add(type);
      }
    }

    private void visit(Class<?> type) {
      addAll(type.getDeclaredClasses());
      addAll(type.getGenericInterfaces());
      if (type.getGenericSuperclass() != null) {
        add(type.getGenericSuperclass());
      }
      if (type.isSealed()) {
        addAll(type.getPermittedSubclasses());
      }
      for (Method method : type.getDeclaredMethods()) {
        if (isOpen(method)) {
          add(method.getGenericReturnType());
          addParts(method);
        }
      }
      for (Constructor<?> constructor : type.getDeclaredConstructors()) {
        if (isOpen(constructor)) {
          addParts(constructor);
        }
      }
      for (Field field : type.getDeclaredFields()) {
        if (isOpen(field)) {
          add(field.getGenericType());
        }
      }
    }

    private static boolean isOpen(Member member) {
      return Modifier.isPublic(member.getModifiers())
          || Modifier.isProtected(member.getModifiers());
    }

    private void addParts(Executable part) {
      addAll(part.getGenericParameterTypes());
      addAll(part.getGenericExceptionTypes());
    }
  }
}
