// SPDX-License-Identifier: Apache-2.0

/**
 * Communicators, stores, clocks, and where threads come from: the doors to everything outside.
 *
 * @uses org.cairn.comm.CommunicatorProvider the transport that connects what a launcher started
 */
module org.cairn.doors {
  // Annotations for compilers.
  requires static org.jspecify;
  // O_DIRECT, found by name: without it large files go through the page cache.
  requires jdk.unsupported;

  exports org.cairn.clock;
  exports org.cairn.comm;
  exports org.cairn.store;
  exports org.cairn.supply;

  uses org.cairn.comm.CommunicatorProvider;
}
