// SPDX-License-Identifier: Apache-2.0

/**
 * Memory of devices such as GPUs, and what they can do with it where it lies. What knows a kind of
 * device is a {@link org.cairn.device.DeviceProvider}, found by {@code ServiceLoader}; Cairn's
 * module {@code gpu} is one.
 */
@NullMarked
package org.cairn.device;

import org.jspecify.annotations.NullMarked;
