// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.AccessFlag;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.cairn.mesh.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/**
 * The method that a lambda became, and how to get at what it captured.
 *
 * @param host the class that the lambda is written in, with the rights of that class
 * @param code the method's instructions; its first parameters are the captured values
 * @param captured the types of the captured values; the first is the host's for a lambda that uses
 *     {@code this}
 * @param getters from a {@link Kernel} of the lambda's class to each captured value
 */
record LambdaBody(
    Lookup host, CodeModel code, List<ClassDesc> captured, List<MethodHandle> getters) {

  /**
   * Finds the body of a kernel.
   *
   * @throws NotWovenException if it is no lambda, or cannot be read
   */
  static LambdaBody of(Kernel kernel, Form form, @Nullable SerializedLambda lambda)
      throws NotWovenException {
    if (lambda == null) {
      throw new NotWovenException("its kernel is no lambda but a " + kernel.getClass().getName());
    }
    Lookup host = HostLookup.of(hostOf(kernel, lambda));
    MethodModel method = methodOf(host.lookupClass(), lambda);
    List<ClassDesc> captured = capturedTypes(host, method, form);
    return new LambdaBody(
        host,
        method.code().orElseThrow(() -> new NotWovenException("its kernel has no code")),
        captured,
        getters(kernel, host, captured));
  }

  /** The instructions of a lambda, whether it can be woven or not. */
  static CodeModel codeOf(Kernel kernel, SerializedLambda lambda) throws NotWovenException {
    return methodOf(hostOf(kernel, lambda), lambda)
        .code()
        .orElseThrow(() -> new NotWovenException("its kernel has no code"));
  }

  private static Class<?> hostOf(Kernel kernel, SerializedLambda lambda) throws NotWovenException {
    String name = lambda.getImplClass().replace('/', '.');
    if (!lambda.getImplClass().equals(lambda.getCapturingClass())) {
      throw methodReference(lambda);
    }
    try {
      return Class.forName(name, false, kernel.getClass().getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      throw new NotWovenException("class " + name + " cannot be found by its name", e);
    }
  }

  private static NotWovenException methodReference(SerializedLambda lambda) {
    return new NotWovenException(
        "its kernel is a reference to the method "
            + lambda.getImplClass().replace('/', '.')
            + "."
            + lambda.getImplMethodName()
            + "; a lambda that calls it would be woven");
  }

  private static MethodModel methodOf(Class<?> host, SerializedLambda lambda)
      throws NotWovenException {
    for (MethodModel method : classFile(host).methods()) {
      if (method.methodName().equalsString(lambda.getImplMethodName())
          && method.methodType().equalsString(lambda.getImplMethodSignature())) {
        if (!method.flags().has(AccessFlag.SYNTHETIC)) {
          throw methodReference(lambda);
        }
        return method;
      }
    }
    throw new NotWovenException(
        "the class file of " + host.getName() + " has no method " + lambda.getImplMethodName());
  }

  private static ClassModel classFile(Class<?> host) throws NotWovenException {
    String name = host.getName();
    String file = name.substring(name.lastIndexOf('.') + 1) + ".class";
    try (InputStream in = host.getResourceAsStream(file)) {
      if (in == null) {
        throw new NotWovenException("the class file of " + name + " is not there");
      }
      return ClassFile.of().parse(in.readAllBytes());
    } catch (IOException | IllegalArgumentException e) {
      throw new NotWovenException("the class file of " + name + " cannot be read: " + e, e);
    }
  }

  /** The types before those of the kernel's own arguments. */
  private static List<ClassDesc> capturedTypes(Lookup host, MethodModel method, Form form)
      throws NotWovenException {
    MethodTypeDesc type = method.methodTypeSymbol();
    MethodTypeDesc own = form.method();
    int before = type.parameterCount() - own.parameterCount();
    if (before < 0
        || !type.returnType().equals(own.returnType())
        || !type.parameterList()
            .subList(before, type.parameterCount())
            .equals(own.parameterList())) {
      throw new NotWovenException("its kernel takes other types than " + own.displayDescriptor());
    }
    List<ClassDesc> captured = new ArrayList<>(type.parameterList().subList(0, before));
    if (!method.flags().has(AccessFlag.STATIC)) {
      captured.addFirst(host.lookupClass().describeConstable().orElseThrow());
    }
    return captured;
  }

  private static List<MethodHandle> getters(Kernel kernel, Lookup host, List<ClassDesc> captured)
      throws NotWovenException {
    try {
      Field[] fields = kernel.getClass().getDeclaredFields();
      if (fields.length != captured.size()) {
        throw new NotWovenException("what its kernel captured is not kept as usual");
      }
      Lookup lambda = MethodHandles.privateLookupIn(kernel.getClass(), host);
      List<MethodHandle> getters = new ArrayList<>();
      for (int n = 0; n < fields.length; n++) {
        Class<?> type = (Class<?>) captured.get(n).resolveConstantDesc(host);
        // The JDK's order of fields is no promise, but their names count.
        MethodHandle getter = lambda.findGetter(kernel.getClass(), "arg$" + (n + 1), type);
        getters.add(getter.asType(MethodType.methodType(type, Kernel.class)));
      }
      return getters;
    } catch (ReflectiveOperationException e) {
      throw new NotWovenException("what its kernel captured cannot be read: " + e, e);
    }
  }
}
