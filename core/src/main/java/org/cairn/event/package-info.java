// SPDX-License-Identifier: Apache-2.0
/** What happened, for whoever watches: an append-only log beside the container, and JFR events. */
@NullMarked
package org.cairn.event;

import org.jspecify.annotations.NullMarked;
