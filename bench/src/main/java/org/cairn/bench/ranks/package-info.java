// SPDX-License-Identifier: Apache-2.0
/** The program whose restarts on other numbers of ranks are measured. */
@org.jspecify.annotations.NullMarked
package org.cairn.bench.ranks;
