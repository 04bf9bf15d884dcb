// SPDX-License-Identifier: Apache-2.0

/** Processes that tests start. */
@NullMarked
package org.cairn.testkit.process;

import org.jspecify.annotations.NullMarked;
