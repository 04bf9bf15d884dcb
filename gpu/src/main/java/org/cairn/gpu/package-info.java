// SPDX-License-Identifier: Apache-2.0

/**
 * Memory of NVIDIA devices through CUDA's driver, which is called directly: no library of Cairn's
 * own, and no toolkit. What runs on the device is PTX text made of {@code gpu/src/main/cuda}.
 */
@NullMarked
package org.cairn.gpu;

import org.jspecify.annotations.NullMarked;
