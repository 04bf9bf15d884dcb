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
 * <p>A class of another module gives all but one, that of its own module, without which no class
 * can be added to its nest. A class beside it, of its own module, has that one: it is made where it
 * is needed. That takes no more than a package that is open, which those of the class path always
 * are.
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
    Class<?> insider = insider(host, fromOutside);
    Lookup ofInsider = MethodHandles.privateLookupIn(insider, MethodHandles.lookup());
    return MethodHandles.privateLookupIn(host, rightsOf(ofInsider));
  }

  private static Lookup rightsOf(Lookup insider) throws ReflectiveOperationException {
    MethodType type = MethodType.methodType(Lookup.class);
    try {
      return (Lookup) insider.findStatic(insider.lookupClass(), LOOKUP, type).invokeExact();
    } catch (ReflectiveOperationException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** The class beside the host that tells its rights to who may call its private method. */
  private static Class<?> insider(Class<?> host, Lookup lookup)
      throws ReflectiveOperationException {
    String name = host.getName() + "$CairnInsider";
    try {
      return lookup.defineClass(insiderFile(ClassDesc.of(name)));
    } catch (LinkageError e) {
      // It is there already.
      return Class.forName(name, false, host.getClassLoader());
    }
  }

  private static byte[] insiderFile(ClassDesc name) {
    MethodTypeDesc type = MethodTypeDesc.of(ConstantDescs.CD_MethodHandles_Lookup);
    return ClassFile.of()
        .build(
            name,
            insider ->
                insider
                    .withFlags(ACC_FINAL | ACC_SYNTHETIC)
                    .withMethodBody(
                        LOOKUP, type, ACC_PRIVATE | ACC_STATIC, code -> returnLookup(code, type)));
  }

  private static void returnLookup(CodeBuilder code, MethodTypeDesc type) {
    code.invokestatic(ConstantDescs.CD_MethodHandles, LOOKUP, type).areturn();
  }
}
