// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

/** What Java wants to be told before it lets a class call native code. */
public final class NativeAccess {
  private NativeAccess() {}

  /** The flag for a class on the class path, or in the module that it is in. */
  public static String flag(Class<?> caller) {
    Module module = caller.getModule();
    return "--enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
  }
}
