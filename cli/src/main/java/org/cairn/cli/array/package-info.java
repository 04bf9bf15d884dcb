// SPDX-License-Identifier: Apache-2.0
/** Arrays of a job as people look at them: in slices, in figures, as a picture, compared. */
@NullMarked
package org.cairn.cli.array;

import org.jspecify.annotations.NullMarked;
