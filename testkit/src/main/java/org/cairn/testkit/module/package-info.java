// SPDX-License-Identifier: Apache-2.0

/** Programs that are modules, and what modules say of themselves. */
@NullMarked
package org.cairn.testkit.module;

import org.jspecify.annotations.NullMarked;
