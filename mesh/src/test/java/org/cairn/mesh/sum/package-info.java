// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.cairn.mesh.sum;

import org.jspecify.annotations.NullMarked;
