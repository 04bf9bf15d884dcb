// SPDX-License-Identifier: Apache-2.0
/**
 * What commands have in common: failures and how they are told, JSON, and starting Java once more.
 * It knows none of them.
 */
@NullMarked
package org.cairn.cli.command;

import org.jspecify.annotations.NullMarked;
