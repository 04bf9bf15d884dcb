// SPDX-License-Identifier: Apache-2.0
/** Help about commands, in the forms that shells and {@code man} want. */
@NullMarked
package org.cairn.cli.guide;

import org.jspecify.annotations.NullMarked;
