// SPDX-License-Identifier: Apache-2.0
/** The door to time. */
@NullMarked
package org.cairn.clock;

import org.jspecify.annotations.NullMarked;
