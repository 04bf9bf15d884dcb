// SPDX-License-Identifier: Apache-2.0
/** Doing one thing on several cores at once. */
@NullMarked
package org.cairn.work;

import org.jspecify.annotations.NullMarked;
