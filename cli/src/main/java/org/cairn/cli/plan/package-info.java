// SPDX-License-Identifier: Apache-2.0
/** {@code cairn plan}: questions about checkpoints, answered in words, tables and pictures. */
@NullMarked
package org.cairn.cli.plan;

import org.jspecify.annotations.NullMarked;
