// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Label;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Tells whether the body of a kernel is the one it was: its instructions with the names they use,
 * without lines of the source and numbers of lambdas, so that the same source gives the same. What
 * methods do that it calls is not looked at.
 */
final class BodyDigest {
  private final CRC32C forward = new CRC32C();
  private final Map<Label, Integer> labels = new IdentityHashMap<>();
  private int instructions;

  private BodyDigest() {}

  /** Of these instructions; never 0. */
  static long of(CodeModel code) {
    BodyDigest digest = new BodyDigest();
    for (CodeElement element : code) {
      switch (element) {
        case LabelTarget target -> digest.add("label", digest.number(target.label()));
        case Instruction instruction -> digest.add(instruction);
        default -> {} // lines, names of variables
      }
    }
    return (long) digest.instructions << 32 | digest.forward.getValue() | 1L << 62;
  }

  private int number(Label label) {
    return labels.computeIfAbsent(label, _ -> labels.size());
  }

  private void add(Object... words) {
    for (Object word : words) {
      forward.update(word.toString().getBytes(StandardCharsets.UTF_8));
      forward.update(0);
    }
  }

  private void add(Instruction instruction) {
    instructions++;
    add(instruction.opcode().bytecode());
    switch (instruction) {
      case FieldInstruction of ->
          add(of.owner().asInternalName(), of.name().stringValue(), of.type().stringValue());
      case InvokeInstruction of ->
          add(
              of.owner().asInternalName(),
              withoutNumber(of.name().stringValue()),
              of.type().stringValue());
      case InvokeDynamicInstruction of -> add(of.name().stringValue(), of.type().stringValue());
      case ConstantInstruction of -> add(of.typeKind(), of.constantValue());
      case LoadInstruction of -> add(of.slot());
      case StoreInstruction of -> add(of.slot());
      case IncrementInstruction of -> add(of.slot(), of.constant());
      case BranchInstruction of -> add(number(of.target()));
      case NewObjectInstruction of -> add(of.className().asInternalName());
      case NewReferenceArrayInstruction of -> add(of.componentType().asInternalName());
      case TypeCheckInstruction of -> add(of.type().asInternalName());
      case TableSwitchInstruction of -> cases(of.defaultTarget(), of.cases());
      case LookupSwitchInstruction of -> cases(of.defaultTarget(), of.cases());
      default -> {} // the opcode says it
    }
  }

  private void cases(Label otherwise, List<SwitchCase> cases) {
    add(number(otherwise));
    cases.forEach(one -> add(one.caseValue(), number(one.target())));
  }

  /** A compiler counts the lambdas of a class. */
  private static String withoutNumber(String name) {
    return name.startsWith("lambda$") ? name.replaceFirst("\\$\\d+$", "") : name;
  }
}
