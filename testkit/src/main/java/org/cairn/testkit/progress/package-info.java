// SPDX-License-Identifier: Apache-2.0
/** Limits of tests that count progress instead of time. */
@NullMarked
package org.cairn.testkit.progress;

import org.jspecify.annotations.NullMarked;
