// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import static java.lang.classfile.ClassFile.ACC_FINAL;
import static java.lang.classfile.ClassFile.ACC_PUBLIC;
import static java.lang.classfile.ClassFile.ACC_SYNTHETIC;

import java.lang.classfile.Attribute;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Label;
import java.lang.classfile.Opcode;
import java.lang.classfile.PseudoInstruction;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.instruction.DiscontinuedInstruction;
import java.lang.classfile.instruction.ExceptionCatch;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DynamicConstantDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import org.cairn.mesh.kernel.Kernel;
import org.cairn.mesh.kernel.Totals;
import org.jspecify.annotations.Nullable;

/**
 * Writes the class file of a loop: a copy of a template in which the one call of the kernel is
 * replaced, in the twin by a call of the kernel's own interface, and in a woven loop by the body of
 * the lambda.
 *
 * <p>A woven {@code run} has the template's variables first, then those of the body: the captured
 * values, which are read once when {@code run} begins, the kernel's arguments, which the template
 * leaves on the stack and which are stored from there for each point, and the body's own. At last a
 * variable for the value: where the body returns, it is stored, and control goes to where the call
 * would have ended.
 */
final class Weaver {
  static final String RUN = "run";

  private static final ClassDesc LOOP = desc(Loop.class);
  private static final ClassDesc KERNEL = desc(Kernel.class);
  private static final MethodTypeDesc RUN_TYPE =
      MethodTypeDesc.of(
          ConstantDescs.CD_void,
          ConstantDescs.CD_String,
          KERNEL,
          desc(Span.class),
          desc(Totals.class));
  private static final int PUBLIC_FINAL = ACC_PUBLIC | ACC_FINAL;

  /** The variable of {@code run} that has the kernel: behind {@code this} and the loop's name. */
  private static final int KERNEL_SLOT = 2;

  private final Template template;
  private final Form form;
  private final @Nullable LambdaBody body;
  private final int templateSlots;

  private Weaver(Template template, Form form, @Nullable LambdaBody body) {
    this.template = template;
    this.form = form;
    this.body = body;
    this.templateSlots = slots(template.code());
  }

  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  private static int slots(CodeModel code) {
    return ((CodeAttribute) code).maxLocals();
  }

  /** The class file of a loop that calls its kernel. */
  static byte[] twin(Template template, Form form, String name) {
    return new Weaver(template, form, null).classFile(name, ClassFile.of());
  }

  /**
   * The class file of a loop that contains its kernel.
   *
   * @throws IllegalArgumentException if that cannot be written
   */
  static byte[] woven(Template template, Form form, LambdaBody body, String name) {
    ClassHierarchyResolver classes = ClassHierarchyResolver.ofClassLoading(body.host());
    return new Weaver(template, form, body)
        .classFile(name, ClassFile.of(ClassHierarchyResolverOption.of(classes)));
  }

  private byte[] classFile(String name, ClassFile format) {
    return format.build(ClassDesc.of(name), this::writeClass);
  }

