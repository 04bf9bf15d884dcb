// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh.kernel;

import java.io.Serializable;

/**
 * What is done at a point or in a row of a grid.
 *
 * <p>A kernel is written as a lambda over captured fields. All fields of a grid share one linear
 * index: {@code k} is the point itself, {@code k + east} its neighbour. Kernels that need to know
 * where the point is take its global indices too, the fastest first.
 *
 * <p>Kernels are serializable because a lambda that is says which method implements it. They are
 * never written anywhere.
 */
public sealed interface Kernel extends Serializable
    permits Point,
        Point1,
        Point2,
        Point3,
        Row,
        Value,
        Value1,
        Value2,
        Value3,
        Several,
        Several1,
        Several2,
        Several3 {}
