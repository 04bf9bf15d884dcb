// SPDX-License-Identifier: Apache-2.0
/** Taking, waiting for and giving back what a process can run out of. */
@NullMarked
package org.cairn.supply;

import org.jspecify.annotations.NullMarked;
