// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.cairn.comm.Communicator;
import org.cairn.comm.SoloCommunicator;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.ContainerSpecimens;
import org.cairn.container.VersionView;
import org.cairn.record.RecordWriter;
import org.cairn.record.Specimen;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.VersionHead;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A receiver that is sent what no sender sends says so, ends, and keeps nothing. */
@Timeout(30)
class WireTest {
  private static final String COPY = "copy.cairn";

  private final MemoryStore store = new MemoryStore();
  private MemoryStore source = new MemoryStore();

  @BeforeEach
  void save() throws IOException {
    source = ContainerSpecimens.store(Seeds.content(1));
  }

  private static byte[] kind(int kind) {
    return Specimen.write(out -> out.putInt(kind));
  }

  private byte[] opening() throws IOException {
    try (ContainerReader reader = ContainerReader.open(source, ContainerSpecimens.FILE);
        Arena arena = Arena.ofConfined()) {
      VersionView view = reader.view(ContainerSpecimens.NEWEST);
      MemorySegment head = VersionHead.write(view, arena);
      byte[] bytes = head.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
      return Specimen.write(out -> out.putInt(Wire.OPEN).putInt(0).putBytes(bytes));
    }
  }

  private static byte[] blocks(Consumer<RecordWriter> content) {
    RecordWriter out = RecordWriter.onHeap().putInt(Wire.BLOCKS);
    content.accept(out);
    return out.toArray();
  }

  private static byte[] block(int dataset, int number, int codec, int stored) {
    Wire.Block header = new Wire.Block(dataset, number, codec, stored, 1, 2);
    return blocks(
        out -> {
          header.write(out.putInt(1));
          out.putBytes(new byte[10]);
        });
  }

  /** What a receiver makes of messages, after which the sender ends as if nothing were wrong. */
  private String answer(byte[]... messages) throws IOException {
    try (Communicator comm = new SoloCommunicator();
        Container container = TestRun.open(store, COPY, 2);
        VersionReceiver receiver = new VersionReceiver(comm, 0, () -> container, () -> false)) {
      for (byte[] message : messages) {
        comm.startSend(MemorySegment.ofArray(message), 0, Wire.DATA);
      }
      comm.startSend(MemorySegment.ofArray(kind(Wire.END)), 0, Wire.DATA);
      comm.startReceive(MemorySegment.ofArray(new byte[8]), 0, Wire.OFFER);
      while (!receiver.isDone()) {
        receiver.advance();
      }
      assertThat(container.versions()).isEmpty();
      IOException failure = receiver.failure();
      return failure == null ? "" : String.valueOf(failure.getMessage());
    }
  }

  @Test
  void messagesThatAreCutOffAreRefused() throws IOException {
    for (byte[] message :
        List.of(new byte[0], new byte[3], kind(Wire.OPEN), kind(Wire.BLOCKS), kind(Wire.FAILED))) {
      assertThat(answer(opening(), message)).contains("ends too early", "a message of rank 0");
    }
  }

  @Test
  void messagesOfUnknownKindAreRefused() throws IOException {
    assertThat(answer(kind(99))).contains("rank 0 sent a message of kind 99");
  }

  @Test
  void blocksOfNothingAreRefused() throws IOException {
    assertThat(answer(blocks(out -> out.putInt(0)))).contains("before it said of which version");
  }

  @Test
  void moreBlocksThanThereAreAreRefused() throws IOException {
    byte[] many = blocks(out -> out.putInt(Integer.MAX_VALUE));
    assertThat(answer(opening(), many)).contains("a count of 2147483647 does not fit");
    byte[] negative = blocks(out -> out.putInt(-1));
    assertThat(answer(opening(), negative)).contains("a count of 4294967295 does not fit");
  }

  @Test
  void blocksThatCannotBeAreRefused() throws IOException {
    assertThat(answer(opening(), block(-1, 0, 0, 1))).contains("a block of dataset -1 of");
    assertThat(answer(opening(), block(1 << 20, 0, 0, 1)))
        .contains("a block of dataset 1048576 of");
    assertThat(answer(opening(), block(0, -1, 0, 1))).containsPattern("block -1 of \\d+ of");
    assertThat(answer(opening(), block(0, 1 << 20, 0, 1)))
        .containsPattern("block 1048576 of \\d+ of");
    assertThat(answer(opening(), block(0, 0, 0, 1))).contains("1 bytes of codec 0");
    assertThat(answer(opening(), block(0, 0, 1, Integer.MAX_VALUE))).contains("of codec 1");
    assertThat(answer(opening(), block(0, 0, 1, -2))).contains("-2 bytes of codec 1");
    assertThat(answer(opening(), block(0, 0, 256, 5))).contains("5 bytes of codec 256");
    assertThat(answer(opening(), block(0, 0, 0, Wire.Block.ZEROS)))
        .contains("10 bytes that belong");
  }
}
