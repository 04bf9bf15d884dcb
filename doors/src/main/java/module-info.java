// SPDX-License-Identifier: Apache-2.0
/**
 * What leads outside: other ranks, files, time, threads. All of it is for those who write a
 * transport or a store.
 */
module org.cairn.doors {
  requires static org.jspecify;

  exports org.cairn.clock;
  exports org.cairn.comm;
  exports org.cairn.store;
  exports org.cairn.supply;

  uses org.cairn.comm.CommunicatorProvider;
}
