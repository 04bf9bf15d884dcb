// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import static java.lang.classfile.ClassFile.ACC_FINAL;
import static java.lang.classfile.ClassFile.ACC_PRIVATE;
import static java.lang.classfile.ClassFile.ACC_STATIC;
import static java.lang.classfile.ClassFile.ACC_SYNTHETIC;

import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;

/**
 * The rights of the class that a lambda is written in.
 *
 * <p>A class of another module gives all but one, that of its own module, without which no class can
 * be added to its nest. A class in its package has that one: it is made where it is needed. This
 * needs no more than a package that is open, which those of the class path always are.
 */
final class HostLookup {
  private static final String LOOKUP = "lookup";

  private HostLookup() {}

  /**
   * The rights of a class.
   *
   * @throws NotWovenException if the class's module does not open its package
   */
  static Lookup of(Class<?> host) throws NotWovenException {
    try {
      Lookup lookup = MethodHandles.privateLookupIn(host, MethodHandles.lookup());
      return lookup.hasFullPrivilegeAccess() ? lookup : fromWithin(host, lookup);
    } catch (IllegalAccessException e) {
      throw new NotWovenException(
          "module %s does not open package %s to %s"
              .formatted(
                  host.getModule().getName(),
                  host.getPackageName(),
                  moduleName(HostLookup.class.getModule())),
          e);
    } catch (ReflectiveOperationException | LinkageError e) {
      throw new NotWovenException("class " + host.getName() + " gives no access: " + e, e);
    }
  }

  private static String moduleName(Module module) {
    return module.isNamed() ? module.getName() : "all";
  }

  private static Lookup fromWithin(Class<?> host, Lookup fromOutside)
      throws ReflectiveOperationException {
    Class<?> within = insider(host, fromOutside);
    Lookup rights =
        (Lookup) invokeLookup(MethodHandles.privateLookupIn(within, MethodHandles.lookup()), within);
    return MethodHandles.privateLookupIn(host, rights);
  }

  private static Object invokeLookup(Lookup lookup, Class<?> within)
      throws ReflectiveOperationException {
    try {
      return (Lookup)
          lookup.findStatic(within, LOOKUP, MethodType.methodType(Lookup.class)).invokeExact();
    } catch (ReflectiveOperationException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** The class in the host's package that tells its rights to who may call its private method. */
  private static Class<?> insider(Class<?> host, Lookup lookup) throws ReflectiveOperationException {
    String name = host.getPackageName() + ".CairnMesh$Insider";
    try {
      return Class.forName(name, false, host.getClassLoader());
    } catch (ClassNotFoundException e) {
      return defineInsider(name, host, lookup);
    }
  }

  private static Class<?> defineInsider(String name, Class<?> host, Lookup lookup)
      throws ReflectiveOperationException {
    try {
      return lookup.defineClass(insiderFile(ClassDesc.of(name)));
    } catch (LinkageError e) {
      // Another thread was faster.
      return Class.forName(name, false, host.getClassLoader());
    }
  }

  private static byte[] insiderFile(ClassDesc name) {
    MethodTypeDesc type = MethodTypeDesc.of(ConstantDescs.CD_MethodHandles_Lookup);
    return ClassFile.of()
        .build(
            name,
            type0 ->
                type0
                    .withFlags(ACC_FINAL | ACC_SYNTHETIC)
                    .withMethodBody(
                        LOOKUP,
                        type,
                        ACC_PRIVATE | ACC_STATIC,
                        code -> returnLookup(code, type)));
  }

  private static void returnLookup(CodeBuilder code, MethodTypeDesc type) {
    code.invokestatic(ConstantDescs.CD_MethodHandles, LOOKUP, type).areturn();
  }
}
