// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.CountingStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a writer knows of segments it does not read again; what others can change it looks at. */
class FootersTest {
  private final CountingStore store = new CountingStore(new MemoryStore());
  private final KnownSegments known = new KnownSegments();
  private List<Reference> references = List.of();

  @BeforeEach
  void flush() throws IOException {
    Flushes.ManualClock clock = new Flushes.ManualClock();
    Manifest base = Flushes.flush(store, clock, 1, Optional.empty());
    references = Flushes.flush(store, clock, 2, Optional.of(base)).references();
    assertThat(problem()).isEmpty();
  }

  private Optional<String> problem() {
    return new Footers(store, known).problem(references);
  }

  private void nextFlush() throws IOException {
    known.nextFlush(Set.copyOf(store.list()));
  }

  @Test
  void whatIsKnownIsNotReadAgain() {
    store.reset();
    assertThat(problem()).isEmpty();
    assertThat(store.bytesRead()).isZero();
  }

  @Test
  void oneIsReadAnewWithEachFlush() throws IOException {
    store.reset();
    new Footers(store).problem(references);
    long all = store.bytesRead();
    nextFlush();
    store.reset();
    assertThat(problem()).isEmpty();
    assertThat(store.bytesRead()).isBetween(1L, all / 2);
  }

  @Test
  void whatIsGoneIsFoundAtOnce() throws IOException {
    String gone = references.getFirst().segment();
    store.delete(gone);
    assertThat(problem()).hasValueSatisfying(what -> assertThat(what).contains(gone, "found none"));
    nextFlush();
    assertThat(problem()).isPresent();
  }

  @Test
  void whatIsShorterIsFoundAtOnce() throws IOException {
    Reference cut = references.getLast();
    try (StoreFile file = store.open(cut.segment(), Store.Access.WRITE)) {
      file.truncate(cut.size() - 1);
    }
    assertThat(problem()).isPresent();
  }

  @Test
  void decayIsFoundWithinARound() throws IOException {
    for (Reference reference : references) {
      flip(reference);
      int flushes = 0;
      while (problem().isEmpty()) {
        assertThat(flushes++).as("flushes").isLessThan(references.size());
        nextFlush();
      }
      flip(reference);
      assertThat(problem()).as("a segment that cannot be read is not known").isEmpty();
    }
  }

  private void flip(Reference reference) throws IOException {
    try (StoreFile file = store.open(reference.segment(), Store.Access.WRITE)) {
      byte[] last = new byte[1];
      file.read(reference.size() - 1, MemorySegment.ofArray(last));
      last[0] ^= 1;
      file.write(reference.size() - 1, MemorySegment.ofArray(last));
    }
  }
}