  private void writeClass(ClassBuilder type) {
    type.withFlags(ACC_FINAL | ACC_SYNTHETIC)
        .withSuperclass(LOOP)
        .withMethodBody(
            ConstantDescs.INIT_NAME,
            ConstantDescs.MTD_void,
            ACC_PUBLIC,
            code ->
                code.aload(0)
                    .invokespecial(LOOP, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                    .return_())
        .withMethodBody(RUN, RUN_TYPE, PUBLIC_FINAL, this::writeRun);
    if (body != null) {
      type.withMethodBody(
          "isWoven",
          MethodTypeDesc.of(ConstantDescs.CD_boolean),
          PUBLIC_FINAL,
          code -> code.iconst_1().ireturn());
    }
  }

  private void writeRun(CodeBuilder code) {
    if (body != null) {
      loadCaptured(code, body);
    }
    List<ExceptionCatch> handlers = new ArrayList<>();
    for (CodeElement element : template.code()) {
      switch (element) {
        case InvokeInstruction invoke when isKernelCall(invoke) -> writeKernelCall(code);
        case TypeCheckInstruction check when check.type().matches(form.generalDesc()) ->
            code.checkcast(form.interfaceDesc());
        case ExceptionCatch handler -> handlers.add(handler);
        case PseudoInstruction pseudo when !(pseudo instanceof LabelTarget) -> {}
        case Attribute<?> _ -> {}
        default -> code.with(element);
      }
    }
    // The first handler that fits is taken, so those of the body come before the template's.
    handlers.forEach(code::with);
  }

  private boolean isKernelCall(InvokeInstruction invoke) {
    return invoke.owner().matches(form.generalDesc());
  }

  private void writeKernelCall(CodeBuilder code) {
    if (body == null) {
      callKernel(code);
    } else {
      storeArguments(code, firstArgumentSlot(body));
      code.pop();
      writeBody(code, body);
    }
  }

  /** Calls the kernel, which is on the stack with all arguments, with those that it takes. */
  private void callKernel(CodeBuilder code) {
    storeArguments(code, templateSlots);
    for (int n = 0; n < form.ints(); n++) {
      code.iload(templateSlots + n);
    }
    if (form.takesTotals()) {
      code.aload(templateSlots + form.ints());
    }
    code.invokeinterface(form.interfaceDesc(), "at", form.method());
  }

  /** Stores the arguments that the kernel takes, from the last, and drops the others. */
  private void storeArguments(CodeBuilder code, int firstSlot) {
    if (form.takesTotals()) {
      code.astore(firstSlot + form.ints());
    }
    for (int n = form.generalInts() - 1; n >= 0; n--) {
      if (n < form.ints()) {
        code.istore(firstSlot + n);
      } else {
        code.pop();
      }
    }
  }

  private int firstArgumentSlot(LambdaBody body) {
    int slot = templateSlots;
    for (ClassDesc type : body.captured()) {
      slot += TypeKind.from(type).slotSize();
    }
    return slot;
  }

  private void loadCaptured(CodeBuilder code, LambdaBody body) {
    int slot = templateSlots;
    for (int n = 0; n < body.captured().size(); n++) {
      ClassDesc type = body.captured().get(n);
      code.loadConstant(getter(n))
          .aload(KERNEL_SLOT)
          .invokevirtual(
              ConstantDescs.CD_MethodHandle, "invokeExact", MethodTypeDesc.of(type, KERNEL))
          .storeLocal(TypeKind.from(type), slot);
      slot += TypeKind.from(type).slotSize();
    }
  }

  /** One of the getters that the class is defined with. A constant, so that calls are compiled. */
  private static DynamicConstantDesc<?> getter(int n) {
    return DynamicConstantDesc.ofNamed(
        ConstantDescs.BSM_CLASS_DATA_AT,
        ConstantDescs.DEFAULT_NAME,
        ConstantDescs.CD_MethodHandle,
        n);
  }

  private void writeBody(CodeBuilder code, LambdaBody body) {
    Label end = code.newLabel();
    int valueSlot = templateSlots + slots(body.code());
    for (CodeElement element : body.code()) {
      switch (element) {
        case LoadInstruction load -> code.loadLocal(load.typeKind(), templateSlots + load.slot());
        case StoreInstruction store ->
            code.storeLocal(store.typeKind(), slotToStore(store.slot(), body));
        case IncrementInstruction increment ->
            code.iinc(slotToStore(increment.slot(), body), increment.constant());
        case ReturnInstruction _ -> {
          if (form.givesValue()) {
            code.dstore(valueSlot);
          }
          code.goto_(end);
        }
        case LabelTarget _, ExceptionCatch _ -> code.with(element);
        case InvokeInstruction invoke when isSuperCall(invoke) ->
            throw new IllegalArgumentException(
                "it calls " + invoke.name().stringValue() + " of a parent class");
        case DiscontinuedInstruction _ ->
            throw new IllegalArgumentException("it has subroutines within its method");
        case PseudoInstruction _ -> {}
        case Attribute<?> _ -> {}
        default -> code.with(element);
      }
    }
    code.labelBinding(end);
    if (form.givesValue()) {
      code.dload(valueSlot);
    }
  }

  private static boolean isSuperCall(InvokeInstruction invoke) {
    return invoke.opcode() == Opcode.INVOKESPECIAL
        && !invoke.name().equalsString(ConstantDescs.INIT_NAME);
  }

  /** Captured values are read once: a body that changed its copy would find the change again. */
  private int slotToStore(int slot, LambdaBody body) {
    if (templateSlots + slot < firstArgumentSlot(body)) {
      throw new IllegalArgumentException("it changes its copy of a captured value");
    }
    return templateSlots + slot;
  }
}
