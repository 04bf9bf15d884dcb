// SPDX-License-Identifier: Apache-2.0
/** What running every process several times buys, and when that is worth the sockets. */
@NullMarked
package org.cairn.plan.replication;

import org.jspecify.annotations.NullMarked;
