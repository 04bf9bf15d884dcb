// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.weave;

import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import org.cairn.mesh.kernel.Kernel;
import org.cairn.mesh.kernel.Point;
import org.cairn.mesh.kernel.Point1;
import org.cairn.mesh.kernel.Point2;
import org.cairn.mesh.kernel.Point3;
import org.cairn.mesh.kernel.Row;
import org.cairn.mesh.kernel.Several;
import org.cairn.mesh.kernel.Several1;
import org.cairn.mesh.kernel.Several2;
import org.cairn.mesh.kernel.Several3;
import org.cairn.mesh.kernel.Totals;
import org.cairn.mesh.kernel.Value;
import org.cairn.mesh.kernel.Value1;
import org.cairn.mesh.kernel.Value2;
import org.cairn.mesh.kernel.Value3;

/**
 * Which arguments a kernel takes. A template calls a kernel that takes all of them, the {@link
 * #general} one; others take only the first of its {@code int}s.
 *
 * @param type the kernel's interface
 * @param general the interface that templates call
 * @param ints how many {@code int}s it takes
 */
record Form(Class<? extends Kernel> type, Class<? extends Kernel> general, int ints) {
  private static final ClassDesc TOTALS = Totals.class.describeConstable().orElseThrow();

  static Form of(Kernel kernel) {
    return switch (kernel) {
      case Point _ -> new Form(Point.class, Point3.class, 1);
      case Point1 _ -> new Form(Point1.class, Point3.class, 2);
      case Point2 _ -> new Form(Point2.class, Point3.class, 3);
      case Point3 _ -> new Form(Point3.class, Point3.class, 4);
      case Row _ -> new Form(Row.class, Row.class, 2);
      case Value _ -> new Form(Value.class, Value3.class, 1);
      case Value1 _ -> new Form(Value1.class, Value3.class, 2);
      case Value2 _ -> new Form(Value2.class, Value3.class, 3);
      case Value3 _ -> new Form(Value3.class, Value3.class, 4);
      case Several _ -> new Form(Several.class, Several3.class, 1);
      case Several1 _ -> new Form(Several1.class, Several3.class, 2);
      case Several2 _ -> new Form(Several2.class, Several3.class, 3);
      case Several3 _ -> new Form(Several3.class, Several3.class, 4);
    };
  }

  ClassDesc interfaceDesc() {
    return type.describeConstable().orElseThrow();
  }

  ClassDesc generalDesc() {
    return general.describeConstable().orElseThrow();
  }

  /** The {@code int}s of a call by a template. */
  int generalInts() {
    return general == Row.class ? 2 : 4;
  }

  boolean takesTotals() {
    return general == Several3.class;
  }

  boolean givesValue() {
    return general == Value3.class;
  }

  /** The method that the kernel implements. */
  MethodTypeDesc method() {
    List<ClassDesc> parameters = new ArrayList<>();
    for (int n = 0; n < ints; n++) {
      parameters.add(ConstantDescs.CD_int);
    }
    if (takesTotals()) {
      parameters.add(TOTALS);
    }
    return MethodTypeDesc.of(
        givesValue() ? ConstantDescs.CD_double : ConstantDescs.CD_void, parameters);
  }
}
