// SPDX-License-Identifier: Apache-2.0
/** Programs for processes of their own, which are measured while they are cold. */
@NullMarked
package org.cairn.bench.cold;

import org.jspecify.annotations.NullMarked;
