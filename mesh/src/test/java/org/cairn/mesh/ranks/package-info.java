// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.cairn.mesh.ranks;

import org.jspecify.annotations.NullMarked;
