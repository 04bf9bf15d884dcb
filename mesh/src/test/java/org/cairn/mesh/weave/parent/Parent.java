// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave.parent;

/** Has members that only subclasses may use. */
public class Parent {
  protected double protectedField;

  protected void protectedMethod(double more) {
    protectedField += more;
  }

  public void publicMethod(double more) {
    protectedField += more;
  }
}
