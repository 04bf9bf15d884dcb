// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.cairn.mesh.plain;

import org.jspecify.annotations.NullMarked;
