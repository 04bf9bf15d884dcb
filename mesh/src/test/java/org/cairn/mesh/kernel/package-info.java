// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.cairn.mesh.kernel;

import org.jspecify.annotations.NullMarked;
