// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.ForwardingCommunicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;
import org.cairn.comm.SoloCommunicator;
import org.junit.jupiter.api.Test;

/** Memory from which a message is sent stays as long as it may be read. */
class SendingTest {
  private static final int EXPECTED = 100_000;

  /** A communicator whose sends never end: who waits for one is interrupted. */
  private static final class Endless extends ForwardingCommunicator {
    private final List<MemorySegment> sent = new ArrayList<>();

    Endless() {
      super(new SoloCommunicator("node"));
    }

    @Override
    public Request startSend(MemorySegment data, int to, int tag) {
      sent.add(data);
      return new Request() {
        @Override
        public boolean test() {
          return false;
        }

        @Override
        public Message await() {
          throw new CommunicationException("interrupted");
        }
      };
    }

    @Override
    public Communicator duplicate() {
      return this;
    }

    @Override
    public Communicator split(int color, int key) {
      return this;
    }
  }

  @Test
  void whatIsLargerThanExpectedIsSentFromOwnMemory() {
    Endless comm = new Endless();
    try (Arena lent = Arena.ofShared();
        GroupFlush.Sending sending = new GroupFlush.Sending(comm, EXPECTED)) {
      sending.allocate();
      sending.append(lent.allocate(2 * EXPECTED).fill((byte) 5));
      assertThatThrownBy(sending::flush).isInstanceOf(CommunicationException.class);
    }
    assertThat(comm.sent)
        .singleElement()
        .satisfies(
            bytes -> {
              assertThat(bytes.scope().isAlive()).isTrue();
              assertThat(bytes.byteSize()).isEqualTo(2 * EXPECTED);
            });
  }
}
