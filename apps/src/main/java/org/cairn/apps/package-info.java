// SPDX-License-Identifier: Apache-2.0
/** What programs share: reading a command line, and how a program of the mesh language is saved. */
@NullMarked
package org.cairn.apps;

import org.jspecify.annotations.NullMarked;
