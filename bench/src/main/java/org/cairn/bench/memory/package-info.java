// SPDX-License-Identifier: Apache-2.0
/** What a process takes of memory beside the state it saves. */
@NullMarked
package org.cairn.bench.memory;

import org.jspecify.annotations.NullMarked;
