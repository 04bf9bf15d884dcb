// SPDX-License-Identifier: Apache-2.0
/** How what ranks have under one name belongs together: bricks of an array, items of a bag. */
@NullMarked
package org.cairn.division;

import org.jspecify.annotations.NullMarked;
