// SPDX-License-Identifier: Apache-2.0
/** What can still be reached when nobody should. */
@NullMarked
package org.cairn.testkit.memory;

import org.jspecify.annotations.NullMarked;
