// SPDX-License-Identifier: Apache-2.0
/** {@code cairn export}: datasets as plain files that other programs can read. */
@NullMarked
package org.cairn.cli.export;

import org.jspecify.annotations.NullMarked;
