// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** What a member keeps of a version, in the making: its parity, and the maps of members. */
interface Share extends Exchange.Sink, AutoCloseable {
  /** For whoever has it already, or cannot make it and still has to take what comes. */
  Share NONE =
      new Share() {
        @Override
        public void takeMap(int rank, MapMessage message) {}

        @Override
        public void begin(int window) {}

        @Override
        public void take(int member, int offset, MemorySegment message, long from, int length) {}

        @Override
        public void end(int window) {}

        @Override
        public void finish(ParityLayout layout) {}

        @Override
        public void publish() {}

        @Override
        public void close() {}
      };

  /**
   * Takes the map of a member, and makes sure that it is that of the version it says it is.
   *
   * @throws DamagedBaseException if it is a patch to something else than what is here
   */
  void takeMap(int rank, MapMessage message) throws IOException;

  /** Writes what is left; after this nothing but {@link #publish} can fail. */
  void finish(ParityLayout layout) throws IOException;

  void publish() throws IOException;

  /** Leaves the container as it was, unless the version has been published. */
  @Override
  void close();
}
