// SPDX-License-Identifier: Apache-2.0
/** The models as charts: the figures of the papers, for any machine. */
@NullMarked
package org.cairn.plan.figure;

import org.jspecify.annotations.NullMarked;
