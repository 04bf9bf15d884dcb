// SPDX-License-Identifier: Apache-2.0
/** What people see: tables, progress, quantities and names made fit to print. */
@NullMarked
package org.cairn.cli.terminal;

import org.jspecify.annotations.NullMarked;
