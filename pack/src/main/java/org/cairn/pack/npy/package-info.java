// SPDX-License-Identifier: Apache-2.0

/** Where files of NumPy ({@code .npy}) have their array. */
@NullMarked
package org.cairn.pack.npy;

import org.jspecify.annotations.NullMarked;
