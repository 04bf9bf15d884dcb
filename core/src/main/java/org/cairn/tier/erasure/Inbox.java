// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.lang.foreign.MemorySegment;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.supply.Workspace;

/** Memory for one message of another member. One thread receives, another reads it afterwards. */
final class Inbox implements AutoCloseable {
  private Workspace space = new Workspace();
  private MemorySegment memory = MemorySegment.NULL;
  private boolean receiving;

  /** Receives a message that has come. */
  MemorySegment receive(Communicator comm, Message message) {
    MemorySegment target = atLeast(message.bytes());
    receiving = true;
    comm.receive(target, message.source(), message.tag());
    receiving = false;
    return target;
  }

  private MemorySegment atLeast(long bytes) {
    if (memory.byteSize() < bytes) {
      space.close();
      space = new Workspace();
      memory = space.allocate(bytes + bytes / 2);
    }
    return memory.asSlice(0, bytes);
  }

  @Override
  public void close() {
    if (!receiving) {
      // Else a receive was cut short, and a transport may still write to it.
      space.close();
    }
  }
}
