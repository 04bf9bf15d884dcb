// SPDX-License-Identifier: Apache-2.0
package org.cairn.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.cairn.Checkpointer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlightEventsTest {
  @Test
  void whoRecordsSeesCheckpointsAndRestarts(@TempDir Path temp) throws IOException {
    Path file = temp.resolve("run.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      for (int life = 0; life < 2; life++) {
        try (Checkpointer cairn = Checkpointer.open(temp.resolve("checkpoints"))) {
          cairn.protect("x", new double[1000]);
          cairn.restart();
          cairn.checkpoint();
        }
      }
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().equals("org.cairn.Checkpoint"))
        .hasSize(2)
        .allSatisfy(event -> assertThat(event.getString("version")).isNotEmpty());
    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().equals("org.cairn.Restart"))
        .hasSize(2)
        .last()
        .satisfies(event -> assertThat(event.getLong("bytes")).isEqualTo(8000));
  }
}
