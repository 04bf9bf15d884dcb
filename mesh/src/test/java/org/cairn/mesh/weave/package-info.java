// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.cairn.mesh.weave;

import org.jspecify.annotations.NullMarked;
