// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.util.EnumSet;
import java.util.Set;
import org.cairn.mesh.kernel.Row;

/**
 * The loops over rows and points that kernels are put into.
 *
 * <p>A template is a class with one method {@link Loop#run}, and in it one call of the kernel. When
 * that call is made nothing but its arguments may be on the stack, because an exception that a
 * kernel catches clears it: so a value is first given to a variable. A template uses only public
 * types, because its copies are classes of other packages, and never names itself.
 */
enum Template {
  EACH(EachTemplate.class),
  ROWS(RowTemplate.class),
  SUM(SumTemplate.class),
  MIN(MinTemplate.class),
  MAX(MaxTemplate.class),
  SEVERAL(SeveralTemplate.class);

  @SuppressWarnings("ImmutableEnumChecker") // nobody changes it
  private final byte[] classFile;

  Template(Class<? extends Loop> type) {
    this.classFile = read(type);
  }

  private static byte[] read(Class<?> type) {
    try (InputStream in = type.getResourceAsStream(type.getSimpleName() + ".class")) {
      if (in == null) {
        throw new IllegalStateException("the class file of " + type.getName() + " is not there");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The template for a purpose.
   *
   * @throws IllegalArgumentException if kernels of that form cannot serve it
   */
  static Template of(Form form, Purpose purpose) {
    Set<Purpose> possible =
        form.givesValue()
            ? EnumSet.of(Purpose.SUM, Purpose.MIN, Purpose.MAX)
            : EnumSet.of(form.takesTotals() ? Purpose.SEVERAL : Purpose.EACH);
    if (!possible.contains(purpose)) {
      throw new IllegalArgumentException(
          "a kernel of type "
              + form.type().getSimpleName()
              + " is for "
              + possible
              + ", not for "
              + purpose);
    }
    return switch (purpose) {
      case EACH -> form.general() == Row.class ? ROWS : EACH;
      case SUM -> SUM;
      case MIN -> MIN;
      case MAX -> MAX;
      case SEVERAL -> SEVERAL;
    };
  }

  /** The code of the template's {@code run}. */
  CodeModel code() {
    for (MethodModel method : ClassFile.of().parse(classFile).methods()) {
      if (method.methodName().equalsString(Weaver.RUN)) {
        return method.code().orElseThrow();
      }
    }
    throw new IllegalStateException(this + " has no method " + Weaver.RUN);
  }
}
