// SPDX-License-Identifier: Apache-2.0
/** Answers in words, tables and pictures, for people and for machines. */
@NullMarked
package org.cairn.cli.answer;

import org.jspecify.annotations.NullMarked;
