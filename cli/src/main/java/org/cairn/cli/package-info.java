// SPDX-License-Identifier: Apache-2.0
/**
 * The {@code cairn} command. {@link org.cairn.cli.Main} starts it; each subcommand is a class of
 * its own; other modules add theirs through {@link org.cairn.cli.CommandProvider}.
 *
 * <p>Exit codes: 0 all is well, 1 a problem was found or the work failed, 2 the command line cannot
 * be understood.
 */
@NullMarked
package org.cairn.cli;

import org.jspecify.annotations.NullMarked;
