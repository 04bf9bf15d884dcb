// SPDX-License-Identifier: Apache-2.0
/** Measurements of Cairn from end to end, each against a baseline of the same run. */
@NullMarked
package org.cairn.bench;

import org.jspecify.annotations.NullMarked;
