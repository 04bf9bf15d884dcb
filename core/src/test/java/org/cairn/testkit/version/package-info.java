// SPDX-License-Identifier: Apache-2.0
/** Identities for tests. */
@NullMarked
package org.cairn.testkit.version;

import org.jspecify.annotations.NullMarked;
