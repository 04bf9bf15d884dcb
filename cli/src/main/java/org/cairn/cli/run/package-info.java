// SPDX-License-Identifier: Apache-2.0
/** {@code cairn run}: programs on one rank or many. */
@org.jspecify.annotations.NullMarked
package org.cairn.cli.run;
