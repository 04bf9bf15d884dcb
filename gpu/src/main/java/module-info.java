// SPDX-License-Identifier: Apache-2.0

/**
 * Memory of NVIDIA devices, hashed where it lies; found by {@link org.cairn.device.Devices}.
 *
 * @provides org.cairn.device.DeviceProvider the devices of CUDA's driver
 */
module org.cairn.gpu {
  requires transitive org.cairn.core;
  requires org.slf4j;
  // Annotations for compilers.
  requires static org.jspecify;

  exports org.cairn.gpu;

  provides org.cairn.device.DeviceProvider with
      org.cairn.gpu.CudaProvider;
}
