// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.comm.Request;
import org.junit.jupiter.api.Test;

/** A leader takes what comes early, but not more than it has memory for. */
class IntakeTest {
  private static final int MESSAGES = 5;
  private static final int BYTES = 1024; // as memory is allocated

  @Test
  void takesEarlyWhatThereIsMemoryForAndKeepsTheOrder() {
    Ranks.run(
        3,
        comm -> {
          if (comm.rank() > 0) {
            send(comm);
          } else {
            lead(comm);
          }
        });
  }

  /** The tag of a message is its number. */
  private static void send(Communicator comm) {
    List<Request> requests = new ArrayList<>();
    for (int tag = 1; tag <= MESSAGES; tag++) {
      byte[] bytes = new byte[BYTES];
      bytes[0] = (byte) (10 * comm.rank() + tag);
      requests.add(comm.startSend(MemorySegment.ofArray(bytes), 0, tag));
    }
    comm.barrier();
    requests.forEach(Request::await);
  }

  private static void lead(Communicator comm) {
    comm.barrier();
    try (Intake intake = new Intake(comm, 4 * BYTES)) {
      for (int i = 0; i < 2 * MESSAGES; i++) {
        intake.worked(1 << 20);
      }
      assertThat(firstLeft(comm, 1) + firstLeft(comm, 2)).as("two of each are taken").isEqualTo(6);
      takeAll(intake, 1);
      assertThat(firstLeft(comm, 2)).as("still no room").isEqualTo(3);
      takeAll(intake, 2);
    }
  }

  private static int firstLeft(Communicator comm, int member) {
    return comm.poll(member, Communicator.ANY_TAG).orElseThrow().tag();
  }

  private static void takeAll(Intake intake, int member) {
    for (int tag = 1; tag <= MESSAGES; tag++) {
      Intake.Taken taken = (Intake.Taken) intake.next(member);
      assertThat(taken.tag()).isEqualTo(tag);
      assertThat(taken.bytes().byteSize()).isEqualTo(BYTES);
      assertThat(taken.bytes().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) (10 * member + tag));
      intake.giveBack(taken);
    }
  }
}
