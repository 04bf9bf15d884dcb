// SPDX-License-Identifier: Apache-2.0
/** Random tests that print their seed and can be replayed with it; how much is tried at all. */
@NullMarked
package org.cairn.testkit.random;

import org.jspecify.annotations.NullMarked;
