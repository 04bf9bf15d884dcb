// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a kernel changes beside fields of the mesh: variables of the program's own object or
 * of a class, and arrays that these have. A kernel may do what it likes to what it has made itself,
 * so one that makes arrays is not suspected of writing to others.
 */
final class Outside {
  private @Nullable String variable;
  private @Nullable String array;
  private boolean storesToArray;
  private boolean makesArrays;

  private Outside() {}

  /**
   * What it changes, in words.
   *
   * @param code the body of a lambda
   * @param host the class that the lambda is in, as class files name it
   */
  static Optional<String> changedBy(CodeModel code, String host) {
    Outside outside = new Outside();
    for (CodeElement element : code) {
      outside.look(element, host);
    }
    return Optional.ofNullable(outside.found());
  }

  private void look(CodeElement element, String host) {
    switch (element) {
      case FieldInstruction field when field.opcode() == Opcode.PUTSTATIC -> variable = name(field);
      case FieldInstruction field when field.opcode() == Opcode.PUTFIELD -> {
        if (field.owner().asInternalName().equals(host)) {
          variable = name(field);
        }
      }
      case FieldInstruction field when field.typeSymbol().isArray() -> array = name(field);
      case ArrayStoreInstruction _ -> storesToArray = true;
      case NewPrimitiveArrayInstruction _,
          NewReferenceArrayInstruction _,
          NewMultiArrayInstruction _ ->
          makesArrays = true;
      default -> {}
    }
  }

  private static String name(FieldInstruction field) {
    return "\"%s\" of %s"
        .formatted(field.name().stringValue(), field.owner().asInternalName().replace('/', '.'));
  }

  private @Nullable String found() {
    if (variable != null) {
      return variable;
    }
    return storesToArray && !makesArrays ? array : null;
  }
}
