// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;

/**
 * Whether a woven loop may do what the lambda may.
 *
 * <p>A loop in the nest of the lambda's class may use all that is private there, but it is no
 * subclass of that class's parent: protected members of a parent in another package are out of its
 * reach. The JVM would notice only in the middle of the loop.
 */
final class Access {
  private final Lookup loop;

  private Access(Lookup loop) {
    this.loop = loop;
  }

  /**
   * Looks up all members that instructions use.
   *
   * @param loop the rights of the woven class
   * @throws NotWovenException if it may not use one of them
   */
  static void check(Lookup loop, CodeModel body) throws NotWovenException {
    Access access = new Access(loop);
    for (CodeElement element : body) {
      switch (element) {
        case FieldInstruction field -> access.check(field);
        case InvokeInstruction invoke -> access.check(invoke);
        default -> {}
      }
    }
  }

  private void check(FieldInstruction field) throws NotWovenException {
    String name = field.name().stringValue();
    try {
      Class<?> owner = resolve(field.owner().asSymbol());
      Class<?> type = resolve(field.typeSymbol());
      switch (field.opcode()) {
        case GETFIELD -> loop.findGetter(owner, name, type);
        case PUTFIELD -> loop.findSetter(owner, name, type);
        case GETSTATIC -> loop.findStaticGetter(owner, name, type);
        default -> loop.findStaticSetter(owner, name, type);
      }
    } catch (ReflectiveOperationException e) {
      throw refused(field.owner().asSymbol(), name, e);
    }
  }

  private void check(InvokeInstruction invoke) throws NotWovenException {
    String name = invoke.name().stringValue();
    try {
      Class<?> owner = resolve(invoke.owner().asSymbol());
      MethodType type = invoke.typeSymbol().resolveConstantDesc(loop);
      if (name.equals(ConstantDescs.INIT_NAME)) {
        loop.findConstructor(owner, type);
      } else if (invoke.opcode() == Opcode.INVOKESTATIC) {
        loop.findStatic(owner, name, type);
      } else {
        loop.findVirtual(owner, name, type);
      }
    } catch (ReflectiveOperationException e) {
      throw refused(invoke.owner().asSymbol(), name, e);
    }
  }

  private Class<?> resolve(ClassDesc type) throws ReflectiveOperationException {
    return (Class<?>) type.resolveConstantDesc(loop);
  }

  private static NotWovenException refused(ClassDesc owner, String name, Throwable cause) {
    return new NotWovenException(
        "its kernel uses "
            + owner.displayName()
            + "."
            + name
            + ", which the classes of its package may not use: "
            + cause.getMessage(),
        cause);
  }
}
