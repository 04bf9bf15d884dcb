// SPDX-License-Identifier: Apache-2.0

/** Packs of files: {@code pack}, {@code unpack}, and what other commands say of them. */
@NullMarked
package org.cairn.cli.pack;

import org.jspecify.annotations.NullMarked;
