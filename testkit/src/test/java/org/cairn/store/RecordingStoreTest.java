// SPDX-License-Identifier: Apache-2.0
package org.cairn.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.stream.Collectors;
import org.cairn.testkit.store.BaseStoreTest;
import org.cairn.testkit.store.RecordingStore;
import org.cairn.testkit.store.StoreOperation.Kind;
import org.junit.jupiter.api.Test;

class RecordingStoreTest extends BaseStoreTest {

  @Override
  protected Store newStore() {
    return new RecordingStore(new MemoryStore());
  }

  @Test
  void recordsWhatWasAskedInOrder() throws IOException {
    RecordingStore recording = new RecordingStore(new MemoryStore());
    try (StoreFile file = recording.open("a", Store.Access.CREATE)) {
      file.write(10, bytes("12345"));
      file.force();
      file.read(11, buffer(3));
      file.truncate(12);
    }
    recording.rename("a", "b");
    recording.forceDirectory();
    recording.delete("b");
    assertThat(
            recording.operations().stream().map(Object::toString).collect(Collectors.joining("; ")))
        .isEqualTo(
            "CREATE a; WRITE a [10, 15); FORCE a; READ a [11, 14); TRUNCATE a to 12;"
                + " RENAME a to b; FORCE_DIRECTORY; DELETE b");
    assertThat(recording.bytes(Kind.WRITE)).isEqualTo(5);
    assertThat(recording.operations(Kind.READ)).hasSize(1);
    recording.clear();
    assertThat(recording.operations()).isEmpty();
  }
}
