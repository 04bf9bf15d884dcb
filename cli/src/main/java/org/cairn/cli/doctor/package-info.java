// SPDX-License-Identifier: Apache-2.0
/** {@code cairn doctor}: what a machine and a directory have, and what is missing. */
@NullMarked
package org.cairn.cli.doctor;

import org.jspecify.annotations.NullMarked;
