// SPDX-License-Identifier: Apache-2.0
/**
 * Stores that break: {@link org.cairn.testkit.store.CrashingStore} loses, tears and refuses, {@link
 * org.cairn.testkit.store.RecordingStore} writes down what was asked of it, and {@link
 * org.cairn.testkit.store.BaseStoreTest} is what every store has to pass.
 */
@NullMarked
package org.cairn.testkit.store;

import org.jspecify.annotations.NullMarked;
